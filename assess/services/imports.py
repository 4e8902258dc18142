"""Labels from files: of people who judged elsewhere, and of machines."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from assess.judgment_check import JudgmentCheck, plain_spelling
from assess.models import Judgment, JudgmentEvent, MachineJudge, QueueEntry, UnfinishedLoad
from assess.queries.judgment_files import compare_with_pools
from assess.services.assignments import assign
from assess.services.counters import ProgressChange, add_progress, lock_documents, update_label_summaries
from assess.services.unfinished_loads import (
    Report,
    end_load,
    insert_chunks,
    label_load,
    last_chunk,
    no_report,
)
from pooling.campaign_states import check_additions
from pooling.checksum import sha256_of, text_hash
from pooling.formats.files import BadFile, BadLine, unpack
from pooling.formats.qrels import JudgmentRecord, read_judgments
from pooling.manifest import pairs_text
from pooling.models import Campaign, PooledDocument, Role
from pooling.queries.documents import pool_keys, pooled_before, pooled_in
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.services.people import add_member
from pooling.services.pools import PoolRefused, store_pool
from pooling.strategies.candidates import Pooled, PoolEntry

BATCH = 1000  # rows in one statement
NONE_POOLED = (
    "expected a judgment of at least one pooled document, found none; to make a pool of these {:,} documents,"
    " extend the pool (command: --extend-pool, REST API: extend_pool)"
)


class LoadedJudgments(NamedTuple):
    """newly_pooled: documents by which the pool was extended. check: the file, compared with the pools."""

    judge: User
    labels: int
    newly_pooled: int
    check: JudgmentCheck


def load_judgments(
    campaign: Campaign,
    organiser: User,
    content: bytes,
    name: str,
    judge_name: str,
    grades: Mapping[int, int] | None = None,
    extend_pool: bool = False,
    report: Report = no_report,
) -> LoadedJudgments:
    """Store the judgments of a qrels file as labels of a new judge who cannot sign in.

    grades: grade in the file -> grade of the campaign, where they differ. A negative grade means "cannot
    judge", as in qrels that NIST publishes. Judgments of documents that are in no pool are left out, unless
    extend_pool is set: then these documents form a pool of their own, which is frozen before the first label
    and stays if the load is interrupted. The file is read and compared with the pools before anything is
    stored. report: is called with the number of stored labels. Raises BadFile and LoadReplaced.
    """
    records = read_records(campaign, content, name, grades)
    earlier = pool_keys(campaign)  # read before the documents of these pools
    before = pooled_before(campaign)
    check = compare_with_pools(campaign, records, before)
    if not check.pooled and not extend_pool:
        raise BadFile(NONE_POOLED.format(check.outside), name=name)
    if not extend_pool:
        records = [record for record in records if record.docno in before.get(record.topic, ())]
    labels = label_batch(campaign, {(record.topic, record.docno): record.grade for record in records})
    pooled = _not_pooled(labels)
    summary, checksum = f"{len(records):,} from {name}, as those of {judge_name}", sha256_of(content)
    if left_out := check.judgments - len(records):
        summary += f"; {left_out:,} left out"
    with label_load(campaign, judge_name) as (load, judge):
        keys = labels.keys | _pool_judged(campaign, organiser, pooled, name, earlier)
        labels = labels._replace(keys=keys)
        insert_labels(load, judge, labels, report)
        with transaction.atomic():
            add_member(campaign, judge, Role.JUDGE, by=organiser)
            topics = campaign.topics.filter(number__in={record.topic for record in records})
            assign([judge], topics, by=organiser)
            finish_labels(load, judge, labels)
            about = {"judge": judge.username, "sha256": checksum}
            log_change(campaign, organiser, "loaded judgments", summary, **about)
    return LoadedJudgments(judge, len(records), sum(map(len, pooled.values())), check)


def read_records(
    campaign: Campaign, content: bytes, name: str, grades: Mapping[int, int] | None
) -> list[JudgmentRecord]:
    """Return the lines of a qrels file, with grades of the campaign. Raises BadFile and StateRefused."""
    check_additions(campaign.state)
    records = read_judgments(unpack(content, name, settings.UPLOAD_LIMIT), name)
    records = [record._replace(grade=(grades or {}).get(record.grade, record.grade)) for record in records]
    check_records(campaign, records, name)
    return records


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
        _keys_of(pooled_in(campaign)),
    )


def _keys_of(pooled: QuerySet[PooledDocument]) -> dict[tuple[str, str], int]:
    rows = pooled.order_by().values_list("topic__number", "docno", "pk")
    return {(topic, docno): pk for topic, docno, pk in rows.iterator(chunk_size=10_000)}


@transaction.atomic
def store_labels(campaign: Campaign, judge: User, grades: Mapping[tuple[str, str], int]) -> None:
    """Store grades, (topic, docno) -> grade, of a judge who has judged none of these pooled documents.

    A negative grade is stored as "cannot judge": it does not fit the scale.
    """
    labels = label_batch(campaign, grades)
    _insert(judge, labels, slice(None))
    _count_labels(campaign, judge, labels)


def insert_labels(load: UnfinishedLoad, judge: User, labels: LabelBatch, report: Report = no_report) -> None:
    """Insert the labels of a new judge, but those that `finish_labels` inserts. Raises LoadReplaced."""
    insert_chunks(load, len(labels.pairs), lambda rows: _insert(judge, labels, rows), report)


def finish_labels(load: UnfinishedLoad, judge: User, labels: LabelBatch) -> None:
    """Insert the last labels and let everybody see all of them, in the caller's transaction.

    A release uses these labels only if its last label event is not older than theirs, so the newest of them
    must be stored here. Raises LoadReplaced.
    """
    end_load(load)
    _insert(judge, labels, last_chunk(len(labels.pairs)))
    _count_labels(load.campaign, judge, labels)


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


def _count_labels(campaign: Campaign, judge: User, labels: LabelBatch) -> None:
    """Update what is derived from labels: summaries of documents, progress, and the judge's queue."""
    pooled = [labels.keys[pair] for pair in labels.pairs]
    if not hasattr(judge, "machine"):
        lock_documents(pooled)
        update_label_summaries(campaign.pk, pooled)
    add_progress({(judge.pk, topic): change for topic, change in _changes(labels).items()})
    queue = QueueEntry.objects.filter(judge=judge, kind=QueueEntry.Kind.JUDGING)
    if not queue.exists():
        return
    for start in range(0, len(pooled), BATCH):  # by key: no database has statistics of rows just stored
        queue.filter(pooled__in=pooled[start : start + BATCH]).update(state=QueueEntry.State.DONE)


