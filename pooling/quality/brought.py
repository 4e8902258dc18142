"""Who brought what to a pool, over stored columns: `contribution` for a hundred runs between two key presses.

A table has a row for each run, group or kind, and a column for each pooled document: the best rank at which
the one found the other, or NOT_FOUND.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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


class Brought(NamedTuple):
    """What a table says of each of its rows whatever is relevant.

    pooled, unique, first: as of `Contribution`, shape (rows,). row, document: of every find, by row; alone:
    whether no other row has the document. All of shape (finds,).
    """

    pooled: IntVector
    unique: IntVector
    first: npt.NDArray[np.float64]
    row: npt.NDArray[np.int32]
    document: npt.NDArray[np.int32]
    alone: Flags

    def documents_alone(self) -> list[npt.NDArray[np.int32]]:
        """Return of each row the documents that it alone brought."""
        edges = np.searchsorted(self.row[self.alone], np.arange(1, len(self.pooled)))
        return np.split(self.document[self.alone], edges)

    def contributions(self, relevant: Flags) -> list[Contribution]:
        """Return the counts of every row, as `tallied` has them. relevant: shape (documents,)."""
        hits, rows = relevant[self.document], len(self.pooled)
        columns = (
            self.pooled,
            self.unique,
            np.bincount(self.row[hits], minlength=rows),
            np.bincount(self.row[hits & self.alone], minlength=rows),
            self.first,
        )
        return [Contribution(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def brought_in(table: Table) -> Brought:
    found, alone = table != NOT_FOUND, brought_alone(table)
    first = found & (table == table.min(axis=0, initial=NOT_FOUND))
    shares = first / np.maximum(first.sum(axis=0), 1)
    row, document = np.nonzero(found)
    return Brought(
        found.sum(axis=1),
        alone.sum(axis=1),
        shares.sum(axis=1),
        row.astype(np.int32),
        document.astype(np.int32),
        alone[row, document],
    )


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
