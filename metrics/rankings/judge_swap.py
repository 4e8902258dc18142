"""The effect of the choice of judges on the ranking of systems (Voorhees 2000, assessor swap).

The draws exchange judges with each other, and the official qrels are based on the same judges' labels. A new
judge differs more: in simulations a new judge's tau is in the range of 95 % of the draws in 57 % of cases
with two judges, 85 % with three and 93 % with five.

In a draw every topic is scored under the grades of one judge, drawn at random. The scores of a system are
therefore sums over (judge, topic), and a hundred thousand qrels are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from metrics.rankings.many_rankings import RankingComparison, compare_rankings
from metrics.rankings.rank_correlation import (
    TAU_A,
    TAU_AP_A,
    TOO_FEW,
    Correlation,
    rank_biased_overlap,
    rbo_name,
    tau_and_tau_ap_a,
)
from metrics.rankings.rank_overlap import PERSISTENCE
from metrics.rankings.ranking import ranks
from pooling.arrays import Flags, IntVector, Matrix, Vector

DRAWS = 100_000
FEW_JUDGES = 3  # with so few, a new judge's ranking differs clearly more than the draws
BLOCK = 1 << 20  # the most numbers in an array of a block of draws
LOW, HIGH = 2.5, 97.5  # percentiles


@dataclass(frozen=True)
class Spread:
    """A coefficient of the drawn rankings and the official one. name: of the coefficient. n: systems.

    mean, median, low and high (2.5 and 97.5 %), lowest, highest: over the draws; None where the coefficient
    is undefined, `reason` then says why, and is "" otherwise.
    """

    name: str
    n: int
    mean: float | None = None
    median: float | None = None
    low: float | None = None
    high: float | None = None
    lowest: float | None = None
    highest: float | None = None
    reason: str = ""


class Swap(NamedTuple):
    """Two systems, `better` ranked above `worse` officially, and the share of draws that reverse them."""

    better: int
    worse: int
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Alternative:
    """One fixed choice of qrels against the official one. ranks: of the systems under it, (systems,)."""

    name: str
    tau: Correlation
    tau_ap: Correlation
    rbo: Correlation
    ranks: IntVector


@dataclass(frozen=True, eq=False, repr=False)
class JudgeSwap:
    """The result of a judge swap.

    topics: their number; varied: those with at least two judges. possible: the number of different qrels that
    can be drawn. draws, seed: to reproduce the result. ranks: official ones, shape (systems,); best, worst:
    over the draws; low, high: percentiles 2.5 and 97.5. swaps: int64 of shape (systems, systems), in how many
    draws the row's system, officially better, scored below the column's. alternatives: each judge who judged
    every topic, then the given ones.
    """

    topics: int
    varied: int
    possible: int
    draws: int
    seed: int
    tau: Spread
    tau_ap: Spread
    rbo: Spread
    ranks: IntVector
    best: IntVector
    worst: IntVector
    low: Vector
    high: Vector
    swaps: IntVector
    alternatives: tuple[Alternative, ...]

    @property
    def swapped(self) -> list[Swap]:
        """Every pair that is swapped in some draw, the most frequent first."""
        rows, columns = np.nonzero(self.swaps)
        shares = (self.swaps[rows, columns] / self.draws).tolist()
        swaps = map(Swap, rows.tolist(), columns.tolist(), shares)
        return sorted(swaps, key=lambda swap: (-swap.share, swap.better, swap.worse))


def swap_judges(
    scores: Matrix,
    judged: Flags,
    official: Matrix,
    draws: int = DRAWS,
    seed: int = 0,
    judges: tuple[str, ...] = (),
    alternatives: Mapping[str, Matrix] | None = None,
    p: float = PERSISTENCE,
) -> JudgeSwap:
    """Draw qrels with one judge for each topic, and compare the rankings of systems with the official one.

    scores: shape (judges, topics, systems), a system's score under one judge's grades; topics that a judge
    did not judge are ignored. judged: shape (judges, topics). official: shape (topics, systems), under the
    official qrels, which every draw uses for a topic without a judge. judges: their names, for the
    alternatives. alternatives: name (majority, union, intersection, …) -> scores of shape (topics, systems).
    p: of RBO.

    Systems are ranked by mean score; tied ones share the better rank, and coefficients take their expected
    value over random tie-breaking, so that ties are not swaps. Raises ValueError for shapes that do not fit,
    scores that are not finite, no topic, or fewer than one draw. Memory is bounded, whatever `draws`.
    """
    _check(scores, judged, official, draws)
    names = judges or tuple(f"judge {number}" for number in range(1, len(scores) + 1))
    if len(names) != len(scores):
        raise ValueError(f"expected {len(scores)} names of judges, found {len(names)}")
    fixed = {name: scores[j] for j, name in enumerate(names) if judged[j].all()} | dict(alternatives or {})
    reference = official.mean(axis=0)
    counts = judged.sum(axis=0)
    sums = _DrawSums(reference, draws)
    for totals in _drawn_totals(scores, judged, official, draws, seed):
        sums.add(totals / len(official), p)
    low, high = _rank_percentiles(sums.ranked)
    return JudgeSwap(
        topics=len(official),
        varied=int((counts > 1).sum()),
        possible=prod(np.maximum(counts, 1).tolist()),
        draws=draws,
        seed=seed,
        tau=sums.spread(TAU_A, 0),
        tau_ap=sums.spread(TAU_AP_A, 1),
        rbo=sums.spread(rbo_name(p), 2),
        ranks=ranks(reference),
        best=(sums.ranked > 0).argmax(axis=1) + 1,
        worst=len(reference) - (sums.ranked[:, ::-1] > 0).argmax(axis=1),
        low=low,
        high=high,
        swaps=sums.swaps,
        alternatives=tuple(_alternative(name, reference, matrix, p) for name, matrix in fixed.items()),
    )


def _check(scores: Matrix, judged: Flags, official: Matrix, draws: int) -> None:
    if scores.ndim != 3 or scores.shape[:2] != judged.shape or scores.shape[1:] != official.shape:
        shapes = f"{scores.shape}, {judged.shape} and {official.shape}"
        expected = "(judges, topics, systems), (judges, topics) and (topics, systems)"
        raise ValueError(f"expected scores, judged and official of shapes {expected}, found {shapes}")
    if not len(official):
        raise ValueError("expected at least one topic")
    if draws < 1:
        raise ValueError(f"expected at least one draw, found {draws}")
    if not (np.isfinite(scores[judged]).all() and np.isfinite(official).all()):
        raise ValueError("expected finite scores of every system where a judge judged, and official ones")


def _drawn_totals(scores: Matrix, judged: Flags, official: Matrix, draws: int, seed: int) -> Iterator[Matrix]:
    """Yield the systems' sums over topics under drawn qrels, shape (systems, some draws)."""
    rng = np.random.default_rng(seed)
    counts = judged.sum(axis=0)
    certain = np.where((counts == 0)[:, None], official, 0.0).sum(axis=0)
    # one column for each judge of each topic: [topic][its first judge, its second …]
    topic, judge = np.nonzero(judged.T)
    columns = np.ascontiguousarray(scores[judge, topic].T)
    position = np.arange(len(topic)) - (np.cumsum(counts) - counts)[topic]
    size = max(1, BLOCK // max(len(topic), 1))
    for start in range(0, draws, size):
        block = min(size, draws - start)
        drawn = np.zeros((len(counts), block), dtype=np.uint16)
        for count in np.unique(counts[counts > 1]).tolist():
            rows = np.flatnonzero(counts == count)
            drawn[rows] = rng.integers(count, size=(len(rows), block), dtype=np.uint16)
        chosen = (drawn[topic] == position[:, None]).astype(np.float64)
        yield columns @ chosen + certain[:, None]


class _DrawSums:
    """The sums over the draws, which are added a block at a time.

    ranked: int64 of shape (systems, systems): how often each system had each rank. coefficients: float64 of
    shape (3, draws): tau, tau_AP and RBO.
    """

    def __init__(self, reference: Vector, draws: int) -> None:
        self.reference = reference
        self.systems = len(reference)
        self.ranked: IntVector = np.zeros((self.systems, self.systems), dtype=np.int64)
        self.swaps: IntVector = np.zeros((self.systems, self.systems), dtype=np.int64)
        self.coefficients: Matrix = np.empty((3, draws))
        self.filled = 0

    def add(self, means: Matrix, p: float) -> None:
        """Add the systems' means under some draws, shape (systems, draws)."""
        if self.systems < 2:
            self.ranked += means.shape[1]
            return
        compared: RankingComparison = compare_rankings(self.reference, means, p)
        end = self.filled + means.shape[1]
        self.coefficients[:, self.filled : end] = compared.tau_a, compared.tau_ap_a, compared.rbo_a
        self.filled = end
        self.swaps += compared.swaps
        for system, row in enumerate(compared.ranks):
            self.ranked[system] += np.bincount(row, minlength=self.systems + 1)[1:]

    def spread(self, name: str, row: int) -> Spread:
        """Return the spread of a coefficient over the draws."""
        if self.systems < 2:
            return Spread(name, self.systems, reason=TOO_FEW)
        values = self.coefficients[row]
        low, median, high = np.percentile(values, [LOW, 50, HIGH]).tolist()
        mean, lowest, highest = float(values.mean()), float(values.min()), float(values.max())
        return Spread(name, self.systems, mean, median, low, high, lowest, highest)


def _rank_percentiles(ranked: IntVector) -> tuple[Vector, Vector]:
    """Return the least ranks that 2.5 and 97.5 % of the draws do not exceed, each of shape (systems,)."""
    upto = np.cumsum(ranked, axis=1)
    low, high = ((upto >= percentile / 100 * upto[:, -1:]).argmax(axis=1) + 1.0 for percentile in (LOW, HIGH))
    return low, high


def _alternative(name: str, reference: Vector, scores: Matrix, p: float) -> Alternative:
    if scores.shape[1:] != reference.shape:
        raise ValueError(f"expected scores of {len(reference)} systems in {name!r}, found {scores.shape}")
    means = scores.mean(axis=0)
    return Alternative(
        name,
        *tau_and_tau_ap_a(reference, means),
        rank_biased_overlap(reference, means, p),
        ranks(means),
    )
