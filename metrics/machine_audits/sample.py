"""The random sample of an audit: how many documents of every stratum, and which."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import isfinite, sqrt
from operator import ge
from typing import NamedTuple

import numpy as np

from pooling.arrays import IntVector
from pooling.refusals import Refused
from pooling.strategies.draws import document_draws


class SampleStratum(NamedTuple):
    """One stratum of the pool: as a rule, the documents with the same machine grade.

    documents: N_h, how many the pool has. sampled: n_h, how many of them the sample has.
    """

    name: str
    documents: int
    sampled: int


def allocate(
    sizes: Sequence[int], n: int, spread: Sequence[float] | None = None, least: int = 2
) -> list[int]:
    """Return how many of `n` documents to draw from every stratum; the numbers sum to `n`.

    sizes: N_h, documents of the strata. spread: s_h, the standard deviation of the human values in every
    stratum, from a first part of the sample; with it the allocation is Neyman's (n_h ~ N_h s_h), without it
    proportional (n_h ~ N_h). Spreads of 0 everywhere give the proportional allocation. Every stratum gets at
    least `least` documents, or all it has.

    Whole numbers: after the minimum, each next document goes to the stratum with the largest
    N_h s_h / sqrt(n_h (n_h + 1)), which makes the variance of the estimate as small as n documents allow.
    Sources: Neyman 1934; Cochran, Sampling Techniques, chapter 5; Wright 2012 for whole numbers.

    Raises Refused if n is smaller than the minimum of all strata or larger than the pool, and ValueError for
    negative sizes or spreads.

    >>> allocate([2335, 1231, 608, 249], 400)
    [211, 111, 55, 23]
    """
    if least < 0 or min(sizes, default=0) < 0:
        raise ValueError("expected numbers of documents of 0 or more")
    spread = [1.0] * len(sizes) if spread is None or not any(spread) else spread
    if not all(isfinite(deviation) and deviation >= 0 for deviation in spread):
        raise ValueError("expected standard deviations of 0 or more")
    sampled = [min(least, size) for size in sizes]
    if not sum(sampled) <= n <= sum(sizes):
        raise Refused(
            f"expected from {sum(sampled):,} to {sum(sizes):,} documents in the sample, found {n:,}"
        )
    weights = [size * deviation for size, deviation in zip(sizes, spread, strict=True)]
    while (missing := n - sum(sampled)) > 0:
        _add(sampled, sizes, weights, missing)
        weights = list(sizes)  # where only strata without spread have documents left: in proportion
    return sampled


def smallest_size(sizes: Sequence[int], least: int) -> int:
    """Return the smallest proportional sample with `least` documents of every stratum, or all it has.

    >>> smallest_size([980, 20], 5), allocate([980, 20], 224)
    (224, [219, 5])
    """

    def suffices(n: int) -> bool:
        return all(map(ge, allocate(sizes, n), (min(least, size) for size in sizes)))

    first = sum(min(2, size) for size in sizes)
    return first + bisect_left(range(first, sum(sizes)), True, key=suffices)


def _add(sampled: list[int], sizes: Sequence[int], weights: Sequence[float], missing: int) -> None:
    """Add up to `missing` documents to `sampled`, in place, to strata with a weight above 0."""
    for _ in range(missing):
        gains = [
            (weight / sqrt(drawn * (drawn + 1)) if drawn else float("inf"), weight, -index)
            for index, (weight, drawn, size) in enumerate(zip(weights, sampled, sizes, strict=True))
            if weight > 0 and drawn < size
        ]
        if not gains:
            return
        sampled[-max(gains)[2]] += 1


def draw(stratum_of: IntVector, sampled: Sequence[int], seed: int) -> IntVector:
    """Return the places of a random sample without replacement, rising: sampled[h] documents of stratum h.

    stratum_of: the stratum of every pooled document, shape (documents,), in an order that does not change,
    such as that of the pool; the places count in it from 0. Within a stratum every set of sampled[h]
    documents is equally probable. The same seed gives the same sample on every machine and with every
    version of NumPy (a hash of seed and place, see pooling.strategies.draws), and a larger sample of the same
    seed contains the smaller one. Raises ValueError if a stratum has fewer documents than are to be drawn.
    """
    stratum_of = np.asarray(stratum_of, dtype=np.int64)
    sizes = np.bincount(stratum_of, minlength=len(sampled))
    if len(sizes) > len(sampled) or (sizes < np.asarray(sampled, dtype=np.int64)).any():
        raise ValueError(f"expected at most {sizes.tolist()} documents of the strata, found {list(sampled)}")
    draws = document_draws(np.arange(len(stratum_of)).astype(np.bytes_), seed, "audit of a machine judge")
    order = np.lexsort((draws, stratum_of))
    position = np.empty(len(order), dtype=np.int64)  # of every document within its stratum, in random order
    position[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.flatnonzero(position < np.asarray(sampled, dtype=np.int64)[stratum_of])
