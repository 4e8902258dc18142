"""Submit runs: check the files, store the original bytes and the parsed columns."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from pooling.arrays import Docnos, IntVector
from pooling.campaign_states import StateRefused
from pooling.checksum import sha256_of
from pooling.formats.archives import archive_files, is_zip
from pooling.formats.docnos import UNKNOWN
from pooling.formats.files import UNPACKED_LIMIT, BadFile, open_unpacked, unpack
from pooling.formats.run_checks import RunFinding, RunRequirements, check_run_file, tag_from_name
from pooling.formats.run_columns import column_arrays, pack_columns
from pooling.formats.run_header import read_header
from pooling.formats.runs import RunFile
from pooling.intake.tables import OF_FORMS, Reading
from pooling.limits import is_valid_name
from pooling.models import (
    Campaign,
    DocnoBlock,
    Job,
    Run,
    RunColumns,
)
from pooling.queries.documents import is_any_loaded, newest_document
from pooling.queries.runs import docno_table, in_collection
from pooling.queries.schedule import acceptance_for
from pooling.schedule import Acceptance
from pooling.services.audit_log import log_change
from pooling.services.files import read_upload, store_once
from pooling.services.jobs import advance, finish
from pooling.services.run_changes import MOST_OF_TAG, withdraw_replaced
from pooling.words import counted

GZIP_MAGIC = b"\x1f\x8b"


class Submission(NamedTuple):
    """The fields of a submission. Empty ones are taken from the header of the file, the tag from column 6.

    fields: field -> meaning of a table, where a person chose them. match_topics: topics whose numbers differ
    only in how they are written are those of the campaign.
    """

    tag: str = ""
    group: str = ""
    kind: str = ""
    priority: int = 1
    description: str = ""
    order: str = Run.Order.SCORE
    fields: Mapping[str, str] = {}
    match_topics: bool = False


def run_files(file: File[Any], name: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of a run file, or of every file in a zip archive. Raises BadFile."""
    if not is_zip(file):
        yield name, read_upload(file, name)
        return
    for member, content in archive_files(file, name, settings.UPLOAD_LIMIT):
        yield member, content.read()


def submit_upload(job: Job) -> None:
    """Submit every run of an archive, a transaction each, going on where an earlier attempt ended.

    Arguments of the job: name, tag_from_name, and about: the fields of a `Submission`. A run that is refused
    is listed in the cursor, as name and what is wrong. Raises BadFile when the archive itself is damaged; the
    runs before the damage stay. Raises Stopped.
    """
    name, refused = job.arguments["name"], list(job.cursor.get("refused", []))
    with job.upload.open("rb") as file:
        for number, (member, content) in enumerate(run_files(file, name), start=1):
            if number <= job.done:  # stored, or refused, by an earlier attempt
                continue
            about = Submission(**job.arguments["about"])
            if job.arguments["tag_from_name"]:
                about = about._replace(tag=tag_from_name(member))
            progress = partial(_advance, job, number, refused)
            try:
                submit_run(job.campaign, job.user, content, member, about, progress)
            except BadFile as error:
                refused.append([member, str(error)])
                progress()
    finish(job, job.message, reverse("pooling:run_list", args=[job.campaign.slug]))


def _advance(job: Job, number: int, refused: list[list[str]]) -> None:
    message = f"{counted(number - len(refused), 'run')} stored, {len(refused):,} refused"
    advance(job, number, 0, message, {"refused": refused})


class TagTaken(BadFile):
    """A run file whose tag another run of the campaign has; under another tag it may be stored."""


class CheckedRun(NamedTuple):
    """A valid run file. run: its row, not stored yet. packed: the compressed file."""

    run: Run
    columns: RunFile
    packed: bytes
    warnings: list[RunFinding]


class DocnoNumbers(NamedTuple):
    """The numbers of a run's docnos in the campaign's dictionary.

    ids: of every row, shape (rows,). known: the size of the dictionary that was read. block: the docnos that
    it lacks, compressed; empty where it has them all.
    """

    ids: IntVector
    known: int
    block: bytes


