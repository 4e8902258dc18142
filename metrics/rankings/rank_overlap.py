"""Rank-biased overlap: how much two rankings share, from the top down.

Rankings of systems come as scores, and may have ties; rankings of documents come as lists, and may be of
different lengths.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log
from typing import Literal, NamedTuple

import numpy as np

from pooling.arrays import IntVector, Matrix, Vector
from pooling.notebook import fields_html

TieRule = Literal["a", "b", "w"]
PERSISTENCE = 0.9


class Overlap(NamedTuple):
    """RBO of two finite lists: its lower and upper bound, and the extrapolated value between them."""

    low: float
    extrapolated: float
    high: float

    def _repr_html_(self) -> str:
        return fields_html(self)


def checked_persistence(p: float) -> float:
    """Return p. Raises ValueError unless 0 < p < 1."""
    if not 0 < p < 1:
        raise ValueError(f"expected a persistence p between 0 and 1, found {p}")
    return p


def depth_weights(n: int, p: float) -> Vector:
    """Return the weight of the agreement at each depth 1..n, shape (n,); they sum to 1 with the tail.

    Beyond depth n the agreement is assumed constant, so that n has the weight of the tail too.
    """
    weights: Vector = (1 - p) * p ** np.arange(float(n))
    weights[-1] += p**n
    return weights


def shares_above(above: IntVector, size: IntVector, n: int) -> Matrix:
    """Return the share of each item within each depth, shape (n depths, items).

    above, size: the number of items above the item's tie group, and the size of the group. An item whose
    group extends across the depth counts by the share of the group within it.
    """
    depths = np.arange(1, n + 1)[:, None]
    shares: Matrix = np.clip((depths - above) / size, 0.0, 1.0)
    return shares


def rbo(
    above: tuple[IntVector, IntVector], size: tuple[IntVector, IntVector], p: float, ties: TieRule = "a"
) -> float:
    """RBO, extrapolated, of two rankings of the same items (Webber, Moffat & Zobel 2010, equation 23).

    above, size: of both rankings, shape (items,): how many items stand above the item's tie group, and how
    many the group has. ties: "a": the expected value when ties are broken at random; "b": a tie is
    information, so that a ranking always agrees with itself (both Corsi & Urbano 2024); "w": tied items all
    have the first rank of their group (Webber et al.). Without ties the three are one.
    """
    n = len(above[0])
    first, second = (shares_above(*of_one, n) for of_one in zip(above, size, strict=True))
    if ties == "w":
        first, second = np.ceil(first), np.ceil(second)
    common = (first * second).sum(axis=1)
    if ties == "a":
        agreement = common / np.arange(1, n + 1)
    elif ties == "b":
        agreement = common / np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    else:
        agreement = 2 * common / (first.sum(axis=1) + second.sum(axis=1))
    return float(agreement @ depth_weights(n, checked_persistence(p)))


def rbo_of_lists(first: Sequence[Hashable], second: Sequence[Hashable], p: float = PERSISTENCE) -> Overlap:
    """RBO of two lists without ties, of any lengths: extrapolated, and its bounds whatever follows.

    Webber, Moffat & Zobel 2010, equations 11, 30 and 32. Raises ValueError for an empty list, an item twice
    in a list, or p not between 0 and 1.

    >>> round(rbo_of_lists("abc", "acb", p=0.9).extrapolated, 3)
    0.955
    """
    checked_persistence(p)
    short, long = sorted((first, second), key=len)
    if not short or len(set(short)) < len(short) or len(set(long)) < len(long):
        raise ValueError("expected two lists of at least one item, each item once in a list")
    s, n = len(short), len(long)
    common = _common(short, long)
    depths = np.arange(1, n + 1)
    powers = p**depths
    tail = log(1 / (1 - p))
    low = (1 - p) / p * (float(((common - common[-1]) * powers / depths).sum()) + common[-1] * tail)
    deepest = (
        s + n - int(common[-1])
    )  # the depth from which lists with the most possible overlap share no further item
    later = p ** np.arange(1, deepest + 1) / np.arange(1, deepest + 1)
    beyond = s * later[s:].sum() + n * later[n:].sum() + common[-1] * (tail - later.sum())
    high = low + p**s + p**n - p**deepest - (1 - p) / p * float(beyond)
    # the agreement at the end of the short list is assumed to continue
    expected = common + np.maximum(depths - s, 0) * common[s - 1] / s
    extrapolated = (1 - p) / p * float((expected / depths * powers).sum()) + expected[-1] / n * p**n
    return Overlap(float(low), float(extrapolated), float(high))


def _common(short: Sequence[Hashable], long: Sequence[Hashable]) -> Vector:
    """Return how many items both lists hold within each depth of the longer one."""
    rank_of = {item: rank for rank, item in enumerate(short)}
    met = [max(rank_of[item], rank) for rank, item in enumerate(long) if item in rank_of]
    counts: Vector = np.cumsum(np.bincount(met, minlength=len(long))).astype(np.float64)
    return counts


def average_overlap(first: Sequence[Hashable], second: Sequence[Hashable]) -> Vector:
    """Return the average overlap of two lists at every depth of the longer one (Fagin, Kumar & Sivakumar).

    >>> average_overlap("abcdefg", "zcavwxy").round(3).tolist()
    [0.0, 0.0, 0.222, 0.292, 0.313, 0.317, 0.312]
    """
    short, long = sorted((first, second), key=len)
    depths = np.arange(1, len(long) + 1)
    overlap: Vector = np.cumsum(_common(short, long) / depths) / depths
    return overlap


def weight_of_top(depth: int, p: float = PERSISTENCE) -> float:
    """Return the share of RBO that the top `depth` items decide (Webber et al. 2010, equation 21).

    >>> round(weight_of_top(10, p=0.9), 4)
    0.8556
    """
    checked_persistence(p)
    seen = sum(p**i / i for i in range(1, depth))
    return float(1 - p ** (depth - 1) + (1 - p) / p * depth * (log(1 / (1 - p)) - seen))
