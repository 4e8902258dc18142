"""Runs against qrels: values per topic, and their means as trec_eval takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

from metrics.hits import PROFILES, Hits, Setting, find_hits, ratio
from metrics.index import QrelsIndex, index_qrels
from metrics.measure import Measure
from pooling.arrays import Flags, Vector
from pooling.formats.runs import Run

Values = npt.NDArray[np.float64]
MIN_GEOMETRIC = 1e-5  # what a geometric mean takes for 0
KEPT_WHEN_MISSING = {"NumQ", "NumRel"}  # of a topic that the run lacks


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """What a run scored.

    topics: in byte order. measures: as asked. values: float64 of shape (topics, measures). means: float64 of
    shape (measures,): the mean over topics, the sum for counts, the geometric mean for GMAP and its like;
    with no topic at all, 0. profile, missing: as given, to be shown beside every score.
    """

    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Values
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
    "intersection" over the topics that both have. relevance: the grade from which a document is relevant,
    for measures that do not say. collection: how many documents the collection has, for measures that count
    what was not retrieved. Topics of the run without qrels are ignored. Raises ValueError for another
    profile or choice, and BadMeasure (a ValueError) for a measure that needs qrels of another form.
    """
    return score(find_hits(run, index, Setting(profile, relevance, collection)), measures, missing)


def score(hits: Hits, measures: Sequence[Measure], missing: str = "all") -> Scores:
    """Score judged hits, which `find_hits` gives: what `evaluate` does after the run is read."""
    if missing not in ("all", "intersection"):
        raise ValueError(f"expected missing topics 'all' or 'intersection', found {missing!r}")
    chosen: Flags = hits.in_run if missing == "intersection" else np.ones(hits.topics, dtype=bool)
    values = values_of(hits, measures)
    topics = tuple(topic for topic, kept in zip(hits.index.topics, chosen.tolist(), strict=True) if kept)
    means = aggregated(hits, measures, values, chosen)
    return Scores(topics, tuple(measures), values[chosen], means, hits.profile, missing)


def aggregated(
    hits: Hits, measures: Sequence[Measure], values: Values | None = None, chosen: Flags | None = None
) -> Vector:
    """Return each measure over topics: mean, sum, geometric mean or micro average, shape (measures,).

    This is the only place that knows the micro average, which is the sum of parts over the sum of wholes and
    cannot be had from values alone. values: of `values_of`, where they are known. chosen: topics, all of them
    by default.
    """
    kept = np.ones(hits.topics, dtype=bool) if chosen is None else chosen
    values = (values_of(hits, measures) if values is None else values)[kept]
    found = np.empty(len(measures))
    micro = np.array([measure.kind.parts is not None for measure in measures], dtype=bool)
    others = [measure for measure in measures if measure.kind.parts is None]
    found[~micro] = means_of(values[:, ~micro], others)
    for column in np.flatnonzero(micro).tolist():
        measure = measures[column]
        assert measure.kind.parts
        part, whole = measure.kind.parts(hits, **measure.arguments)
        found[column] = ratio(part[kept].sum(keepdims=True), whole[kept].sum(keepdims=True))[0]
    return found


def values_of(hits: Hits, measures: Sequence[Measure]) -> Values:
    """Return one value per topic of the qrels and measure, shape (topics, measures)."""
    values = np.empty((len(measures), hits.topics))
    lacking = not hits.in_run.all()
    for row, measure in zip(values, measures, strict=True):
        row[:] = measure.kind.compute(hits, **measure.arguments)
        if lacking and not _kept_when_missing(measure, hits.profile):
            row[~hits.in_run] = 0.0
    return values.T


def deepest(measures: Sequence[Measure]) -> float:
    """Return the rank below which documents are irrelevant to all of the measures; inf where there is none.

    Once what nobody judged is left out, other documents stand above the cut-off.
    """

    def depth(measure: Measure) -> float:
        known = measure.kind.cutoff is int and not measure.arguments.get("judged_only")
        return inf if measure.cutoff is None or not known else measure.cutoff

    return max(map(depth, measures), default=inf)


def _kept_when_missing(measure: Measure, profile: str) -> bool:
    """Tell whether a topic that the run lacks has a value other than 0."""
    if measure.kind.name in KEPT_WHEN_MISSING or measure.kind.missing == "always":
        return True
    missing = measure.kind.missing if profile == "trec_eval-10" else "zero"
    return missing == "computed" or (missing == "labelled" and measure.label != "")


def means_of(values: Values, measures: Sequence[Measure], logs: bool = False) -> Vector:
    """Return each measure's value over topics, as trec_eval computes it: one value added after the other.

    values: shape (topics, measures). logs: the values of geometric means are logarithms already, as z-scores
    are. `np.mean` adds in pairs, and prints another fourth digit in one of eight means of P@20-like values.
    Raises ValueError for a micro average, which needs the hits: see `aggregated`.
    """
    if micro := [measure.name for measure in measures if measure.kind.parts is not None]:
        raise ValueError(f"{micro[0]} is not a mean of its topics' values: `aggregated` gives it")
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


__all__ = [
    "PROFILES",
    "QrelsIndex",
    "Scores",
    "aggregated",
    "deepest",
    "evaluate",
    "index_qrels",
    "means_of",
    "score",
    "values_of",
]

if __name__ == "__main__":
    import sys

    from metrics.evaluate_cli import main

    sys.exit(main())
