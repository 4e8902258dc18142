"""Labels from files: of people who judged elsewhere, and of machines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from io import BytesIO
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from assess.judgment_check import JudgmentCheck, match_docnos
from assess.models import Load, Source
from assess.queries.judgment_files import compare_with_pools, known_docnos
from assess.services.assignments import assign
from assess.services.bulk_labels import LabelBatch, finish_labels, insert_labels, keys_of, label_batch
from assess.services.sources import SourceRefused, withdraw_source
from assess.services.unfinished_loads import label_load
from pooling.campaign_states import check_additions
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, BadLine, unpack
from pooling.formats.qrels import JudgmentFile, JudgmentRecord, judgment_file
from pooling.formats.run_checks import RunFinding
from pooling.intake.compare import Match, match_names
from pooling.intake.tables import AS_IT_IS, OF_FORMS, Reading
from pooling.manifest import pairs_text
from pooling.models import Campaign, Job, Pool, Role
from pooling.queries.documents import pool_keys, pooled_before
from pooling.services.audit_log import log_change
from pooling.services.files import read_upload
from pooling.services.jobs import JobTask, finish, start_job
from pooling.services.people import add_member
from pooling.services.pools import PoolRefused, store_pool
from pooling.strategies.candidates import Pooled, PoolEntry
from pooling.words import counted

MOST_NAMED = 10  # unknown topics and grades that a refusal lists
NONE_POOLED = (
    "expected a judgment of at least one pooled document, found none; to make a pool of {},"
    " extend the pool (command: --extend-pool, REST API: extend_pool)"
)


class LoadedJudgments(NamedTuple):
    """newly_pooled: documents by which the pool was extended. check: the file, compared with the pools.

    notes: how the file was read, and what was left out of it.
    """

    judge: User
    labels: int
    newly_pooled: int
    check: JudgmentCheck
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        text = f"{self.labels:,} judgment{pluralize(self.labels)} of {self.judge} loaded."
        text += "".join(f" Note: {note}." for note in self.notes)
        if count := self.newly_pooled:
            return f"{text} The pool was extended by {count:,} document{pluralize(count)}."
        if left := self.check.outside:
            return f"{text} {left:,} of documents in no pool {pluralize(left, 'was,were')} left out."
        return text


def load_judgments(
    campaign: Campaign,
    organiser: User,
    content: bytes,
    name: str,
    judge_name: str,
    grades: Mapping[int, int] | None = None,
    extend_pool: bool = False,
    in_plan: bool = False,
    replaces: int | None = None,
    job: Job | None = None,
    reading: Reading = AS_IT_IS,
) -> LoadedJudgments:
    """Store the judgments of a qrels file as labels of a new judge who cannot sign in.

    grades: grade in the file -> grade of the campaign, where they differ. A negative grade means "cannot
    judge", as in qrels that NIST publishes. Judgments of documents that are in no pool are left out, unless
    extend_pool is set: then these documents form a pool of their own, which is frozen before the first label
    and stays if the load is interrupted. in_plan: assign the topics of the file to the judge, who then can be
    their primary judge. replaces: the key of the source that has this name; its labels are withdrawn when
    these are stored. The file is read and compared with the pools before anything is stored. job: is
    finished in the last transaction. reading: what fields and words of the file mean. Raises BadFile,
    LoadReplaced and Stopped.
    """
    earlier = pool_keys(campaign)  # read before the documents of these pools
    before = pooled_before(campaign)
    records, notes = read_records(campaign, content, name, before, grades, reading)
    check = compare_with_pools(campaign, records, before)
    if not check.pooled and not extend_pool:
        raise BadFile(NONE_POOLED.format(counted(check.outside, "document")), name=name)
    if not extend_pool:
        records = [record for record in records if record.docno in before.get(record.topic, ())]
    labels = label_batch(campaign, {(record.topic, record.docno): record.grade for record in records})
    pooled = _not_pooled(labels)
    summary, checksum = f"{len(records):,} from {name}, as those of {judge_name}", sha256_of(content)
    if left_out := check.judgments - len(records):
        summary += f"; {left_out:,} left out"
    with label_load(campaign, judge_name, replaces) as (load, judge):
        pool = _pool_judged(campaign, organiser, pooled, name, earlier)
        if pool:
            labels = labels._replace(keys=labels.keys | keys_of(pool.documents.all()))
        changes = insert_labels(load, judge, labels, job)
        loaded = LoadedJudgments(judge, len(records), sum(map(len, pooled.values())), check, notes)
        with transaction.atomic():
            add_member(campaign, judge, Role.JUDGE, by=organiser)
            source = Source(campaign=campaign, user=judge, kind=Source.Kind.ELSEWHERE)
            source.left_out, source.loaded_by = left_out, organiser
            file = FileDetails(name, checksum, grades or {}, reading, pool)
            _store_source(source, file, len(records), replaces)
            if in_plan:
                topics = campaign.topics.filter(number__in={record.topic for record in records})
                assign([judge], topics, by=organiser)
            finish_labels(load, judge, labels, changes)
            about = {"judge": judge.username, "sha256": checksum} | chosen(reading)
            log_change(campaign, organiser, "loaded judgments", summary, **about)
            if job:
                finish(job, str(loaded), reverse("assess:judging", args=[campaign.slug]))
    return loaded


def start_loading_judgments(
    campaign: Campaign, organiser: User, content: bytes, task: JobTask, arguments: Mapping[str, Any]
) -> Job:
    """Start the job that loads a file of judgments. arguments: the others of `load_judgments`, by name.

    Raises StateRefused.
    """
    check_additions(campaign.state)
    stored = dict(arguments) | {"grades": list(arguments["grades"].items())}  # JSON keys would be texts
    stored["reading"] = chosen(arguments["reading"])
    title = f"Load judgments from {arguments['name']}"
    return start_job(campaign, organiser, task, title, stored, BytesIO(content))


def load_judgments_in_background(job: Job) -> None:
    """Load the judgments of a job; its arguments are those of `load_judgments`. Raises what that raises."""
    arguments = job.arguments | {"grades": dict(job.arguments["grades"])}
    said = job.arguments.get("reading", {})  # jobs of earlier versions have none
    arguments["reading"] = Reading(choices=OF_FORMS, **said)
    with job.upload.open("rb") as file:
        arguments["content"] = read_upload(file, arguments["name"])
    load_judgments(job.campaign, job.user, **arguments, job=job)


def chosen(reading: Reading) -> dict[str, Any]:
    """Return what a person said about a file, for JSON: the parts of `reading` that are not empty."""
    said: dict[str, Any] = {"fields": dict(reading.fields), "words": dict(reading.words)}
    said |= {"topics": reading.topics, "docnos": reading.docnos}
    return {part: values for part, values in said.items() if values}


class UnknownNames(BadLine):
    """Topics or grades that the campaign does not have; the message is about the first of them.

    errors: the first ones, each at its first line. more: how many others there are. match: how the topics of
    the file would be those of the campaign.
    """

    def __init__(
        self, message: str, errors: Sequence[RunFinding], name: str = "", match: Match | None = None
    ) -> None:
        super().__init__(errors[0].line or 1, message, name)
        self.errors, self.more = errors[:MOST_NAMED], max(0, len(errors) - MOST_NAMED)
        self.match = match


class UnknownTopic(UnknownNames):
    """The first of them is a topic."""


def read_records(
    campaign: Campaign,
    content: bytes,
    name: str,
    pooled: Mapping[str, Collection[str]],
    grades: Mapping[int, int] | None,
    reading: Reading = AS_IT_IS,
) -> JudgmentFile:
    """Return the lines of a file of judgments, with grades and names of the campaign, and notes.

    pooled: topic -> docnos of all pools. Raises BadFile, among them UnknownTopic, and StateRefused.
    """
    check_additions(campaign.state)
    records, notes = judgment_file(unpack(content, name, settings.UPLOAD_LIMIT), name, reading)
    records = [record._replace(grade=(grades or {}).get(record.grade, record.grade)) for record in records]
    topics = campaign.topics.values_list("number", flat=True)
    match = match_names((record.topic for record in records), set(topics))
    if match and reading.topics:
        records = [record._replace(topic=match.names.get(record.topic, record.topic)) for record in records]
        notes.append(match.note("topic"))
        match = None
    check_records(campaign, records, name, match)
    if reading.docnos:
        known = known_docnos(campaign, sorted({record.docno for record in records}))
        if of_pools := match_docnos(records, pooled, known):
            names = of_pools.names
            records = [record._replace(docno=names.get(record.docno, record.docno)) for record in records]
            notes.append(of_pools.note("docno"))
    return JudgmentFile(records, notes)


def check_records(
    campaign: Campaign, records: list[JudgmentRecord], name: str, match: Match | None = None
) -> None:
    """Raise UnknownNames for topics and grades that the campaign does not have. match: of the topics."""
    topics = set(campaign.topics.values_list("number", flat=True))
    scale = {grade.value for grade in campaign.grades}
    unknown: dict[tuple[str, str | int], list[int]] = {}  # ("topic" or "grade", it) -> its first line, lines
    for record in records:
        if record.topic not in topics:
            first = unknown.setdefault(("topic", record.topic), [record.line, 0])
        elif record.grade not in scale and record.grade >= 0:
            first = unknown.setdefault(("grade", record.grade), [record.line, 0])
        else:
            continue
        first[1] += 1
    if not unknown:
        return
    grades = "a grade of the scale " + ", ".join(str(grade.value) for grade in campaign.grades)
    wishes = {"topic": "a topic of this campaign", "grade": f"{grades}, or an entry in the grade mapping"}
    errors = [
        RunFinding(f"{kind} {value}, on {counted(lines, 'line')}", wishes[kind], line)
        for (kind, value), (line, lines) in unknown.items()
    ]
    kind, value = next(iter(unknown))
    if kind == "grade":
        message = f"expected {grades}, found {value}; map it to a grade of the scale"
        raise UnknownNames(message, errors, name)
    hint = f". {match.sentence('topic', 'of this campaign')}" if match else ""
    raise UnknownTopic(f"topic {value} is not in this campaign{hint}", errors, name, match)


def _not_pooled(labels: LabelBatch) -> Pooled:
    """Return the documents that are in no pool."""
    pooled: Pooled = {}
    for topic, docno in labels.pairs:
        if (topic, docno) not in labels.keys:
            pooled.setdefault(topic, {})[docno] = PoolEntry(None, 0)
    return pooled


def _pool_judged(
    campaign: Campaign, organiser: User, pooled: Pooled, name: str, earlier: list[int]
) -> Pool | None:
    """Freeze a pool of these documents; return None if there are none. Raises BadFile."""
    if not pooled:
        return None
    manifest = {
        "strategy": "judged elsewhere",
        "parameters": {"file": name},
        "runs": [],
        "documents": sum(map(len, pooled.values())),
        "topics": len(pooled),
        "sha256": sha256_of(pairs_text(pooled)),
    }
    try:
        return store_pool(campaign, organiser, manifest, pooled, earlier=earlier)
    except PoolRefused as error:
        message = "another pool was frozen while this file was read: load the file again"
        raise BadFile(message, name=name) from error


class FileDetails(NamedTuple):
    """A file of labels. grades, reading: see `load_judgments`. pool: the pool that was made for it."""

    name: str
    sha256: str
    grades: Mapping[int, int]
    reading: Reading
    pool: Pool | None = None


def _store_source(source: Source, file: FileDetails, labels: int, replaces: int | None) -> None:
    """Store a source and its load, and withdraw the source that it replaces, in the caller's transaction."""
    campaign, user = source.campaign, source.loaded_by
    assert user
    source.save()
    last = Campaign.objects.select_for_update().get(pk=campaign.pk).loads.first()  # one number at a time
    load = Load(campaign=campaign, source=source, number=last.number + 1 if last else 1, by=user)
    load.name, load.sha256, load.pool = file.name[:255], file.sha256, file.pool
    load.grades = [list(pair) for pair in file.grades.items()]
    load.reading = chosen(file.reading)
    load.counts = {"labels": labels, "left_out": source.left_out}
    load.save()
    if replaces is not None:
        withdraw_source(campaign.sources.get(pk=replaces), user, f"Replaced by {load}.")


