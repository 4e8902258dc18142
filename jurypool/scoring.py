"""Runs against qrels, and what there is to score them by."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, overload

from metrics.engine.evaluate import evaluate as evaluate_run
from metrics.engine.hits import PROFILES
from metrics.engine.qrels_index import QrelsIndex, index_qrels
from metrics.engine.reading import (
    check_measures,
    common_topics,
    index_as_needed,
    read_index,
    reads_iterations,
    required_judgments,
)
from metrics.measures.base import Direction, Measure, MeasureKind, Parameter
from metrics.measures.names import GRADED_MEASURES, parse_measures, signature
from metrics.measures.registry import ALIASES, KINDS
from pooling.arrays import as_words
from pooling.formats.files import read_file
from pooling.formats.grouping import may_repeat
from pooling.formats.qrels import Qrels
from pooling.formats.runs import RunFile
from pooling.notebook import fields_html
from pooling.progress import progress
from pooling.refusals import Refused

from .reading import QrelsSource, RunSource, is_one_run, is_path, parquet_frame, read_qrels, read_runs
from .results import Result, Results

Measures = str | Iterable[str]


@overload
def evaluate(  # type: ignore[overload-overlap]  # tuples are one run, not several
    run: RunSource,
    qrels: QrelsSource,
    measures: Measures = ...,
    *,
    profile: str = ...,
    missing: str = ...,
    relevance: int = ...,
    collection_size: int | None = ...,
    ignore_identical_ids: bool = ...,
) -> Result: ...


@overload
def evaluate(
    run: Mapping[str, RunSource] | Sequence[RunSource],
    qrels: QrelsSource,
    measures: Measures = ...,
    *,
    profile: str = ...,
    missing: str = ...,
    relevance: int = ...,
    collection_size: int | None = ...,
    ignore_identical_ids: bool = ...,
) -> Results: ...


def evaluate(
    run: RunSource | Mapping[str, RunSource] | Sequence[RunSource],
    qrels: QrelsSource,
    measures: Measures = GRADED_MEASURES,
    *,
    profile: str = PROFILES[0],
    missing: str = "all",
    relevance: int = 1,
    collection_size: int | None = None,
    ignore_identical_ids: bool = False,
) -> Result | Results:
    """Score one run, or several.

    Parameters
    ----------
    run
        One run: the path of a file, plain or packed; a mapping topic -> docno -> score; tuples ``(topic,
        docno, score)``; or a data frame of pandas or polars (`read_run` names its columns). Or several: a
        sequence of runs, or a mapping name -> run.
    qrels
        In the same forms, with a whole number, the grade, in place of the score.
    measures
        Names as ir_measures or trec_eval writes them, in one text or in a row: ``"nDCG@10 AP RBP(p=0.9)"``,
        ``["map", "P_5"]``. `measures` lists all.
    profile
        Whose numbers: ``"trec_eval-9"`` compares scores as 32-bit numbers, as for NIST's published scores,
        ``"trec_eval-10"`` as 64-bit ones.
    missing
        ``"all"``: the mean is over every topic of the qrels, and a topic that the run lacks scores 0.
        ``"intersection"``: it is over the topics that both have.
    relevance
        The grade from which a document is relevant, for measures that do not say.
    collection_size
        How many documents the collection has, for measures that count what was not retrieved.
    ignore_identical_ids
        Whether a retrieved document whose docno is the topic is left out, as BEIR does (ArguAna, Quora).

    Returns
    -------
    Result or Results
        A `Result` for one run, `Results` (name -> `Result`) for several.

    Raises
    ------
    Refused
        For files, values, options and measures that cannot be taken. It is a ValueError; its message names
        the file and line, the row or the keys, and what was expected there.

    Examples
    --------
    >>> import jurypool as jp
    >>> run = {"7": {"D1": 3.0, "D2": 2.0}, "8": {"D1": 1.0}}
    >>> qrels = {"7": {"D1": 1, "D3": 2}, "8": {"D1": 0, "D2": 1}}
    >>> jp.evaluate(run, qrels, "AP P@1")
    run      AP     P@1
    run  0.2500  0.5000
    (profile trec_eval-9; a topic that a run lacks scores 0; relevant from grade 1; 2 topics)
    >>> jp.evaluate({"mine": run, "theirs": [("8", "D2", 1.0)]}, qrels, "AP").means("AP")
    {'mine': 0.25, 'theirs': 0.5}
    """
    asked = measures_of(measures)
    _check_options(profile, missing, relevance, collection_size)
    check_measures(asked, collection_size, "collection_size")
    index = index_of(qrels, asked)

    def score(name: str, columns: RunFile, place: str) -> Result:
        common_topics(place, columns, index)
        scores = evaluate_run(
            columns, index, asked, profile, missing, relevance, collection_size, ignore_identical_ids
        )
        return Result(name, scores, columns.topics, index.topics)

    source: Any = list(run) if isinstance(run, Iterator) else run
    read = read_runs(source)
    if is_one_run(source):
        ((name, columns),) = read.items()
        return score(name, columns, os.fspath(source) if is_path(source) else name)
    return Results(
        {name: score(name, columns, name) for name, columns in progress(read.items(), "runs scored")}
    )


def measures_of(measures: Measures) -> list[Measure]:
    """Return measures by name, each once. Raises Refused for an unknown one, and for none."""
    names = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else list(measures)
    names = [str(name) if type(name).__module__.startswith("ir_measures.") else name for name in names]
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise Refused(f"expected names of measures, found {wrong[0]!r}")
    parsed_measures = list(dict.fromkeys(parse_measures(" ".join(names))))
    if not parsed_measures:
        raise Refused("expected at least one measure, found none")
    return parsed_measures


def index_of(qrels: QrelsSource, measures: Sequence[Measure]) -> QrelsIndex:
    """Return qrels in any form, read as the measures need them."""
    if isinstance(qrels, Qrels):
        if not reads_iterations(measures) and may_repeat(as_words(qrels.docnos), qrels.offsets):
            raise Refused("expected qrels that have each document once in a topic")
        return index_as_needed(qrels, measures)
    if is_path(qrels) and parquet_frame(qrels) is None:
        return read_index(read_file(qrels), os.fspath(qrels), measures)
    source: Any = list(qrels) if isinstance(qrels, Iterator) else qrels
    needs = required_judgments(measures)
    if "preferences" in needs:
        raise Refused("expected a file: measures of preferences read preferences from files alone")
    if "strata" in needs:
        return index_qrels(read_qrels(source, strata=True))
    return index_as_needed(read_qrels(source, by_iteration=reads_iterations(measures)), measures)


def _check_options(profile: str, missing: str, relevance: int, collection: int | None) -> None:
    """Raise Refused for options that the engine does not know."""
    if profile not in PROFILES:
        raise Refused(f"expected the profile {' or '.join(PROFILES)}, found {profile!r}")
    if missing not in ("all", "intersection"):
        raise Refused(f"expected missing topics 'all' or 'intersection', found {missing!r}")
    for option, value in (("relevance", relevance), ("collection_size", collection)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise Refused(f"expected a whole number of 0 or more as {option}, found {value!r}")


@dataclass(frozen=True)
class MeasureFacts:
    """What a measure is.

    Attributes
    ----------
    name
        As ir_measures writes it.
    usage
        How it is written, with the defaults of its parameters.
    meaning, formula, where
        In one line; for one topic; what the formula's own signs mean and what is undefined.
    direction
        Which values are better: ``"higher"``, ``"lower"`` or ``"neither"``.
    parameters
        Name -> `Parameter`: its default, what it means, its lowest and highest number, its words.
    range
        The smallest and the largest value that it can take.
    needs
        What it reads: ``"qrels"``, or qrels with ``"judges"``, ``"subtopics"`` or ``"strata"``, or
        ``"preferences"``.
    trec_eval
        Its name there, "" where it has none.
    source
        Who defined it.
    """

    name: str
    usage: str
    meaning: str
    formula: str
    where: str
    direction: Direction
    parameters: Mapping[str, Parameter]
    range: tuple[float, float]
    needs: str
    trec_eval: str
    source: str

    def _repr_html_(self) -> str:
        return fields_html(self)

    def __str__(self) -> str:
        better = {"higher": "higher is better", "lower": "lower is better", "neither": "no value is better"}
        low, high = ("any" if abs(end) == inf else f"{end:g}" for end in self.range)
        lines = [
            f"{self.usage}: {self.meaning}",
            f"  formula: {self.formula}",
            *([f"  where: {self.where}"] if self.where else []),
            *(f"  {name}: {parameter.meaning}" for name, parameter in self.parameters.items()),
            f"  values: {low} to {high}; {better[self.direction]}",
            *([f"  trec_eval: {self.trec_eval}"] if self.trec_eval else []),
            f"  source: {self.source}",
        ]
        return "\n".join(lines)


def measure(name: str) -> MeasureFacts:
    """Return what a measure is.

    Examples
    --------
    >>> import jurypool as jp
    >>> facts = jp.measure("RBP")
    >>> facts.usage, facts.direction, facts.parameters["p"].default
    ('RBP(p=0.8, rel=, max_rel=)[@k]', 'higher', 0.8)
    """
    kind = KINDS.get(ALIASES.get(name, name))
    return _facts(kind or measures_of(name)[0].kind)


def measures() -> list[MeasureFacts]:
    """Return what every measure is, by name.

    Examples
    --------
    >>> import jurypool as jp
    >>> [facts.name for facts in jp.measures() if facts.direction == "lower"][:3]
    ['Fallout', 'FN', 'FP']
    """
    return [_facts(kind) for kind in sorted(KINDS.values(), key=lambda kind: kind.name.lower())]


def _facts(kind: MeasureKind) -> MeasureFacts:
    return MeasureFacts(
        name=kind.name,
        usage=signature(kind),
        meaning=kind.meaning,
        formula=kind.formula,
        where=kind.where,
        direction=kind.direction,
        parameters=kind.parameters,
        range=(kind.low, kind.high),
        needs=kind.needs,
        trec_eval=kind.trec_eval or kind.trec_eval_cut,
        source=kind.citation,
    )
