"""Who brought what to a pool: runs, groups, kinds of run; and what would be missing without one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from pooling.columns import Flags, IntVector
from pooling.strategies import RunRankings

Pair = tuple[str, str]
"""(topic, docno)."""

Contributions = Mapping[str, Mapping[Pair, int]]
"""Who (a tag, a group, a kind) -> pooled pair -> the best rank at which it was found there."""

Grade = TypeVar("Grade")


def contributions(
    pool: Mapping[str, Collection[str]], runs: Iterable[RunRankings], reaches: Mapping[str, int]
) -> dict[str, dict[Pair, int]]:
    """Return what each run brought: the pooled documents that it holds no deeper than its reach.

    reaches: tag -> the deepest rank that the strategy read, as `pooling.strategies.reaches` tells. With it
    the union of all contributions is the pool.
    """
    return {
        run.tag: {
            (topic, docno): rank
            for topic, ranking in run.rankings.items()
            for rank, docno in enumerate(ranking[: reaches[run.tag]], start=1)
            if docno in pool.get(topic, ())
        }
        for run in runs
    }


def by_owner(brought: Contributions, owners: Mapping[str, str]) -> dict[str, dict[Pair, int]]:
    """Return the contributions of runs put together. owners: tag -> group or kind."""
    together: dict[str, dict[Pair, int]] = {}
    for tag, ranks in brought.items():
        best = together.setdefault(owners[tag], {})
        for pair, rank in ranks.items():
            best[pair] = min(rank, best.get(pair, rank))
    return together


def groups_of(runs: Iterable[RunRankings]) -> dict[str, str]:
    """Return tag -> group; a run whose group is unknown is a group of its own, of its tag."""
    return {run.tag: run.group or run.tag for run in runs}


def kinds_of(runs: Iterable[RunRankings]) -> dict[str, str]:
    """Return tag -> kind. What only one kind brought is the manual-only and the automatic-only part."""
    return {run.tag: run.kind for run in runs}


class Contribution(NamedTuple):
    """What one run, group or kind brought, in documents.

    unique: in no other's contribution. first: found at the best rank of all; documents that several found at
    the same rank are shared equally, so that the sum over all is the pool.
    """

    pooled: int
    unique: int
    relevant: int
    unique_relevant: int
    first: float


def tallied(brought: Contributions, relevant: Collection[Pair] = ()) -> dict[str, Contribution]:
    """Return who -> counts of the contribution (Zobel 1998; Buettcher et al. 2007).

    relevant: the pairs judged relevant; empty before judging.
    """
    finders = Counter(pair for ranks in brought.values() for pair in ranks)
    best: dict[Pair, int] = {}
    for ranks in brought.values():
        for pair, rank in ranks.items():
            best[pair] = min(rank, best.get(pair, rank))
    leaders = Counter(
        pair for ranks in brought.values() for pair, rank in ranks.items() if rank == best[pair]
    )
    tallies = {}
    for who, ranks in brought.items():
        alone = [pair for pair in ranks if finders[pair] == 1]
        tallies[who] = Contribution(
            len(ranks),
            len(alone),
            sum(pair in relevant for pair in ranks),
            sum(pair in relevant for pair in alone),
            sum(1 / leaders[pair] for pair, rank in ranks.items() if rank == best[pair]),
        )
    return tallies


def unique_to(brought: Contributions) -> dict[str, set[Pair]]:
    """Return who -> the pairs that nobody else brought."""
    finders = Counter(pair for ranks in brought.values() for pair in ranks)
    return {who: {pair for pair in ranks if finders[pair] == 1} for who, ranks in brought.items()}


def leave_one_out(
    grades: Mapping[Pair, Grade], brought: Contributions
) -> Iterator[tuple[str, dict[Pair, Grade]]]:
    """Yield (who, the qrels as they were without them): what they alone brought is not judged.

    Leave-one-run-out (Zobel 1998) or, of the contributions of groups, leave-one-group-out (Buettcher et al.
    2007). Scoring the run on both tells how unjudged newcomers fare. Right for pools known before judging; a
    live order would have chosen other documents, and is to be played again without the run.
    """
    for who, alone in unique_to(brought).items():
        yield who, {pair: grade for pair, grade in grades.items() if pair not in alone}


class Overlap(NamedTuple):
    """tags: the runs. shared: int64 of shape (runs, runs), how many pooled documents two runs both brought;
    on the diagonal what each brought."""

    tags: tuple[str, ...]
    shared: IntVector


def overlap(brought: Contributions) -> Overlap:
    """Return how many pooled documents each two runs share."""
    number: dict[Pair, int] = {}
    rows = [[number.setdefault(pair, len(number)) for pair in ranks] for ranks in brought.values()]
    holds = np.zeros((len(rows), len(number)), dtype=bool)
    for held, columns in zip(holds, rows, strict=True):
        held[columns] = True
    return Overlap(tuple(brought), shared_by(holds))


def shared_by(holds: Flags) -> IntVector:
    """Return how many documents each two runs hold both: int64 of shape (runs, runs).

    holds: shape (runs, documents). Counts the bits that two rows have in common, 64 documents at a time.
    """
    packed = np.packbits(holds, axis=1)
    rows = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)
    shared = np.zeros((len(rows), len(rows)), dtype=np.int64)
    for number, row in enumerate(rows):
        shared[number, number:] = np.bitwise_count(rows[number:] & row).sum(axis=1)
    return shared + np.triu(shared, k=1).T
