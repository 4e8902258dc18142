"""Many rankings of systems compared with one: ranks, swaps and rank correlation, vectorised.

A ranking is a vector of scores, higher is better; `ranking` says which scores are tied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.rankings.rank_overlap import PERSISTENCE, checked_persistence, depth_weights, shares_above
from metrics.rankings.ranking import levelled, tie_places, tie_width
from pooling.arrays import Flags, IntVector, Matrix, Vector

Counts = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False, repr=False)
class RankingComparison:
    """Many rankings of n >= 2 systems against one reference ranking.

    tau_a, tau_ap_a, rbo_a: float64 of shape (rankings,). balance: concordant less discordant pairs; untied:
    pairs that the ranking does not tie, both of shape (rankings,). untied_in_reference: such pairs there.
    ranks: shape (systems, rankings), from 1, tied systems sharing the better rank. swaps: int64 of shape
    (systems, systems): the number of rankings in which the row's system, better in the reference, is
    below the column's.
    """

    tau_a: Vector
    tau_ap_a: Vector
    rbo_a: Vector
    balance: Vector
    untied: IntVector
    untied_in_reference: int
    ranks: Counts
    swaps: IntVector


def compare_rankings(reference: Vector, rankings: Matrix, p: float = PERSISTENCE) -> RankingComparison:
    """Compare many rankings with one; `rank_correlation` defines the coefficients.

    reference: shape (systems,), at least two. rankings: scores of shape (systems, rankings), a ranking in
    each column; memory is a few times theirs.
    """
    n = len(rankings)
    order = np.argsort(-levelled(reference), kind="stable")
    above, size = (column[order] for column in tie_places(reference))
    tally = _PairCounts(above + size, np.ascontiguousarray(rankings[order]))
    pairs = n * (n - 1) // 2
    untied = tally.above.sum(axis=0, dtype=np.int64)
    # a pair that is tied in the reference counts half
    balance = tally.right.sum(axis=0, dtype=np.int64) - untied
    correct, overlap = _shares(tally, _overlap_table(above, size, checked_persistence(p)), untied < pairs)
    back = np.argsort(order)
    return RankingComparison(
        tau_a=balance / pairs,
        tau_ap_a=2 * correct.sum(axis=0) / (n - 1) - 1,
        rbo_a=overlap.sum(axis=0),
        balance=balance.astype(np.float64),
        untied=untied,
        untied_in_reference=pairs - int((size - 1).sum()) // 2,
        ranks=tally.above[back] + tally.above.dtype.type(1),
        swaps=tally.swaps[np.ix_(back, back)],
    )


class _PairCounts:
    """Counts over the pairs of systems of every ranking. Systems are in the order of the reference.

    above: the number of systems above each one, shape (systems, rankings); right: twice the number of those
    that are above it in the reference too, plus once the number of those tied with it there.
    """

    def __init__(self, ends: IntVector, scores: Matrix) -> None:
        """ends: the end of each system's tie group in the reference, shape (systems,)."""
        n = len(scores)
        # the narrowest type for twice the number of systems: memory access is most of the work
        count: type[np.unsignedinteger] = np.uint8 if n <= 128 else np.uint16 if n <= 32_768 else np.uint32
        self.ends, self.scores, self.width = ends, scores, tie_width(scores)
        self.above: Counts = np.zeros(scores.shape, dtype=count)
        self.right: Counts = np.zeros(scores.shape, dtype=count)
        self.swaps: IntVector = np.zeros((n, n), dtype=np.int64)
        for system in range(n - 1):
            self._against_the_next(system, int(ends[system]))

    def _against_the_next(self, system: int, end: int) -> None:
        """Compare a system with those tied with it in the reference, up to `end`, and those below it."""
        here, rest = self.scores[system], self.scores[system + 1 :]
        won = (rest < here - self.width).view(np.uint8)
        lost = rest > here + self.width
        self.above[system + 1 :] += won
        self.right[system + 1 :] += won
        self.right[end:] += won[end - system - 1 :]
        self.above[system] += lost.view(np.uint8).sum(axis=0, dtype=self.above.dtype)
        if end > system + 1:
            tied = lost[: end - system - 1].view(np.uint8)
            self.right[system] += tied.sum(axis=0, dtype=self.right.dtype)
        for other in range(end, len(self.scores)):
            self.swaps[system, other] = np.count_nonzero(lost[other - system - 1])

    def tie_groups(self) -> tuple[Counts, Counts]:
        """Return size and right_within, each of shape (systems, rankings).

        size: of each system's tie group, with itself. right_within: twice the number of systems of the group
        above it in the reference, plus once the number of those tied with it there.
        """
        size: Counts = np.ones(self.above.shape, dtype=self.above.dtype)
        within: Counts = np.zeros(self.above.shape, dtype=self.above.dtype)
        for system in range(len(size) - 1):
            end = int(self.ends[system])
            same = (self.above[system + 1 :] == self.above[system]).view(np.uint8)
            size[system + 1 :] += same
            size[system] += same.sum(axis=0, dtype=size.dtype)
            within[system + 1 :] += same
            within[end:] += same[end - system - 1 :]
            if end > system + 1:
                within[system] += same[: end - system - 1].sum(axis=0, dtype=size.dtype)
        return size, within


