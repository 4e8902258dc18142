"""The size of a pool, how deep runs are judged, and how many documents runs share."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from pooling.arrays import Flags, IntVector
from pooling.strategies.candidates import Candidates, Pooled, RankedIds, top_rows


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
    once = sum(how.run_count == 1 for documents in pool.values() for how in documents.values())
    return size_from([len(documents) for documents in pool.values()], once)


def size_from(sizes: Sequence[int], once: int) -> Size:
    """Return the size of a pool of which the documents of every topic are counted, and those found once."""
    counted = sizes or [0]
    return Size(sum(counted), len(sizes), min(counted), median(counted), max(counted), once)


RUN_BITS, TOPIC_BITS = 11, 20  # beside the 32 of an id: 63 in all
NO_LIMIT = np.iinfo(np.int64).max


def sizes_of_topics(candidates: Candidates, pooled: Flags) -> IntVector:
    """Return how many documents of each topic are pooled; int64 of shape (topics,).

    pooled: which of the candidates, shape (documents,).
    """
    before = np.concatenate([[0], np.cumsum(pooled)])
    return np.diff(before[candidates.bounds])


def size_of_selection(candidates: Candidates, pooled: Flags) -> Size:
    """Return the size of a pool of candidates."""
    counts = sizes_of_topics(candidates, pooled)
    once = (candidates.documents.run_counts[pooled] == 1).sum()
    return size_from(counts[counts > 0].tolist(), int(once))


def complete_depth(candidates: Candidates, pooled: Flags) -> int:
    """Return the effective complete depth: the largest k such that on every topic every run's first k are
    pooled, no deeper than the runs are read; 0 without a topic.

    A run that ends earlier, or lacks the topic, does not count against it; where all that runs returned is
    pooled it is the length of the longest.
    """
    lengths, missing = candidates.lengths, np.flatnonzero(~pooled[candidates.postings.documents])
    longest = lengths.max(axis=0, initial=0)
    depths = np.where(candidates.cut, lengths, longest).min(axis=0, initial=NO_LIMIT)
    depths = np.minimum(depths, longest)
    ends = candidates.documents.topics[candidates.postings.documents[missing]]
    np.minimum.at(depths, ends, candidates.postings.ranks[missing] - 1)
    nonempty = depths[np.diff(candidates.bounds) > 0]
    return int(nonempty.min()) if len(nonempty) else 0


def unjudged_of_selection(candidates: Candidates, pooled: Flags, k: int) -> float:
    """Return unjudged@k: the mean over runs of the mean over the topics of the pool that a run has documents
    for; 0 without either.

    Of one run and topic it is the unjudged among the first k over k (trec_eval 10's `unj`); a short list
    counts as if filled up with judged documents. k: no deeper than the candidates go.
    """
    topics = sizes_of_topics(candidates, pooled) > 0
    postings = candidates.postings
    at_top = (postings.ranks <= k) & topics[candidates.documents.topics[postings.documents]]
    unpooled = at_top & ~pooled[postings.documents]
    answered = (candidates.lengths[:, topics] > 0).sum(axis=1)
    of_runs = (
        np.bincount(postings.runs[unpooled], minlength=len(candidates.tags)) / k / np.maximum(answered, 1)
    )
    return float(of_runs.mean()) if len(of_runs) else 0.0


def overlap_matrix(runs: Sequence[RankedIds], depth: int) -> IntVector:
    """Return how many documents each two runs share in the depth-k pool; on the diagonal what each brought.

    int64 of shape (runs, runs), in the order of the runs.
    Raises ValueError for a depth below 1, and for topic numbers beyond 20 bits or more than 2,048 runs.
    """
    if depth < 1:
        raise ValueError(f"expected a depth of at least 1, found {depth}")
    keys = np.concatenate([np.empty(0, np.int64), *(_top_keys(run, depth, n) for n, run in enumerate(runs))])
    keys.sort()  # a document's finders become neighbours
    same = (keys[1:] >> RUN_BITS) == (keys[:-1] >> RUN_BITS)
    starts = np.concatenate([[True], ~same])[: len(keys)]
    finders = keys & ((1 << RUN_BITS) - 1)
    # Documents of one finder, often the most, count on the diagonal only and need no column.
    alone = starts & np.concatenate([~same, [True]])[: len(keys)]
    columns = np.cumsum(starts & ~alone) - 1
    holds = np.zeros((len(runs), int(columns[-1]) + 1 if len(columns) else 0), dtype=bool)
    holds[finders[~alone], columns[~alone]] = True
    return shared_counts(holds) + np.diag(np.bincount(finders[alone], minlength=len(runs)))


def _top_keys(run: RankedIds, depth: int, number: int) -> IntVector:
    """Return one number for each document at a run's top: topic, id and the run's own number."""
    if number >> RUN_BITS or int(run.topics.max(initial=0)) >> TOPIC_BITS:
        raise ValueError("expected at most 2,048 runs and topic numbers of 20 bits, found larger ones")
    top = top_rows(run, depth)
    keys: IntVector = (top.topics << 32 | top.ids) << RUN_BITS | number
    return keys


def shared_counts(holds: Flags) -> IntVector:
    """Return how many documents each two runs hold both: int64 of shape (runs, runs).

    holds: shape (runs, documents). Counts the bits that two rows have in common, 64 documents at a time.
    """
    packed = np.packbits(holds, axis=1)
    rows = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)
    shared = np.zeros((len(rows), len(rows)), dtype=np.int64)
    for number, row in enumerate(rows):
        shared[number, number:] = np.bitwise_count(rows[number:] & row).sum(axis=1)
    return shared + np.triu(shared, k=1).T
