"""The static orders of `scores` in columns: the same numbers for all topics and documents at once.

Every function returns float64 of shape (documents,), bit by bit what its namesake returns by docno.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pooling.columns import Vector

from .candidates import Candidates
from .scores import GRAIN, rank_biased_share, reciprocal_share


def reciprocal_rank_fusion(candidates: Candidates, constant: float = 60) -> Vector:
    """RRF (Cormack, Clarke & Buettcher 2009)."""
    return _by_rank(candidates, reciprocal_share(constant))


def rank_biased(candidates: Candidates, p: float = 0.8) -> Vector:
    """RBP-sum (Moffat, Webber & Zobel 2007, method A)."""
    return _by_rank(candidates, rank_biased_share(p))


def _by_rank(candidates: Candidates, share: Callable[[int], float]) -> Vector:
    deepest = int(candidates.finds.ranks.max(initial=0))
    shares = np.array([0.0, *map(share, range(1, deepest + 1))])
    return candidates.summed(shares[candidates.finds.ranks])


def borda(candidates: Candidates) -> Vector:
    """Borda count (Aslam & Montague 2001)."""
    return candidates.keep("borda", lambda: _borda(candidates))


def _borda(candidates: Candidates) -> Vector:
    counts, lengths = np.diff(candidates.bounds), candidates.lengths
    leftover = np.where(lengths > 0, (counts - lengths + 1) / 2, 0.0)
    of_documents = candidates.documents.topics
    given = counts[of_documents][candidates.finds.documents] - candidates.finds.ranks + 1
    points: Vector = leftover.sum(axis=0)[of_documents]
    return points + candidates.summed(given - candidates.by_find(leftover))


def combsum(candidates: Candidates) -> Vector:
    """CombSUM (Fox & Shaw 1994; Lee 1997)."""
    return candidates.keep("combsum", lambda: candidates.summed(_normalised(candidates)))


def combmnz(candidates: Candidates) -> Vector:
    """CombMNZ (Fox & Shaw 1994; Lee 1997)."""
    return candidates.documents.run_counts * combsum(candidates)


def _normalised(candidates: Candidates) -> Vector:
    """Return every find's score, each run's of a topic brought to 0..1, in whole grains; shape (finds,)."""
    finds, lists, scores = candidates.finds, candidates.lists_of_finds, candidates.scores / 2
    low, high = np.zeros((2, candidates.lengths.size))
    first = np.flatnonzero(finds.ranks == 1)
    last = np.flatnonzero(finds.ranks == candidates.by_find(candidates.lengths))
    high[lists[first]], low[lists[last]] = scores[first], scores[last]
    spread = high - low
    within = np.where(spread > 0, spread, 1.0)
    shares = (scores - candidates.by_find(low)) / candidates.by_find(within)
    shares[~(candidates.by_find(spread) > 0)] = 1.0
    grains: Vector = np.rint(shares / GRAIN) * GRAIN
    return grains
