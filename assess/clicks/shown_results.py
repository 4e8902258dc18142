"""Results that users were shown, as columns, and the counts that click models need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pooling.arrays import Flags, IntVector, Vector


class ShownResults(NamedTuple):
    """One row a shown result. The rows of a list stand together, sorted by rank.

    shown_in: the number of the list. pair: the number of (topic, document). rank: from 1. clicked: whether
    the result was clicked at least once. lists, pairs: how many there are; numbers begin at 0.
    """

    shown_in: IntVector
    pair: IntVector
    rank: IntVector
    clicked: Flags
    lists: int
    pairs: int


class Cells(NamedTuple):
    """Shown results counted by pair and rank, one row a combination that occurs.

    COEC and the position-based model depend on these counts alone.
    """

    pair: IntVector
    rank: IntVector
    impressions: IntVector
    clicks: IntVector
    pairs: int

    def by_pair(self, values: IntVector | Vector) -> Vector:
        """Return the sum of values, one a cell, for every pair."""
        return np.bincount(self.pair, values, self.pairs).astype(np.float64)

    def by_rank(self, values: IntVector | Vector) -> Vector:
        """Return the sum of values, one a cell, for every rank; place 0 is unused."""
        return np.bincount(self.rank, values, int(self.rank.max(initial=0)) + 1).astype(np.float64)


def count_cells(shown: ShownResults) -> Cells:
    """Count impressions and clicks by pair and rank."""
    ranks = int(shown.rank.max(initial=0)) + 1
    codes, counts = np.unique(
        (shown.pair * ranks + shown.rank) * 2 + shown.clicked.astype(np.int64), return_counts=True
    )
    cells, first = np.unique(codes // 2, return_index=True)
    impressions = np.add.reduceat(counts, first) if len(first) else counts
    clicks = np.add.reduceat(counts * (codes % 2), first) if len(first) else counts
    return Cells(cells // ranks, cells % ranks, impressions, clicks, shown.pairs)