def replace_file(
    source: Source,
    user: User,
    content: bytes,
    name: str,
    grades: Mapping[int, int] | None = None,
    reading: Reading = AS_IT_IS,
) -> Source:
    """Store a newer file of labels under the name of a source, and withdraw the older labels.

    Raises BadFile and SourceRefused, and then nothing changes.
    """
    campaign, known = source.campaign, source.user.name
    if source.withdrawn_at or not source.is_from_file:
        raise SourceRefused(f"The labels of {source.user} are not from a file, or are withdrawn.")
    if source.kind == Source.Kind.FILE:
        day = source.made_on or timezone.localdate()
        details = MachineDetails(known, source.model, source.prompt_sha256, day, source.note)
        return load_machine_labels(campaign, user, content, name, details, grades, source.pk, reading)
    in_plan = source.user.assignments.filter(topic__campaign=campaign).exists()
    loaded = load_judgments(
        campaign, user, content, name, known, grades, in_plan=in_plan, replaces=source.pk, reading=reading
    )
    return campaign.sources.get(user=loaded.judge)


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
    replaces: int | None = None,
    reading: Reading = AS_IT_IS,
) -> Source:
    """Store the grades of a qrels file as labels of a new machine judge.

    grades: grade in the file -> grade of the campaign, where they differ. Labels of documents that are in no
    pool are skipped and counted: a machine does not decide what people judge. replaces: see
    `load_judgments`. Raises BadFile and SourceRefused, and then nothing is stored.
    """
    pooled = pooled_before(campaign)
    records, _ = read_records(campaign, content, name, pooled, grades, reading)
    pooled_grades = {
        (record.topic, record.docno): record.grade
        for record in records
        if record.docno in pooled.get(record.topic, ())
    }
    if not pooled_grades:
        raise BadFile("expected a label of at least one pooled document, found none", name=name)
    labels = label_batch(campaign, pooled_grades)
    summary, checksum = f"{len(pooled_grades):,} from {name}, as those of {machine.name}", sha256_of(content)
    with label_load(campaign, machine.name, replaces) as (load, judge):
        changes = insert_labels(load, judge, labels)
        with transaction.atomic():
            stored = Source(
                campaign=campaign,
                user=judge,
                kind=Source.Kind.FILE,
                model=machine.model,
                prompt_sha256=machine.prompt_sha256,
                made_on=machine.made_on,
                note=machine.note,
                left_out=len(records) - len(pooled_grades),
                loaded_by=organiser,
            )
            _store_source(
                stored, FileDetails(name, checksum, grades or {}, reading), len(pooled_grades), replaces
            )
            finish_labels(load, judge, labels, changes)
            about = {"judge": judge.username, "sha256": checksum} | chosen(reading)
            log_change(campaign, organiser, "loaded machine labels", summary, **about)
    return stored
