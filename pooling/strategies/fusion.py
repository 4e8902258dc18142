"""Fusion of runs: each document of a topic gets a score from its places in the runs, known before judging.

Every function returns float64 of shape (documents,), beside `Candidates.documents`. The order in which the
runs come does not matter: shares by rank are added from the best rank down, all other sums are exact.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pooling.arrays import Vector
from pooling.strategies.candidates import Candidates

SCORE_STEP = 2.0**-40
"""Shares of scores are rounded to it, so that the sum over a few thousand runs is exact in any order."""


def reciprocal_rank_fusion(candidates: Candidates, constant: float = 60) -> Vector:
    """RRF: the sum of 1 / (constant + rank) over the runs (Cormack, Clarke & Buettcher 2009)."""
    return _by_rank(candidates, lambda rank: 1 / (constant + rank))


def rank_biased(candidates: Candidates, p: float = 0.8) -> Vector:
    """RBP-sum: the sum of (1 - p) p^(rank - 1) over the runs (Moffat, Webber & Zobel 2007, method A)."""
    return _by_rank(candidates, lambda rank: (1 - p) * p ** (rank - 1))


def inverse_square_rank(candidates: Candidates) -> Vector:
    """ISR: the number of runs that hold the document, times the sum of 1 / rank^2 (Mourao et al. 2013)."""
    return candidates.documents.run_counts * _by_rank(candidates, lambda rank: 1 / rank**2)


def _by_rank(candidates: Candidates, share: Callable[[int], float]) -> Vector:
    deepest = int(candidates.postings.ranks.max(initial=0))
    shares = np.array([0.0, *map(share, range(1, deepest + 1))])
    return candidates.summed(shares[candidates.postings.ranks])


def borda(candidates: Candidates) -> Vector:
    """Borda count: of c candidates a run gives its first c points, its second c - 1 and so on; those that it
    does not hold share the rest equally (Aslam & Montague 2001)."""
    return candidates.keep("borda", lambda: _borda(candidates))


def _borda(candidates: Candidates) -> Vector:
    counts, lengths = np.diff(candidates.bounds), candidates.lengths
    leftover = np.where(lengths > 0, (counts - lengths + 1) / 2, 0.0)
    of_documents = candidates.documents.topics
    given = counts[of_documents][candidates.postings.documents] - candidates.postings.ranks + 1
    # as if every run held none of them, then corrected for those that do; halves are exact
    points: Vector = leftover.sum(axis=0)[of_documents]
    return points + candidates.summed(given - candidates.by_find(leftover))


def combsum(candidates: Candidates) -> Vector:
    """CombSUM: the sum of the runs' scores (Fox & Shaw 1994), each run's brought to 0..1 (Lee 1997).

    A run's lowest document counts as one that it does not hold; where all scores of a run are equal each
    counts 1, as its first one does elsewhere. Shares are whole multiples of `SCORE_STEP`.
    """
    return candidates.keep("combsum", lambda: candidates.summed(min_max(candidates)))


def combmnz(candidates: Candidates) -> Vector:
    """CombMNZ: CombSUM times the number of runs that hold the document (Fox & Shaw 1994; Lee 1997)."""
    return candidates.documents.run_counts * combsum(candidates)


def min_max(candidates: Candidates) -> Vector:
    """Return the score of every posting, scaled to 0..1 within its run and topic; shape (postings,)."""
    # halved, because the whole spread may exceed all doubles
    postings, lists, scores = candidates.postings, candidates.lists_of_finds, candidates.scores / 2
    low, high = np.zeros((2, candidates.lengths.size))
    first = np.flatnonzero(postings.ranks == 1)
    last = np.flatnonzero(postings.ranks == candidates.by_find(candidates.lengths))
    high[lists[first]], low[lists[last]] = scores[first], scores[last]
    spread = high - low
    within = np.where(spread > 0, spread, 1.0)
    shares = (scores - candidates.by_find(low)) / candidates.by_find(within)
    shares[~(candidates.by_find(spread) > 0)] = 1.0
    grains: Vector = np.rint(shares / SCORE_STEP) * SCORE_STEP
    return grains