def _shares(tally: _PairCounts, table: Matrix, tied: Flags) -> tuple[Matrix, Matrix]:
    """Return the terms of each system in tau_AP and in RBO, each of shape (systems, rankings).

    In tau_AP the term is the share of the systems above it that are above it in the reference too. For a tied
    system both are expected values over the ranks of its tie group. tied: which rankings have ties.
    """
    correct = tally.right / (2.0 * np.maximum(tally.above, 1))
    gains = np.diff(table, axis=0).T
    overlap = np.stack([np.take(gain, first) for gain, first in zip(gains, tally.above, strict=True)])
    if tied.any():
        size, within = tally.tie_groups()
        system, ranking = np.nonzero(size > 1)
        a, t = (counts[system, ranking].astype(np.int64) for counts in (tally.above, size))
        right, right_within = tally.right[system, ranking], within[system, ranking]
        correct[system, ranking] = _expected_share(a, t, right, right_within, len(size))
        overlap[system, ranking] = (table[a + t, system] - table[a, system]) / t
    return correct, overlap


def _expected_share(a: IntVector, t: IntVector, right: Counts, within: Counts, n: int) -> Vector:
    """Return the expected share of the systems above a tied one that are above it in the reference too.

    a: the number of systems above its group, t > 1: the size of the group. In a random order of the group
    with k of it above the system, a + k systems are above it, each one of the group with probability
    k / (t - 1). right, within: twice the numbers, above the group and in it, that are truly above the system.
    """
    upto = np.concatenate([[0.0], np.cumsum(1 / np.arange(1.0, n + 1))])
    inverse = upto[a + t - 1] - upto[np.maximum(a - 1, 0)]  # the sum of 1/(a + k) over k with a + k > 0
    parts = np.where(a > 0, t - a * inverse, t - 1)  # the sum of k/(a + k) over the same
    expected: Vector = (right * inverse + within * parts / (t - 1)) / (2 * t)
    return expected


def _overlap_table(above: IntVector, size: IntVector, p: float) -> Matrix:
    """Return the sum of a system's terms in RBO over the first r ranks, shape (r = 0 … n, systems).

    Systems are in the order of the reference, in which `above` systems are above a system's tie group of
    `size` systems.
    """
    n = len(above)
    shares = shares_above(above, size, n) * (depth_weights(n, p) / np.arange(1, n + 1))[:, None]
    at_place = np.cumsum(shares[::-1], axis=0)[::-1]  # it counts from this depth on
    return np.concatenate([np.zeros((1, n)), np.cumsum(at_place, axis=0)])
