"""What a pool costs: documents to judge, in all and for each topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from pooling.strategies import Pooled


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


def sizes_by_depth(pool: Pooled, depths: Iterable[int]) -> list[tuple[int, int]]:
    """Return (k, documents) for every depth k up to the pool's own.

    The depth-k pool lies within the depth-(k+1) pool, so one deep pool tells the size of all shallower ones:
    the documents whose best rank is at most k.
    """
    ranks = Counter(how.best_rank or 0 for found in pool.values() for how in found.values())
    return [(depth, sum(count for rank, count in ranks.items() if rank <= depth)) for depth in depths]
