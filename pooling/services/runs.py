"""Runs: checked, kept as they came, and stored in columns."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.urls import reverse

from accounts.models import User
from pooling.archive import is_zip, members
from pooling.checksum import sha256_of
from pooling.columns import Docnos, IntVector
from pooling.docnos import UNKNOWN
from pooling.header import read_header
from pooling.models import (
    Campaign,
    DocnoBlock,
    Job,
    Run,
    RunColumns,
)
from pooling.queries import docno_table, in_collection
from pooling.runfile import Run as RunFile
from pooling.services.jobs import advance, finish
from pooling.services.trail import note
from pooling.stored import pack, stored_columns
from pooling.submission import Expected, Finding, Refused, all_warnings, checked_run, tag_from_name
from pooling.textfile import BadFile, unpack

GZIP = b"\x1f\x8b"


class Submission(NamedTuple):
    """What a participant says of a run. What is empty, the file's header says, else its last column."""

    tag: str = ""
    group: str = ""
    kind: str = ""
    priority: int = 1
    description: str = ""


def run_files(file: IO[bytes], name: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of a run file, or of every file in a zip archive. Raises BadFile."""
    if not is_zip(file):
        yield name, file.read()
        return
    for member, content in members(file, name, settings.UPLOAD_LIMIT):
        yield member, content.read()


def submit_upload(job: Job) -> None:
    """Submit every run of an archive, a transaction each, going on where an earlier attempt ended.

    Arguments of the job: name, tag_from_name, and about: the fields of a `Submission`. A run that is refused
    is listed in the cursor, as name and what is wrong. Raises BadFile when the archive itself is damaged; the
    runs before the damage stay. Raises Stopped.
    """
    name, refused = job.arguments["name"], list(job.cursor.get("refused", []))
    with job.upload.open("rb") as file:
        for place, (member, content) in enumerate(run_files(file, name), start=1):
            if place <= job.done:  # stored, or refused, by an earlier attempt
                continue
            about = Submission(**job.arguments["about"])
            if job.arguments["tag_from_name"]:
                about = about._replace(tag=tag_from_name(member))
            with transaction.atomic():
                try:
                    submit_run(job.campaign, job.user, content, member, about)
                except BadFile as error:
                    refused.append([member, str(error)])
                said = f"{place - len(refused):,} runs stored, {len(refused):,} refused"
                advance(job, place, 0, said, {"refused": refused})
    finish(job, job.message, reverse("pooling:run_list", args=[job.campaign.slug]))


@transaction.atomic
def submit_run(campaign: Campaign, user: User, content: bytes, name: str, about: Submission) -> Run:
    """Check a run file, keep its bytes and its columns. Raises BadFile, and then nothing is kept.

    A file with errors raises its subclass Refused, which lists them.
    """
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    header, body = read_header(text, name)
    expected = _expected(campaign, name)
    columns = _checked(body, expected, name, header.lines)
    tag, sha256 = about.tag or header.tag or columns.tag, sha256_of(text)
    _check_tag(tag, name)
    if campaign.runs.filter(tag=tag).exists():
        raise BadFile(
            f"expected a tag of its own, but a run named {tag} is in the campaign already", name=name
        )
    packed = content if content.startswith(GZIP) else gzip.compress(text, compresslevel=1, mtime=0)
    run = Run(
        campaign=campaign,
        tag=tag,
        group=(about.group or header.group)[:60],
        kind=about.kind or header.kind or Run.Kind.AUTOMATIC,
        priority=about.priority,
        description=about.description or header.description,
        file_tag=columns.tag[:255],
        file_name=name[-255:],
        original=keep_file(f"runs/{sha256}.gz", packed),
        sha256=sha256,
        line_count=len(columns.docnos),
        topic_count=len(columns.topics),
        submitted_by=user,
    )
    found = [*all_warnings(body, columns, expected, name), *_among_others(run)]
    run.warnings = [finding._asdict() for finding in found]
    run.save()
    ids = number_docnos(campaign, columns.docnos)
    RunColumns.objects.create(run=run, **pack(stored_columns(columns, ids)))
    note(campaign, user, "submitted a run", f"{tag} of {run.group or 'nobody'}", tag=tag, sha256=sha256)
    return run


def number_docnos(campaign: Campaign, docnos: Docnos) -> IntVector:
    """Return each docno's number in the campaign's dictionary, adding a block of those that are new.

    Two submissions at once wait for each other here. The dictionary kept in memory learns of the new block
    only when it reads it from the database, so a submission that fails leaves no number behind.
    """
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    table = docno_table(campaign)
    ids = table.find(docnos)
    unknown = ids == UNKNOWN
    if unknown.any():
        new, which = np.unique(docnos[unknown], return_inverse=True)
        block = zlib.compress(b"\n".join(new.tolist()), level=1)
        DocnoBlock.objects.create(
            campaign=campaign, start=len(table), docnos=block, checksum=sha256_of(block)
        )
        ids[unknown] = len(table) + which
    return ids


def keep_file(path: str, content: bytes) -> str:
    """Store bytes under a name made from their checksum, once; return the name."""
    return path if default_storage.exists(path) else default_storage.save(path, ContentFile(content))


def _expected(campaign: Campaign, name: str) -> Expected:
    topics = frozenset(campaign.topics.values_list("number", flat=True))
    if not topics:
        raise BadFile("expected the campaign's topics to be loaded first; it has none yet", name=name)
    return Expected(topics, campaign.run_depth, in_collection(campaign))


def _checked(body: bytes, expected: Expected, name: str, header_lines: int) -> RunFile:
    try:
        return checked_run(body, expected, name)
    except Refused as refused:  # the lines are those of the file, its header included
        errors = [f._replace(line=f.line + header_lines) if f.line else f for f in refused.errors]
        raise Refused(errors, refused.more, name) from refused


def _check_tag(tag: str, name: str) -> None:
    """Refuse a tag that neither a line of a file nor a URL could carry."""
    if not tag or len(tag) > 120 or "/" in tag or len(tag.split()) != 1:
        wish = f"expected a tag of 1 to 120 characters, without blanks or slashes, found {tag[:70]!r}"
        raise BadFile(wish, name=name)


def _among_others(run: Run) -> Iterator[Finding]:
    """Yield what is odd about a run only beside the others of the campaign."""
    others = Run.objects.filter(campaign=run.campaign)
    if same := others.filter(sha256=run.sha256).first():
        yield Finding(f"the content is that of run {same.tag}", "The same run twice adds nothing to a pool")
    if run.group and others.filter(group=run.group, file_tag=run.file_tag).exists():
        wish = "Tags tell runs apart; the file's name may serve as tag"
        yield Finding(f"another run of {run.group} has the tag {run.file_tag} in its last column too", wish)