def submit_run(
    campaign: Campaign,
    user: User,
    content: bytes,
    name: str,
    about: Submission,
    progress: Callable[[], None] = lambda: None,
    replaced: Run | None = None,
) -> Run:
    """Check a run file, store its bytes and its columns.

    Raises BadFile, and StateRefused where the campaign accepts no run from this person; no run is stored.
    replaced: an older run, which is withdrawn and gives its tag to this one. Raises RunLocked if it cannot.

    A file with errors raises its subclass RunRefused, which lists them. progress: called in the transaction
    that stores the run. All that takes time happens before that transaction; when another run has added
    docnos to the campaign's dictionary meanwhile, the docnos are numbered again.
    """
    arrived = timezone.now()
    accepted = check_acceptance(campaign, user, arrived, replaced)
    checked = check_run(campaign, user, content, name, about, replaced)
    checked.run.is_late = accepted.is_late
    checked.run.is_hidden = bool(replaced and replaced.is_hidden)
    checked.run.original = store_original(checked.packed, name, checked.run.sha256)
    while True:
        numbering = number_docnos(campaign, checked.columns.docnos)
        arrays = pack_columns(column_arrays(checked.columns, numbering.ids))
        with transaction.atomic():
            stored = Campaign.objects.select_for_update().get(pk=campaign.pk)  # one submission at a time
            check_acceptance(stored, user, arrived, replaced)
            if not campaign.docno_blocks.filter(start__gte=numbering.known).exists():
                former = withdraw_replaced(replaced, checked.run, user) if replaced else None
                _store_run(checked, numbering, arrays, name, former)
                progress()
                return checked.run


def check_acceptance(
    campaign: Campaign, user: User, now: datetime, replaced: Run | None = None
) -> Acceptance:
    """Return whether a run of this person is late. Raises StateRefused if it is not accepted."""
    accepted = acceptance_for(campaign, user, now, replaced is not None)
    if not accepted.accepts:
        raise StateRefused(accepted.sentence)
    return accepted


def check_run(
    campaign: Campaign, user: User, content: bytes, name: str, about: Submission, replaced: Run | None = None
) -> CheckedRun:
    """Read a run file and compare it with what the campaign expects; store nothing. Raises BadFile."""
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    header, body = read_header(text, name)
    expected = _expected(campaign, name, about.match_topics)
    reading = Reading(about.fields, {}, OF_FORMS)
    columns, warnings = check_run_file(body, expected, name, about.order, header.lines + 1, reading)
    run = Run(
        campaign=campaign,
        tag=about.tag or header.tag or columns.tag,
        group=(about.group or header.group)[:60],
        kind=about.kind or header.kind or Run.Kind.AUTOMATIC,
        priority=about.priority,
        description=about.description or header.description,
        order=about.order,
        fields=dict(about.fields),
        topic_numbers=dict(columns.renamed),
        file_tag=columns.tag[:255],
        file_name=name[-255:],
        sha256=sha256_of(text),
        line_count=len(columns.docnos),
        topic_count=len(columns.topics),
        submitted_by=user,
    )
    _check_tag(run, name, replaced)
    warnings += _without_text(campaign, columns)
    warnings += _other_name(run)
    packed = content if content.startswith(GZIP_MAGIC) else gzip.compress(text, compresslevel=1, mtime=0)
    return CheckedRun(run, columns, packed, warnings)


def number_docnos(campaign: Campaign, docnos: Docnos) -> DocnoNumbers:
    """Return each docno's number in the campaign's dictionary; those that it lacks get the next ones."""
    table = docno_table(campaign)
    known, ids = len(table), table.find(docnos)
    unknown = ids == UNKNOWN
    if not unknown.any():
        return DocnoNumbers(ids, known, b"")
    new, which = np.unique(docnos[unknown], return_inverse=True)
    ids[unknown] = known + which
    return DocnoNumbers(ids, known, zlib.compress(b"\n".join(new.tolist()), level=1))


def _store_run(
    checked: CheckedRun, numbering: DocnoNumbers, arrays: dict[str, bytes], name: str, former: Run | None
) -> None:
    """Store a run with its columns and the docnos that are new, in the caller's transaction.

    former: the run that it replaces, withdrawn in the same transaction.
    """
    run = checked.run
    _check_tag(run, name)
    findings = [*checked.warnings, *_among_others(run), *_foreign_docnos(run, numbering)]
    run.warnings = [finding._asdict() for finding in findings]
    run.save()
    if numbering.block:
        DocnoBlock.objects.create(
            campaign=run.campaign,
            start=numbering.known,
            docnos=numbering.block,
            checksum=sha256_of(numbering.block),
        )
    RunColumns.objects.create(run=run, **arrays)
    summary = f"{run.tag} of {run.group}" if run.group else f"{run.tag} (no group)"
    verb, details = "submitted a run", {"tag": run.tag, "sha256": run.sha256, "order": run.order}
    if run.fields:
        details["fields"] = run.fields
    if run.topic_numbers:
        details["topic_numbers"] = run.topic_numbers
    if former:
        verb, summary = "replaced a run", f"{summary}; the former file is {former.tag}"
        details |= {"former_tag": former.tag, "former_sha256": former.sha256}
    log_change(run.campaign, run.submitted_by, verb, summary, **details)


