"""Who brought what to a pool, over stored columns: `contribution` for a hundred runs between two key presses.

A table has a row for each run, group or kind, and a column for each pooled document: the best rank at which
the one found the other, or NOT_FOUND.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from pooling.columns import Flags, IntVector
from pooling.strategies.candidates import pair_keys
from pooling.strategies.columns import RankedIds, top_of

from .contribution import Contribution

Table = npt.NDArray[np.int32]
NOT_FOUND = np.iinfo(np.int32).max


def found_at(keys: IntVector, wanted: IntVector) -> tuple[IntVector, IntVector]:
    """Return which of the wanted are among the keys, and where. keys: ascending."""
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    rows = np.flatnonzero(keys[places] == wanted) if len(keys) else np.empty(0, dtype=np.int64)
    return rows, places[rows]


def ranks_brought(pool: IntVector, runs: Sequence[RankedIds], reaches: Iterable[int]) -> Table:
    """Return what each run brought: the pooled documents that it holds no deeper than its reach.

    pool: the documents by `pair_keys`, ascending. Shape (runs, documents).
    """
    table = np.full((len(runs), len(pool)), NOT_FOUND, dtype=np.int32)
    for row, run, reach in zip(table, runs, reaches, strict=True):
        top = top_of(run, reach)
        rows, places = found_at(pool, pair_keys(top.topics, top.ids))
        row[places] = top.ranks[rows] + 1
    return table


def best_of_owners(table: Table, owners: Sequence[str]) -> dict[str, IntVector]:
    """Return owner -> its runs' best ranks, shape (documents,). owners: the group or kind of each row."""
    named = np.array(owners)
    return {owner: table[named == owner].min(axis=0) for owner in dict.fromkeys(owners)}


def brought_alone(table: Table) -> Flags:
    """Tell which documents nobody else brought; shape as the table's."""
    found = table != NOT_FOUND
    return np.asarray(found & (found.sum(axis=0) == 1))


def contributions_of(table: Table, relevant: Flags) -> list[Contribution]:
    """Return the counts of every row, as `tallied` has them. relevant: shape (documents,)."""
    found, alone = table != NOT_FOUND, brought_alone(table)
    first = found & (table == table.min(axis=0, initial=NOT_FOUND))
    shares = first / np.maximum(first.sum(axis=0), 1)
    columns = (
        found.sum(axis=1),
        alone.sum(axis=1),
        (found & relevant).sum(axis=1),
        (alone & relevant).sum(axis=1),
        shares.sum(axis=1),
    )
    return [Contribution(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def unjudged_of_runs(
    judged: IntVector, runs: Sequence[RankedIds], topics: int, k: int
) -> npt.NDArray[np.float64]:
    """Return unjudged@k of every run and topic, as `unjudged_at`; shape (runs, topics).

    judged: the documents with a grade by `pair_keys`, ascending.
    """
    holes = np.zeros((len(runs), topics))
    for row, run in zip(holes, runs, strict=True):
        top = top_of(run, k)
        keys = pair_keys(top.topics, top.ids)
        rows, _ = found_at(judged, keys)
        row += np.bincount(top.topics, minlength=topics) - np.bincount(top.topics[rows], minlength=topics)
    return holes / k
