"""What a pool costs: documents to judge, in all and for each topic."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from pooling.strategies.pooled import Pooled


class Size(NamedTuple):
    """The size of a pool. Counts are documents to judge; `smallest`, `middle`, `largest` are per topic."""

    total: int
    topics: int
    smallest: int
    middle: float
    largest: int
    found_once: int

    def hours(self, seconds: float) -> float:
        """Return the hours that one judge needs at so many seconds a judgment."""
        return self.total * seconds / 3600


def size_of(pool: Pooled) -> Size:
    """Return the size of a pool; all zeros for an empty one."""
    once = sum(how.run_count == 1 for found in pool.values() for how in found.values())
    return size_from([len(found) for found in pool.values()], once)


def size_from(sizes: Sequence[int], once: int) -> Size:
    """Return the size of a pool of which the documents of every topic are counted, and those found once."""
    counted = sizes or [0]
    return Size(sum(counted), len(sizes), min(counted), median(counted), max(counted), once)
