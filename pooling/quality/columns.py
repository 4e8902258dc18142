"""The overlap of runs over stored columns, quick enough to follow a slider."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pooling.columns import IntVector
from pooling.strategies.columns import RankedIds, top_of

from .contribution import shared_by

RUN_BITS, TOPIC_BITS = 11, 20  # beside the 32 of an id: 63 in all


def overlap_columns(runs: Sequence[RankedIds], depth: int) -> IntVector:
    """Return how many documents each two runs share in the depth-k pool; on the diagonal what each brought.

    int64 of shape (runs, runs), in the order of the runs. Equals `overlap` of the runs' contributions.
    Raises ValueError for a depth below 1, and for topic numbers beyond 20 bits or more than 2,048 runs.
    """
    if depth < 1:
        raise ValueError(f"expected a depth of at least 1, found {depth}")
    found = np.concatenate([np.empty(0, np.int64), *(_found(run, depth, n) for n, run in enumerate(runs))])
    found.sort()  # a document's finders become neighbours
    same = (found[1:] >> RUN_BITS) == (found[:-1] >> RUN_BITS)
    starts = np.concatenate([[True], ~same])[: len(found)]
    finders = found & ((1 << RUN_BITS) - 1)
    # Documents of one finder, often the most, count on the diagonal only and need no column.
    alone = starts & np.concatenate([~same, [True]])[: len(found)]
    columns = np.cumsum(starts & ~alone) - 1
    holds = np.zeros((len(runs), int(columns[-1]) + 1 if len(columns) else 0), dtype=bool)
    holds[finders[~alone], columns[~alone]] = True
    return shared_by(holds) + np.diag(np.bincount(finders[alone], minlength=len(runs)))


def _found(run: RankedIds, depth: int, number: int) -> IntVector:
    """Return one number for each document at a run's top: topic, id and the run's own number."""
    if number >> RUN_BITS or int(run.topics.max(initial=0)) >> TOPIC_BITS:
        raise ValueError("expected at most 2,048 runs and topic numbers of 20 bits, found larger ones")
    top = top_of(run, depth)
    found: IntVector = (top.topics << 32 | top.ids) << RUN_BITS | number
    return found
