"""Runs against qrels: values per topic, and their means as trec_eval takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pooling.columns import Flags, Vector
from pooling.runfile import Run

from .hits import PROFILES, Hits, find_hits
from .index import QrelsIndex, index_qrels
from .measure import Kind, Measure

Missing = Literal["all", "intersection"]
MIN_GEOMETRIC = 1e-5  # what a geometric mean takes for 0
KEPT_WHEN_MISSING = {"NumQ", "NumRel"}  # of a topic that the run lacks


@dataclass(frozen=True, eq=False)
class Scores:
    """What a run scored.

    topics: in byte order. measures: as asked. values: float64 of shape (topics, measures). means: float64 of
    shape (measures,): the mean over topics, the sum for counts, the geometric mean for GMAP and its like;
    with no topic at all, 0. profile, missing: as given, to be shown beside every score.
    """

    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: npt.NDArray[np.float64]
    means: Vector
    profile: str
    missing: str


def evaluate(
    run: Run,
    index: QrelsIndex,
    measures: Sequence[Measure],
    profile: str = "trec_eval-9",
    missing: str = "all",
    relevance: int = 1,
    collection: int | None = None,
) -> Scores:
    """Score a run.

    profile: "trec_eval-9" (scores compared as float32) or "trec_eval-10" (as float64). missing: "all"
    averages over every topic of the qrels, a topic that the run lacks scoring 0 (trec_eval -c);
    "intersection" over the topics that both have. relevance: the grade from which a document is relevant, for
    measures that do not say. collection: how many documents the collection has (N), for measures that count
    those which were not retrieved and do not say. Topics of the run without qrels are ignored. Raises
    ValueError for another profile or choice, BadMeasure for a measure that needs N, subtopics or strata and
    does not get them.
    """
    return score(find_hits(run, index, profile, relevance), measures, missing, collection)


def score(
    hits: Hits, measures: Sequence[Measure], missing: str = "all", collection: int | None = None
) -> Scores:
    """Score judged hits, which `find_hits` gives: what `evaluate` does after the run is read."""
    if missing not in ("all", "intersection"):
        raise ValueError(f"expected missing topics 'all' or 'intersection', found {missing!r}")
    chosen: Flags = hits.in_run if missing == "intersection" else np.ones(hits.topics, dtype=bool)
    values, means = np.empty((int(chosen.sum()), len(measures))), np.empty(len(measures))
    for column, measure in enumerate(measures):
        values[:, column], means[column] = _column(hits, measure, chosen, collection)
    topics = tuple(topic for topic, kept in zip(hits.index.topics, chosen.tolist(), strict=True) if kept)
    return Scores(topics, tuple(measures), values, means, hits.profile, missing)


def _column(hits: Hits, measure: Measure, chosen: Flags, collection: int | None) -> tuple[Vector, float]:
    """Return one measure's values of the chosen topics, and its value over them."""
    kind, arguments = measure.kind, measure.arguments
    if arguments.get("N", 0) is None:
        arguments["N"] = collection
    values = kind.compute(hits, **arguments)
    if not (kind.counted_when_missing or kind.name in KEPT_WHEN_MISSING):
        values = np.where(hits.in_run, values, 0.0)
    if kind.parts is None:
        return values[chosen], mean(values[chosen], kind)
    part, whole = (np.append(0.0, np.cumsum(column[chosen]))[-1] for column in kind.parts(hits, **arguments))
    return values[chosen], float(part / whole) if whole else 0.0


def mean(values: Vector, kind: Kind) -> float:
    """Return a measure's value over topics, as trec_eval computes it: one value added after the other.

    `np.mean` adds in pairs, and prints another fourth digit in one of eight means of P@20-like values.
    """
    if not len(values):
        return 0.0
    if kind.average == "geometric":
        logs = np.log(np.maximum(values, MIN_GEOMETRIC))
        return float(np.exp(np.cumsum(logs)[-1] / len(values)))
    total = float(np.cumsum(values)[-1])
    return total if kind.average == "sum" else total / len(values)


__all__ = ["PROFILES", "QrelsIndex", "Scores", "evaluate", "index_qrels", "mean", "score"]