def _changes(labels: LabelBatch) -> dict[int, ProgressChange]:
    """Return topic -> what these labels add to the judge's progress."""
    example = {number: labels.keys[number, docno] for number, docno in labels.pairs}  # a document of each
    topic_of = dict(PooledDocument.objects.filter(pk__in=example.values()).values_list("pk", "topic"))
    counts = Counter(number for number, _ in labels.pairs)
    given = zip(labels.pairs, labels.grades, strict=True)
    refused = Counter(number for (number, _), grade in given if grade is None)
    return {
        topic_of[pk]: ProgressChange(labels=counts[number], refused=refused[number])
        for number, pk in example.items()
    }


def check_records(campaign: Campaign, records: list[JudgmentRecord], name: str) -> None:
    """Raise BadLine for the first topic or grade that the campaign does not have."""
    topics = set(campaign.topics.values_list("number", flat=True))
    spellings = {plain_spelling(number): number for number in topics}
    scale = [grade.value for grade in campaign.grades]
    for record in records:
        if record.topic not in topics:
            near = spellings.get(plain_spelling(record.topic))
            hint = f"; it has a topic {near}" if near else ""
            raise BadLine(record.line, f"topic {record.topic} is not in this campaign{hint}", name)
        if record.grade not in scale and record.grade >= 0:
            message = f"expected a grade of the scale {', '.join(map(str, scale))}, found {record.grade}"
            raise BadLine(record.line, f"{message}; map it to a grade of the scale", name)


def _not_pooled(labels: LabelBatch) -> Pooled:
    """Return the documents that are in no pool."""
    pooled: Pooled = {}
    for topic, docno in labels.pairs:
        if (topic, docno) not in labels.keys:
            pooled.setdefault(topic, {})[docno] = PoolEntry(None, 0)
    return pooled


def _pool_judged(
    campaign: Campaign, organiser: User, pooled: Pooled, name: str, earlier: list[int]
) -> dict[tuple[str, str], int]:
    """Freeze a pool of these documents. Return (topic, docno) -> primary key. Raises BadFile."""
    if not pooled:
        return {}
    manifest = {
        "strategy": "judged elsewhere",
        "parameters": {"file": name},
        "runs": [],
        "documents": sum(map(len, pooled.values())),
        "topics": len(pooled),
        "sha256": sha256_of(pairs_text(pooled)),
    }
    try:
        pool = store_pool(campaign, organiser, manifest, pooled, earlier=earlier)
    except PoolRefused as error:
        message = "another pool was frozen while this file was read: load the file again"
        raise BadFile(message, name=name) from error
    return _keys_of(pool.documents.all())


class MachineDetails(NamedTuple):
    """The program that gave the labels. prompt_sha256: checksum of the prompt without the document."""

    name: str
    model: str
    prompt_sha256: str
    made_on: date
    note: str = ""


def load_machine_labels(
    campaign: Campaign,
    organiser: User,
    content: bytes,
    name: str,
    machine: MachineDetails,
    grades: Mapping[int, int] | None = None,
) -> MachineJudge:
    """Store the grades of a qrels file as labels of a new machine judge.

    grades: grade in the file -> grade of the campaign, where they differ. Labels of documents that are in no
    pool are skipped and counted: a machine does not decide what people judge. Raises BadFile, and then
    nothing is stored.
    """
    records = read_records(campaign, content, name, grades)
    pooled = pooled_before(campaign)
    pooled_grades = {
        (record.topic, record.docno): record.grade
        for record in records
        if record.docno in pooled.get(record.topic, ())
    }
    if not pooled_grades:
        raise BadFile("expected a label of at least one pooled document, found none", name=name)
    labels = label_batch(campaign, pooled_grades)
    summary, checksum = f"{len(pooled_grades):,} from {name}, as those of {machine.name}", sha256_of(content)
    with label_load(campaign, machine.name) as (load, judge):
        insert_labels(load, judge, labels)
        with transaction.atomic():
            stored = MachineJudge.objects.create(
                campaign=campaign,
                user=judge,
                model=machine.model,
                prompt_sha256=machine.prompt_sha256,
                made_on=machine.made_on,
                note=machine.note,
                left_out=len(records) - len(pooled_grades),
                loaded_by=organiser,
            )
            finish_labels(load, judge, labels)
            about = {"judge": judge.username, "sha256": checksum}
            log_change(campaign, organiser, "loaded machine labels", summary, **about)
    return stored