def _foreign_docnos(run: Run, numbering: DocnoNumbers) -> Iterator[RunFinding]:
    """Yield a warning where the campaign has runs, and none of them has a document of this one."""
    if numbering.known and bool((numbering.ids >= numbering.known).all()):
        yield RunFinding(
            "no document of this run is in any other run",
            "Check that docnos are written as in the collection",
        )


def _without_text(campaign: Campaign, columns: RunFile) -> Iterator[RunFinding]:
    """Yield a warning where the campaign has documents, and none of them is in this run."""
    if newest_document(campaign) and not is_any_loaded(campaign, columns.docnos.tolist()):
        yield RunFinding(
            "no document of this run is among the loaded documents",
            "Check that docnos are written as in the collection",
        )


def _other_name(run: Run) -> Iterator[RunFinding]:
    """Yield a warning where neither the tag nor that in the file is the name of the file."""
    if tag_from_name(run.file_name) not in (run.tag, run.file_tag):
        file = PurePath(run.file_name).name
        yield RunFinding("the tag differs from the file's name", f"File {file}, tag {run.tag}")


def store_original(content: bytes, name: str, sha256: str) -> str:
    """Store the packed bytes of a run under the checksum of its text; return the name."""
    limit = max(UNPACKED_LIMIT, settings.UPLOAD_LIMIT)
    return store_once(
        f"runs/{sha256}.gz",
        ContentFile(content),
        sha256,
        lambda stored: open_unpacked(stored, name, limit, limit),
    )


def _expected(campaign: Campaign, name: str, matches_topics: bool) -> RunRequirements:
    topics = frozenset(campaign.topics.values_list("number", flat=True))
    if not topics:
        raise BadFile("expected the campaign's topics to be loaded first; it has none yet", name=name)
    return RunRequirements(topics, campaign.run_depth, in_collection(campaign), matches_topics)


def _check_tag(run: Run, name: str, replaced: Run | None = None) -> None:
    """Raise BadFile for a tag that a line or a URL cannot contain, and TagTaken for that of another run."""
    tag = run.tag
    if not is_valid_name(tag) or len(tag) > MOST_OF_TAG:
        shape = f"1 to {MOST_OF_TAG} characters, without blanks or slashes and not . or .."
        message = f"expected a tag of {shape}, found {tag[:70]!r}"
        raise BadFile(message, name=name)
    others = run.campaign.runs.exclude(pk=replaced.pk) if replaced else run.campaign.runs.all()
    if other := others.filter(tag=tag).first():
        own = other.submitted_by_id == run.submitted_by_id  # others do not learn the names of files
        by = f" by the run of {other.file_name}, which keeps it" if own and other.file_name else ""
        message = f"the tag {tag} is taken in this campaign{by}; expected another, such as the file's name"
        raise TagTaken(f'{message} (choose "Take the tag from: the file name")', name=name)


def _among_others(run: Run) -> Iterator[RunFinding]:
    """Yield warnings from a comparison with the other runs of the campaign."""
    others = run.campaign.runs.active()
    same = others.filter(sha256=run.sha256)
    if same:
        own = same.filter(group=run.group).first()  # another group's tag is not for this one to know
        which = f"run {own.tag}" if own else "another group's run"
        yield RunFinding(f"the content is that of {which}", "The same run twice adds nothing to a pool")
    if run.group and others.filter(group=run.group, file_tag=run.file_tag).exists():
        hint = "Each run needs its own tag; the file's name may serve as tag"
        if run.tag != run.file_tag:
            hint = f"This run is told apart from it by its own tag, {run.tag}"
        yield RunFinding(
            f"another run of {run.group} has the tag {run.file_tag} in its last column too", hint
        )
