"""Static orders: each document of a topic gets a score from its places in the runs, all known beforehand.

Every function takes the topic's lists (tag -> docnos, best first), already cut at the deepest rank that
counts, and returns docno -> score. In which order the runs come must not decide which of two documents does:
shares by rank are added from the best rank down, all others are such that sums are exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add

from .runs import Lists, in_docno_order

Scores = dict[str, float]

GRAIN = 2.0**-40
"""Shares of scores are rounded to it, so that the sum over a few thousand runs is exact in any order."""


def by_score(scores: Mapping[str, float], ties: str) -> list[str]:
    """Return the docnos, highest score first, equal ones as the tie rule says."""
    return sorted(in_docno_order(scores, ties), key=lambda docno: -scores[docno])


def _by_rank(lists: Lists, share: Callable[[int], float]) -> Scores:
    """Return docno -> the sum of what the runs that hold it give for its rank, added from the best down."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for ranking in lists.values():
        for rank, docno in enumerate(ranking, start=1):
            ranks[docno].append(rank)
    shares = [0.0, *map(share, range(1, max(map(len, lists.values()), default=0) + 1))]
    # Not `sum`, which compensates what it loses from Python 3.12 on.
    return {docno: reduce(add, [shares[rank] for rank in sorted(held)]) for docno, held in ranks.items()}


def reciprocal_share(constant: float) -> Callable[[int], float]:
    """Return what RRF gives for a rank."""
    return lambda rank: 1 / (constant + rank)


def rank_biased_share(p: float) -> Callable[[int], float]:
    """Return what RBP gives for a rank."""
    return lambda rank: (1 - p) * p ** (rank - 1)


def reciprocal_rank_fusion(lists: Lists, constant: float = 60) -> Scores:
    """RRF: the sum of 1 / (constant + rank) over the runs (Cormack, Clarke & Buettcher 2009).

    >>> reciprocal_rank_fusion({"r": ["a", "b"], "s": ["b"]}, constant=1)
    {'a': 0.5, 'b': 0.8333333333333333}
    """
    return _by_rank(lists, reciprocal_share(constant))


def rank_biased(lists: Lists, p: float = 0.8) -> Scores:
    """RBP-sum: the sum of (1 - p) p^(rank - 1) over the runs (Moffat, Webber & Zobel 2007, method A).

    >>> rank_biased({"r": ["a", "b"], "s": ["b"]}, p=0.5)
    {'a': 0.5, 'b': 0.75}
    """
    return _by_rank(lists, rank_biased_share(p))


def borda(lists: Lists) -> Scores:
    """Borda count: of c candidates a run gives its first c points, its second c - 1 and so on; those that it
    does not hold share the rest equally (Aslam & Montague 2001).

    >>> borda({"r": ["a", "b"], "s": ["b"]})
    {'a': 3.0, 'b': 3.0}
    """
    candidates = {docno for ranking in lists.values() for docno in ranking}
    count = len(candidates)
    leftover = {tag: (count - len(ranking) + 1) / 2 for tag, ranking in lists.items()}
    for_all = sum(leftover.values())  # as if every run held none; halves are exact
    scores = dict.fromkeys(sorted(candidates), for_all)
    for tag, ranking in lists.items():
        for rank, docno in enumerate(ranking, start=1):
            scores[docno] += count - rank + 1 - leftover[tag]
    return scores


def combsum(lists: Lists, scores: Mapping[str, Sequence[float]]) -> Scores:
    """CombSUM: the sum of the runs' scores (Fox & Shaw 1994), each run's brought to 0..1 (Lee 1997).

    scores: tag -> scores beside the docnos of its list. A run's lowest document counts as one that it does
    not hold; where all scores of a run are equal each counts 1, as its first one does elsewhere. Shares are
    whole numbers of `GRAIN`.

    >>> combsum({"r": ["a", "b", "c"]}, {"r": [8.0, 6.0, 4.0]})
    {'a': 1.0, 'b': 0.5, 'c': 0.0}
    """
    return {docno: sum(given) for docno, given in _normalised(lists, scores).items()}


def combmnz(lists: Lists, scores: Mapping[str, Sequence[float]]) -> Scores:
    """CombMNZ: CombSUM times the number of runs that hold the document (Fox & Shaw 1994; Lee 1997).

    >>> combmnz({"r": ["a", "b"], "s": ["a"]}, {"r": [2.0, 1.0], "s": [5.0]})
    {'a': 4.0, 'b': 0.0}
    """
    return {docno: len(given) * sum(given) for docno, given in _normalised(lists, scores).items()}


def _normalised(lists: Lists, scores: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    shares: dict[str, list[float]] = {}
    for tag, ranking in lists.items():
        low, high = min(scores[tag]) / 2, max(scores[tag]) / 2  # the whole spread may exceed all doubles
        for docno, score in zip(ranking, scores[tag], strict=True):
            share = (score / 2 - low) / (high - low) if high > low else 1.0
            shares.setdefault(docno, []).append(round(share / GRAIN) * GRAIN)
    return shares
