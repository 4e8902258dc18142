"""Progress by topic and judge: done, left, and time. For organisers, never for a judge."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Exists, OuterRef, QuerySet

from accounts.models import User
from assess.event_columns import grouped_sums
from assess.models import Assignment, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.filling import covered_documents
from assess.queries.label_totals import Timing, label_totals, merge_timings, timings_of
from assess.queries.labels import judges_of
from assess.queries.queues import in_plan, is_live
from pooling.checksum import sha256_of
from pooling.models import Topic

Part = Assignment.Part
SOME = (Part.SECOND, Part.AUDIT)  # parts with some documents of a pool, which another judge has, too


class Cell(NamedTuple):
    """One judge at one topic.

    part: empty if it is not assigned any more. left: remaining documents of this judge; of a shared topic,
    all that none of its judges has judged. refused: number of *cannot judge* among the done. seconds: mean
    active seconds of a label, None where nothing was measured. since: when it was assigned.
    """

    part: str
    done: int
    left: int
    relevant: int
    refused: int
    seconds: float | None
    last_label: datetime | None
    since: datetime | None
    judge: User

    @property
    def total(self) -> int:
        return self.done + self.left

    @property
    def shared(self) -> bool:
        return self.part == Part.SHARED


class Row(NamedTuple):
    """One topic. judged: documents with a label of any judge. relevant: by the rule of the grid.

    left: remaining labels. unassigned: unjudged documents of pools that are assigned to no active judge, or
    to second judges only, without those that programs fill and those of a sample that a judge has. A topic is
    complete when no label remains and no document is unassigned.
    """

    topic: Topic
    pooled: int
    judged: int
    relevant: int
    left: int
    seconds: float | None
    unassigned: int
    cells: list[Cell | None]

    @property
    def is_complete(self) -> bool:
        return not self.left

    @property
    def is_assigned_and_done(self) -> bool:
        """Whether it has assignments, and none has a document left. Other documents may have no judge."""
        return self.left == self.unassigned and any(cell and cell.part for cell in self.cells)


class Column(NamedTuple):
    """One judge over all topics. left: with an even part of shared topics."""

    judge: User
    done: int
    left: int
    seconds: float | None
    last_label: datetime | None


class ProgressGrid(NamedTuple):
    """Every topic with a pool, by every judge, with totals.

    rule: decides which documents count as relevant.
    """

    rows: list[Row]
    columns: list[Column]
    seconds: float | None
    rule: str

    def of(self, field: str) -> int:
        return sum(getattr(row, field) for row in self.rows)

    @property
    def pooled(self) -> int:
        return self.of("pooled")

    @property
    def judged(self) -> int:
        return self.of("judged")

    @property
    def relevant(self) -> int:
        return self.of("relevant")

    @property
    def left(self) -> int:
        return self.of("left")

    @property
    def done(self) -> int:
        return sum(column.done for column in self.columns)

    @property
    def refused(self) -> int:
        return sum(cell.refused for row in self.rows for cell in row.cells if cell)

    @property
    def unassigned_topics(self) -> list[str]:
        """Numbers of the topics with unassigned documents."""
        return [row.topic.number for row in self.rows if row.unassigned]

    @property
    def unassigned(self) -> int:
        return self.of("unassigned")

    @property
    def labelled(self) -> int:
        """Number of topics of which each document has a label."""
        return sum(row.judged >= row.pooled for row in self.rows)

    @property
    def completed(self) -> int:
        """Number of topics with every assignment done."""
        return sum(row.is_assigned_and_done for row in self.rows)


def progress_grid(reads: CampaignReads) -> ProgressGrid:
    """Return the progress of a campaign, with a fixed number of aggregate queries."""
    counts = _Counts(reads)
    judges = sorted(judges_of(reads.campaign), key=lambda judge: (str(judge).lower(), judge.pk))
    topics = [topic for topic in reads.topics if counts.pooled[topic.pk]]
    rows = [_row(counts, topic, judges) for topic in topics]
    columns = [
        _column(counts, judge, topics, [row.cells[place] for row in rows])
        for place, judge in enumerate(judges)
    ]
    every = merge_timings(counts.timings.values())
    return ProgressGrid(rows, columns, every.mean, counts.done.rule)


class _Counts:
    """The aggregates of a campaign."""

    def __init__(self, reads: CampaignReads) -> None:
        self.sizes = pool_sizes(reads)
        self.pooled = Counter[int]()
        self.pools: dict[int, list[int]] = defaultdict(list)
        for (topic, pool), size in self.sizes.items():
            self.pooled[topic] += size
            self.pools[topic].append(pool)
        self.done = label_totals(reads)
        self.labels = self.done.labels
        self.timings = defaultdict(Timing, timings_of(reads.campaign))
        self.assignments: dict[tuple[int, int], list[Assignment]] = defaultdict(list)
        self.sharers = Counter[tuple[int, int]]()
        self._read_assignments(reads)
        self.waiting = self._waiting()
        parts = {each.part for assignments in self.assignments.values() for each in assignments}
        self.covered = covered_documents(reads, has_samples=Part.AUDIT in parts)

    def _read_assignments(self, reads: CampaignReads) -> None:
        assignments = list(Assignment.objects.filter(topic__campaign=reads.campaign))
        # There are few users and pools; a join would read them once for each of thousands of assignments.
        pools = {pool.pk: pool for pool in reads.pools}
        judges = User.objects.in_bulk({assignment.judge_id for assignment in assignments})
        for assignment in assignments:
            assignment.pool, assignment.judge = pools[assignment.pool_id], judges[assignment.judge_id]
            self.assignments[assignment.topic_id, assignment.judge_id].append(assignment)
            if assignment.part == Part.SHARED and assignment.judge.is_active:
                self.sharers[assignment.topic_id, assignment.pool_id] += 1
        shared = _labels_of_sharers(reads, {topic for topic, _ in self.sharers})
        self.taken = _counted(shared, "pooled__topic", "pooled__pool", what="pooled")

    def _waiting(self) -> Counter[tuple[int, ...]]:
        """Return (topic, pool, judge) -> open documents, for assignments whose rest is counted in the queue.

        A queue entry has no pool. Where all of a judge's assignments on a topic are counted in the queue, all
        its documents are counted under the first pool, because only sums are shown. Otherwise they are
        counted by pool.
        """
        queues = QueueEntry.objects.filter(state=QueueEntry.State.OPEN, kind=QueueEntry.Kind.JUDGING)
        counts, mixed_places = Counter[tuple[int, ...]](), set()
        by_queue = {
            place: assignments
            for place, assignments in self.assignments.items()
            if any(map(_by_queue, assignments))
        }
        by_topic = _counted(queues.filter(topic__in={topic for topic, _ in by_queue}), "topic", "judge")
        for (topic, judge), assignments in by_queue.items():
            if all(map(_by_queue, assignments)):
                counts[topic, assignments[0].pool_id, judge] = by_topic[topic, judge]
            else:
                mixed_places.add((topic, judge))
        mixed = queues.filter(topic__in={topic for topic, _ in mixed_places})
        by_pool = _counted(mixed, "topic", "pooled__pool", "judge")
        return counts + Counter({key: n for key, n in by_pool.items() if (key[0], key[2]) in mixed_places})

    def left(self, assignment: Assignment) -> int:
        """Return the remaining documents of an assignment; of a shared one, for all its judges together."""
        place = assignment.topic_id, assignment.pool_id
        if not assignment.judge.is_active:  # the judge of imported labels: there will be no more
            return 0
        if assignment.part == Part.SHARED:
            return max(0, self.sizes[place] - self.taken[place])
        if _by_queue(assignment):
            return self.waiting[*place, assignment.judge_id]
        return max(0, self.sizes[place] - self._done(assignment))

    def _done(self, assignment: Assignment) -> int:
        labels = self.labels.get((assignment.topic_id, assignment.judge_id), {})
        return labels.get(assignment.pool_id, (0, 0, 0))[0]

    def unassigned(self, topic: int, assignments: list[Assignment]) -> int:
        """Return the number of unjudged documents that need a primary or sharing judge and have none."""
        assigned = {each.pool_id for each in assignments if each.part not in SOME and each.judge.is_active}
        return sum(
            self.sizes[topic, pool] - self.done.documents.get((topic, pool), 0) - self.covered[topic, pool]
            for pool in self.pools[topic]
            if pool not in assigned
        )

    def judge_share(self, assignment: Assignment) -> int:
        """Return the remaining documents of an assignment; of a shared one, an even part."""
        sharers = self.sharers[assignment.topic_id, assignment.pool_id]
        left = self.left(assignment)
        return ceil(left / sharers) if assignment.part == Part.SHARED and sharers else left


def _by_queue(assignment: Assignment) -> bool:
    """Whether the remaining documents are counted in the queue: of an overlap, a sample or a live order."""
    own = assignment.part in SOME or is_live(assignment.pool)
    return own and assignment.part != Part.SHARED


def _counted(rows: QuerySet[Any], *fields: str, what: str = "*") -> Counter[tuple[int, ...]]:
    counts = rows.order_by().values_list(*fields).annotate(n=Count(what, distinct=what != "*"))
    return Counter({tuple(key): count for *key, count in counts})


def pool_sizes(reads: CampaignReads) -> Counter[tuple[int, ...]]:
    """Return (topic, pool) -> documents to judge.

    A frozen pool changes only when documents of it become gold or training documents, or are withheld.
    """
    version = reads.pool_keys, reads.probes.tolist(), sha256_of(repr(reads.withheld.tolist()))
    return reads.cached("sizes", version, lambda: _count_sizes(reads))


def _count_sizes(reads: CampaignReads) -> Counter[tuple[int, ...]]:
    documents = reads.pooled.where(reads.is_to_be_judged & ~np.isin(reads.pooled.pk, reads.withheld))
    counts = grouped_sums((documents.topic, documents.pool), np.ones_like(documents.pk))
    return Counter({(reads.topics[topic].pk, pool): size for (topic, pool), (size,) in counts})


def _labels_of_sharers(reads: CampaignReads, topics: set[int]) -> QuerySet[Any]:
    """Return the labels on these topics of all judges who share or have shared them."""
    same = Assignment.objects.filter(topic=OuterRef("pooled__topic"), pool=OuterRef("pooled__pool"))
    apart = same.filter(judge=OuterRef("judge")).exclude(part=Part.SHARED)
    labels = in_plan(reads.judgments_of_people()).filter(pooled__topic__in=topics)
    return labels.filter(Exists(same.filter(part=Part.SHARED)), ~Exists(apart))


def _row(counts: _Counts, topic: Topic, judges: list[User]) -> Row:
    cells = [_cell(counts, topic.pk, judge) for judge in judges]
    judged = sum(counts.done.documents.get((topic.pk, pool), 0) for pool in counts.pools[topic.pk])
    assignments = [each for judge in judges for each in counts.assignments.get((topic.pk, judge.pk), ())]
    left = {
        (each.pool_id, each.judge_id): counts.left(each) for each in assignments if each.part != Part.SHARED
    }
    left |= {(each.pool_id, 0): counts.left(each) for each in assignments if each.part == Part.SHARED}
    unassigned = counts.unassigned(topic.pk, assignments)
    timing = merge_timings(counts.timings[topic.pk, judge.pk] for judge in judges)
    return Row(
        topic,
        counts.pooled[topic.pk],
        judged,
        counts.done.relevant[topic.pk],
        sum(left.values()) + unassigned,
        timing.mean,
        unassigned,
        cells,
    )


def _cell(counts: _Counts, topic: int, judge: User) -> Cell | None:
    assignments = counts.assignments.get((topic, judge.pk), [])
    given = counts.labels.get((topic, judge.pk), {}).values()
    if not assignments and not given:
        return None
    done, relevant, refused = (sum(figures[place] for figures in given) for place in range(3))
    timing = counts.timings[topic, judge.pk]
    return Cell(
        assignments[0].part if assignments else "",
        done,
        sum(map(counts.left, assignments)),
        relevant,
        refused,
        timing.mean,
        timing.last_label,
        min((each.assigned_at for each in assignments), default=None),
        judge,
    )


def _column(counts: _Counts, judge: User, topics: list[Topic], cells: list[Cell | None]) -> Column:
    assignments = [each for topic in topics for each in counts.assignments.get((topic.pk, judge.pk), ())]
    timing = merge_timings(counts.timings[topic.pk, judge.pk] for topic in topics)
    return Column(
        judge,
        sum(cell.done for cell in cells if cell),
        sum(map(counts.judge_share, assignments)),
        timing.mean,
        timing.last_label,
    )
