"""The contribution of runs, groups and kinds of runs to a pool.

A row is a run, a group or a kind. Most documents are in few runs, so only (row, document) pairs are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pooling.arrays import Flags, IntVector
from pooling.strategies.candidates import RankedIds, pair_keys, top_rows
from pooling.strategies.rankings import RunDescription

NO_RANK = np.iinfo(np.int64).max
NOT_POOLED = NO_OWNER = -1


def groups_of(runs: Iterable[RunDescription]) -> dict[str, str]:
    """Return tag -> group; a run whose group is unknown is a group of its own, of its tag."""
    return {run.tag: run.group or run.tag for run in runs}


def kinds_of(runs: Iterable[RunDescription]) -> dict[str, str]:
    """Return tag -> kind. What only one kind brought is the manual-only and the automatic-only part."""
    return {run.tag: run.kind for run in runs}


class Contribution(NamedTuple):
    """The documents of one run, group or kind in the pool (Zobel 1998; Buettcher et al. 2007).

    unique: in no other row. first: found at the best rank of all rows; documents that several found at
    the same rank are shared equally, so that the sum over all is the pool.
    """

    pooled: int
    unique: int
    relevant: int
    unique_relevant: int
    first: float


def find_keys(keys: IntVector, wanted: IntVector) -> tuple[IntVector, IntVector]:
    """Return which of the wanted are among the keys, and where. keys: ascending."""
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    rows = np.flatnonzero(keys[places] == wanted) if len(keys) else np.empty(0, dtype=np.int64)
    return rows, places[rows]


class PooledPostings(NamedTuple):
    """Who found which documents, and the best rank at which: one line for each, by row, then document.

    rows, documents: how many there are of either. row, document, rank: int64 of shape (finds,).
    """

    rows: int
    documents: int
    row: IntVector
    document: IntVector
    rank: IntVector


def postings_in_pool(pool: IntVector, runs: Sequence[RankedIds], reaches: Iterable[int]) -> PooledPostings:
    """Return what each run brought: the pooled documents that it holds no deeper than its reach.

    pool: the documents by `pair_keys`, ascending.
    """
    counts, documents, ranks = [], [], []
    for run, reach in zip(runs, reaches, strict=True):
        top = top_rows(run, reach)
        rows, places = find_keys(pool, pair_keys(top.topics, top.ids))
        rank_of = np.zeros(len(pool), dtype=np.int64)
        rank_of[places] = top.ranks[rows] + 1
        indices = np.flatnonzero(rank_of > 0)  # by document, without sorting
        counts.append(len(indices))
        documents.append(indices)
        ranks.append(rank_of[indices])
    row = np.repeat(np.arange(len(runs)), counts)
    return PooledPostings(len(runs), len(pool), row, np.concatenate(documents), np.concatenate(ranks))


def merge_owners(finds: PooledPostings, owners: Sequence[str]) -> tuple[list[str], PooledPostings]:
    """Return the owners, and what was found by the runs of each. owners: the group or kind of each run."""
    names = list(dict.fromkeys(owners))
    edges = pairwise(np.searchsorted(finds.row, np.arange(finds.rows + 1)).tolist())
    runs_of: dict[str, list[slice]] = {name: [] for name in names}
    for name, edge in zip(owners, edges, strict=True):
        runs_of[name].append(slice(*edge))
    documents, ranks = [], []
    for runs in runs_of.values():
        best = np.full(finds.documents, NO_RANK)
        for run in runs:
            best[finds.document[run]] = np.minimum(best[finds.document[run]], finds.rank[run])
        documents.append(np.flatnonzero(best < NO_RANK))
        ranks.append(best[documents[-1]])
    row = np.repeat(np.arange(len(names)), [len(owner_documents) for owner_documents in documents])
    return names, PooledPostings(
        len(names), finds.documents, row, np.concatenate(documents), np.concatenate(ranks)
    )


class ContributionTable(NamedTuple):
    """What each row brought, whatever is relevant.

    pooled, unique, first: as of `Contribution`, shape (rows,). row, document: of every find, by row; alone:
    whether no other row has the document. All of shape (finds,).
    """

    pooled: IntVector
    unique: IntVector
    first: npt.NDArray[np.float64]
    row: npt.NDArray[np.int32]
    document: npt.NDArray[np.int32]
    alone: Flags

    def owner_alone(self, documents: int) -> IntVector:
        """Return which row alone has each document, NOBODY where none or several do; shape (documents,)."""
        owner = np.full(documents, NO_OWNER)
        owner[self.document[self.alone]] = self.row[self.alone]
        return owner

    def contributions(self, relevant: Flags) -> list[Contribution]:
        """Return the counts of every row. relevant: shape (documents,)."""
        hits, rows = relevant[self.document], len(self.pooled)
        columns = (
            self.pooled,
            self.unique,
            np.bincount(self.row[hits], minlength=rows),
            np.bincount(self.row[hits & self.alone], minlength=rows),
            self.first,
        )
        return [Contribution(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def contribution_table(finds: PooledPostings) -> ContributionTable:
    rows, documents = finds.rows, finds.documents
    alone = (np.bincount(finds.document, minlength=documents) == 1)[finds.document]
    best = np.full(documents, NO_RANK, dtype=np.int64)
    np.minimum.at(best, finds.document, finds.rank)
    is_first = finds.rank == best[finds.document]
    row, document = finds.row[is_first], finds.document[is_first]
    shares = 1 / np.bincount(document, minlength=documents)[document]
    return ContributionTable(
        np.bincount(finds.row, minlength=rows),
        np.bincount(finds.row[alone], minlength=rows),
        np.bincount(row, shares, minlength=rows).astype(np.float64),
        finds.row.astype(np.int32),
        finds.document.astype(np.int32),
        alone,
    )


class TopDocuments(NamedTuple):
    """The first documents of every topic of every run.

    runs, topics: how many there are. cell: run * topics + topic. rank: from 0. document: the place of each in
    the pool, NOT_POOLED where it is not there. All of shape (rows,).
    """

    runs: int
    topics: int
    cell: IntVector
    rank: IntVector
    document: IntVector

    @property
    def answered(self) -> Flags:
        """Which topics each run has documents for; shape (runs, topics)."""
        return np.bincount(self.cell, minlength=self.runs * self.topics).reshape(self.runs, -1) > 0

    def unjudged(
        self, judged: Flags, k: int, owner: IntVector | None = None, group: IntVector | None = None
    ) -> npt.NDArray[np.float64]:
        """Return unjudged@k of every run and topic; shape (runs, topics), 0 where a run has
        no document for a topic.

        judged: of every document in the pool. k: no deeper than these. owner: the group that alone brought
        each document in the pool, or NOBODY; group: that of each run. With them, documents that a run's own
        group alone brought count as unjudged: what a run of a new group would find.
        """
        is_judged = np.append(judged, False)[self.document]  # NOT_POOLED is the last one
        if owner is not None and group is not None:
            own = np.append(owner, NO_OWNER)[self.document] == group[self.cell // self.topics]
            is_judged &= ~own
        unjudged_at_top = (self.rank < k) & ~is_judged
        return (
            np.bincount(self.cell[unjudged_at_top], minlength=self.runs * self.topics).reshape(self.runs, -1)
            / k
        )


def top_documents(pool: IntVector, runs: Sequence[RankedIds], topics: int, depth: int) -> TopDocuments:
    """Return the first `depth` documents of every topic. pool: the documents by `pair_keys`, in any order."""
    order = np.argsort(pool)
    tops = [top_rows(run, depth) for run in runs]
    topic, ids, rank, _ = (np.concatenate(columns) for columns in zip(*tops, strict=True))
    rows, places = find_keys(pool[order], pair_keys(topic, ids))
    document = np.full(len(topic), NOT_POOLED)
    document[rows] = order[places]
    run = np.repeat(np.arange(len(runs)), [len(top.rows) for top in tops])
    return TopDocuments(len(runs), topics, run * topics + topic, rank, document)
