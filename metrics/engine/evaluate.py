"""Scores of runs against qrels: values per topic, and their aggregates as trec_eval computes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from metrics.engine.hits import Hits, Settings, find_hits, ratio
from metrics.engine.qrels_index import QrelsIndex
from metrics.measures.base import Measure
from pooling.arrays import Flags, Matrix, Vector
from pooling.formats.run_order import count_lost_orders
from pooling.formats.runs import RunFile

MIN_GEOMETRIC = 1e-5  # the lower limit of values in a geometric mean
COMPUTED_WHEN_MISSING = {"NumQ", "NumRel"}  # measures of a topic that the run lacks


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """The scores of a run.

    topics: in byte order. measures: as requested. values: float64 of shape (topics, measures). means: float64
    of shape (measures,): the mean over topics, the sum for counts, the geometric mean for GMAP and GMbpref,
    the micro average for micro measures; 0 without topics. profile, missing, relevance: the settings. notes:
    what is odd about the run, see `run_notes`; empty where only the hits were scored.
    ignore_identical_ids: as in `evaluate`.
    """

    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Matrix
    means: Vector
    profile: str
    missing: str
    relevance: int
    notes: tuple[str, ...] = ()
    ignore_identical_ids: bool = False

    @property
    def profile_name(self) -> str:
        """The profile, and whether documents with the identifier of their topic were left out."""
        return f"{self.profile}, identical ids ignored" if self.ignore_identical_ids else self.profile


def evaluate(
    run: RunFile,
    index: QrelsIndex,
    measures: Sequence[Measure],
    profile: str = "trec_eval-9",
    missing: str = "all",
    relevance: int = 1,
    collection: int | None = None,
    ignore_identical_ids: bool = False,
) -> Scores:
    """Score a run.

    profile: "trec_eval-9" (scores compared as float32) or "trec_eval-10" (as float64). missing: "all"
    averages over every topic of the qrels, a topic that the run lacks scoring 0 (trec_eval -c);
    "intersection" over the topics that both have. relevance: the grade from which a document is relevant, for
    measures without a threshold of their own. collection: the number of documents in the collection, for
    measures that count documents that were not retrieved. ignore_identical_ids: leave out a retrieved
    document whose docno is the topic, as BEIR does, and note how many. Topics of the run without qrels are
    ignored. Raises ValueError for another profile or choice, and BadMeasure (a ValueError) for a measure that
    needs qrels of another form.
    """
    left_out = 0
    if ignore_identical_ids:
        run, left_out = without_identical_ids(run)
    hits = find_hits(run, index, Settings(profile, relevance, collection))
    notes = run_notes(run, hits)
    if left_out:
        notes = (f"{left_out:,} retrieved documents whose docno is the topic are left out", *notes)
    scores = score(hits, measures, missing)
    return replace(scores, notes=notes, ignore_identical_ids=ignore_identical_ids)


def without_identical_ids(run: RunFile) -> tuple[RunFile, int]:
    """Return the run without documents whose docno is their topic, and how many these are.

    Such collections search for documents like a document of their own (ArguAna, Quora); BEIR leaves it out.
    """
    topics = np.array([topic.encode() for topic in run.topics], dtype=np.bytes_)
    others = topics[run.topic_of_rows()] != run.docnos
    if others.all():
        return run, 0
    counts = np.bincount(run.topic_of_rows()[others], minlength=len(topics))
    kept = counts > 0
    offsets = np.append(0, np.cumsum(counts[kept]))
    left = tuple(topic for topic, is_kept in zip(run.topics, kept.tolist(), strict=True) if is_kept)
    shorter = replace(run, topics=left, offsets=offsets, docnos=run.docnos[others], scores=run.scores[others])
    return shorter, int(np.count_nonzero(~others))


def run_notes(run: RunFile, hits: Hits) -> tuple[str, ...]:
    """Return what a person should know about the scores of this run: no judged documents, lost precision."""
    notes = []
    if not len(hits.topic):
        notes.append("no document of this run is in the qrels")
    if hits.profile == "trec_eval-9" and (lost := count_lost_orders(run)):
        notes.append(
            f"{lost:,} documents have different scores that are equal as 32-bit numbers; they are ordered by"
            " docno, as in trec_eval 9 (trec_eval-10 compares 64-bit numbers)"
        )
    return tuple(notes)


def score(hits: Hits, measures: Sequence[Measure], missing: str = "all") -> Scores:
    """Score the judged hits from `find_hits`, as `evaluate` does."""
    if missing not in ("all", "intersection"):
        raise ValueError(f"expected missing topics 'all' or 'intersection', found {missing!r}")
    chosen: Flags = hits.in_run if missing == "intersection" else np.ones(hits.topics, dtype=bool)
    values = topic_values(hits, measures)
    topics = tuple(topic for topic, flag in zip(hits.index.topics, chosen.tolist(), strict=True) if flag)
    means = aggregate(hits, measures, values, chosen)
    return Scores(
        topics, tuple(measures), values[chosen], means, hits.profile, missing, hits.setting.relevance
    )


def aggregate(
    hits: Hits, measures: Sequence[Measure], values: Matrix | None = None, chosen: Flags | None = None
) -> Vector:
    """Return the aggregate of each measure over topics, shape (measures,).

    The aggregate is the mean, sum, geometric mean or micro average. The micro average is the sum of
    numerators over the sum of denominators and needs the hits. values: from `topic_values`, if already
    computed. chosen: flags of topics, by default all.
    """
    rows = np.ones(hits.topics, dtype=bool) if chosen is None else chosen
    values = (topic_values(hits, measures) if values is None else values)[rows]
    aggregates = np.empty(len(measures))
    micro = np.array([measure.kind.parts is not None for measure in measures], dtype=bool)
    others = [measure for measure in measures if measure.kind.parts is None]
    aggregates[~micro] = means_of(values[:, ~micro], others)
    for column in np.flatnonzero(micro).tolist():
        measure = measures[column]
        assert measure.kind.parts
        part, whole = measure.kind.parts(hits, **measure.arguments)
        aggregates[column] = ratio(part[rows].sum(keepdims=True), whole[rows].sum(keepdims=True))[0]
    return aggregates


def topic_values(hits: Hits, measures: Sequence[Measure]) -> Matrix:
    """Return one value per topic of the qrels and measure, shape (topics, measures)."""
    values = np.empty((len(measures), hits.topics))
    lacking = not hits.in_run.all()
    for row, measure in zip(values, measures, strict=True):
        row[:] = measure.kind.compute(hits, **measure.arguments)
        if lacking and not _kept_when_missing(measure, hits.profile):
            row[~hits.in_run] = 0.0
    return values.T


def deepest_cutoff(measures: Sequence[Measure]) -> float:
    """Return the deepest rank that any of the measures reads; inf if one reads all ranks.

    A measure of judged documents only reads all ranks: without unjudged documents others move up.
    """

    def depth(measure: Measure) -> float:
        known = measure.kind.cutoff is int and not measure.arguments.get("judged_only")
        return inf if measure.cutoff is None or not known else measure.cutoff

    return max(map(depth, measures), default=inf)


def _kept_when_missing(measure: Measure, profile: str) -> bool:
    """Tell whether a topic that the run lacks keeps its computed value; otherwise it scores 0."""
    if measure.kind.name in COMPUTED_WHEN_MISSING or measure.kind.missing == "always":
        return True
    missing = measure.kind.missing if profile == "trec_eval-10" else "zero"
    return missing == "computed" or (missing == "labelled" and measure.label != "")


def means_of(values: Matrix, measures: Sequence[Measure], logs: bool = False) -> Vector:
    """Return the mean, sum or geometric mean of each measure, adding values one after the other as trec_eval.

    values: shape (topics, measures). logs: whether the values of geometric means are logarithms already, as
    z-scores are. `np.mean` adds in pairs, which changes the fourth printed digit in one of eight means of
    P@20-like values. Raises ValueError for a micro average, which needs the hits: see `aggregate`.
    """
    if micro := [measure.name for measure in measures if measure.kind.parts is not None]:
        raise ValueError(f"{micro[0]} is not a mean of its topics' values: use `aggregate`")
    if not len(values):
        return np.zeros(len(measures))
    average = np.array([measure.kind.average for measure in measures], dtype=np.str_)
    geometric = average == "geometric"
    if geometric.any() and not logs:
        values = values.copy()
        values[:, geometric] = np.log(np.maximum(values[:, geometric], MIN_GEOMETRIC))
    totals: Vector = np.cumsum(values, axis=0)[-1]
    means = np.where(average == "sum", totals, totals / len(values))
    return np.where(geometric, np.exp(np.where(geometric, means, 0.0)), means)
