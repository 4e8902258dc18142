"""Many labels at once: of a new judge, in short transactions that nothing shows before the last one."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from assess.models import Judgment, JudgmentEvent, QueueEntry, UnfinishedLoad
from assess.services.counters import ProgressChange, add_progress, lock_documents, update_summaries_of_judge
from assess.services.unfinished_loads import end_load, insert_chunks, last_chunk
from pooling.checksum import text_hash
from pooling.models import Campaign, Job, PooledDocument
from pooling.queries.documents import pooled_in
from pooling.services.files import insert_rows

BATCH = 1000  # rows in one statement


class LabelBatch(NamedTuple):
    """Labels that can be stored, as columns of equal length, with the keys of pooled documents.

    pairs: (topic, docno). grades, reasons: a grade and "", or None and the reason why there is no grade.
    hashes: checksums of the texts. keys: (topic, docno) -> primary key, of all pooled documents.
    """

    pairs: list[tuple[str, str]]
    grades: list[int | None]
    reasons: list[str]
    hashes: list[str]
    uuids: list[uuid.UUID]
    keys: dict[tuple[str, str], int]


def label_batch(campaign: Campaign, grades: Mapping[tuple[str, str], int]) -> LabelBatch:
    """Return grades, (topic, docno) -> grade, as labels of the texts that the campaign has."""
    hashes, no_text = dict(campaign.documents.values_list("docno", "text_hash")), text_hash("", "")
    return LabelBatch(
        list(grades),
        [grade if grade >= 0 else None for grade in grades.values()],
        ["" if grade >= 0 else JudgmentEvent.Reason.SCALE.value for grade in grades.values()],
        [hashes.get(docno, no_text) for _, docno in grades],
        [uuid.uuid4() for _ in grades],
        keys_of(pooled_in(campaign)),
    )


def keys_of(pooled: QuerySet[PooledDocument]) -> dict[tuple[str, str], int]:
    rows = pooled.order_by().values_list("topic__number", "docno", "pk")
    return {(topic, docno): pk for topic, docno, pk in rows.iterator(chunk_size=10_000)}


@transaction.atomic
def store_labels(campaign: Campaign, judge: User, grades: Mapping[tuple[str, str], int]) -> None:
    """Store grades, (topic, docno) -> grade, of a judge who has judged none of these pooled documents.

    A negative grade is stored as "cannot judge": it does not fit the scale.
    """
    labels = label_batch(campaign, grades)
    _insert(judge, labels, slice(None))
    _count_labels(campaign, judge, labels, _changes(labels))
    queue = QueueEntry.objects.filter(judge=judge, kind=QueueEntry.Kind.JUDGING)
    pooled = [labels.keys[pair] for pair in labels.pairs]
    for start in range(0, len(pooled), BATCH):  # by key: no database has statistics of rows just stored
        queue.filter(pooled__in=pooled[start : start + BATCH]).update(state=QueueEntry.State.DONE)


Changes = dict[int, ProgressChange]
"""topic -> what labels add to the judge's progress."""


def insert_labels(load: UnfinishedLoad, judge: User, labels: LabelBatch, job: Job | None = None) -> Changes:
    """Insert the labels of a new judge, but those of `last_chunk`; return what `finish_labels` needs.

    Raises LoadReplaced and Stopped.
    """
    insert_chunks(load, len(labels.pairs), lambda rows: _insert(judge, labels, rows), job)
    return _changes(labels)


def finish_labels(load: UnfinishedLoad, judge: User, labels: LabelBatch, changes: Changes) -> None:
    """Insert the last labels and let everybody see all of them, in the caller's transaction.

    A release uses these labels only if its last label event is not older than theirs, so the newest of them
    must be stored here. Raises LoadReplaced.
    """
    end_load(load)
    _insert(judge, labels, last_chunk(len(labels.pairs)))
    _count_labels(load.campaign, judge, labels, changes)


def _insert(judge: User, labels: LabelBatch, rows: slice) -> None:
    pooled, grades = [labels.keys[pair] for pair in labels.pairs[rows]], labels.grades[rows]
    lock_documents(pooled)
    insert_rows(
        JudgmentEvent,
        len(pooled),
        uuid=labels.uuids[rows],
        judge_id=judge.pk,
        pooled_id=pooled,
        relevance=grades,
        reason=labels.reasons[rows],
        text_hash=labels.hashes[rows],
        source="import",
    )
    events = JudgmentEvent.with_unfinished.filter(judge=judge).order_by("-pk")
    event_of = dict(events.values_list("pooled", "pk")[: len(pooled)])
    insert_rows(
        Judgment,
        len(pooled),
        judge_id=judge.pk,
        pooled_id=pooled,
        event_id=[event_of[pk] for pk in pooled],
        relevance=grades,
    )


def _count_labels(campaign: Campaign, judge: User, labels: LabelBatch, changes: Changes) -> None:
    """Update what is derived from labels: summaries of documents and progress."""
    if not campaign.sources.programs().filter(user=judge).exists():
        lock_documents([labels.keys[pair] for pair in labels.pairs])
        update_summaries_of_judge(campaign.pk, judge.pk)
    add_progress({(judge.pk, topic): change for topic, change in changes.items()})


def _changes(labels: LabelBatch) -> Changes:
    example = {number: labels.keys[number, docno] for number, docno in labels.pairs}  # a document of each
    topic_of = dict(PooledDocument.objects.filter(pk__in=example.values()).values_list("pk", "topic"))
    counts = Counter(number for number, _ in labels.pairs)
    given = zip(labels.pairs, labels.grades, strict=True)
    refused = Counter(number for (number, _), grade in given if grade is None)
    return {
        topic_of[pk]: ProgressChange(labels=counts[number], refused=refused[number])
        for number, pk in example.items()
    }
