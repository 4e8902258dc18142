"""The only writers of the ground floor. They never see a request."""

from __future__ import annotations

import gzip
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import islice
from typing import IO, Any, NamedTuple

import numpy as np
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from pooling import trec
from pooling.archive import is_zip, members
from pooling.checksum import sha256_of, text_hash
from pooling.columns import Docnos, IntVector
from pooling.docnos import UNKNOWN
from pooling.header import read_header
from pooling.manifest import Plan, manifest_of
from pooling.models import (
    Campaign,
    DocnoBlock,
    Document,
    Invitation,
    Membership,
    Pool,
    PooledDocument,
    Role,
    Run,
    RunColumns,
    Topic,
)
from pooling.queries import deepest_rank, docno_table, in_collection, pooled_before, pooled_in, ranked_runs
from pooling.runfile import Run as RunFile
from pooling.scale import Grade, check_scale, scale_to_json
from pooling.stored import pack, stored_columns
from pooling.strategies import Pooled, without
from pooling.submission import Expected, Finding, Refused, all_warnings, checked_run
from pooling.textfile import BadFile, opened, unpack
from pooling.trec import Reading
from pooling.trec.documents.elements import Elements

INVITATION_LASTS = timedelta(days=14)
GZIP = b"\x1f\x8b"


class PoolRefused(ValueError):
    """A pool that cannot be frozen; says why."""


class InvitationSpent(ValueError):
    """An invitation that was used, has run out or never was."""


# campaigns and their people


@transaction.atomic
def create_campaign(
    organiser: User, name: str, slug: str, grades: tuple[Grade, ...], threshold: int, **texts: Any
) -> Campaign:
    """Found a campaign, with this person as its organiser. Raises BadScale."""
    check_scale(grades, threshold)
    campaign = Campaign.objects.create(
        name=name, slug=slug, scale=scale_to_json(grades), threshold=threshold, **texts
    )
    add_member(campaign, organiser, Role.ORGANISER)
    return campaign


def add_member(campaign: Campaign, user: User, role: Role | str, group: str = "") -> Membership:
    """Give a person a role; a participant's group may be changed by calling again."""
    membership, _ = Membership.objects.update_or_create(
        campaign=campaign, user=user, role=role, defaults={"group": group}
    )
    return membership


def remove_member(membership: Membership) -> None:
    """Take a role from a person. Labels and runs stay."""
    membership.delete()


def invite(campaign: Campaign, role: Role | str, group: str = "") -> str:
    """Return the secret of a new invitation link: shown once, only its hash is kept."""
    token = secrets.token_urlsafe(32)
    Invitation.objects.create(
        campaign=campaign,
        role=role,
        group=group,
        token_hash=sha256_of(token),
        expires_at=timezone.now() + INVITATION_LASTS,
    )
    return token


def open_invitation(token: str) -> Invitation:
    """Return the invitation behind a link. Raises InvitationSpent."""
    usable = Invitation.objects.filter(used_at=None, expires_at__gt=timezone.now())
    invitation = usable.filter(token_hash=sha256_of(token)).first()
    if invitation is None:
        raise InvitationSpent("This invitation was used already, or has run out. Ask for a new link.")
    return invitation


@transaction.atomic
def accept_invitation(token: str, user: User) -> Membership:
    """Make this person a member and spend the link. Raises InvitationSpent."""
    invitation = open_invitation(token)
    # The guarded update decides between two people who open the link at the same moment.
    if not Invitation.objects.filter(pk=invitation.pk, used_at=None).update(used_at=timezone.now()):
        raise InvitationSpent("This invitation was used already. Ask for a new link.")
    return add_member(invitation.campaign, user, invitation.role, invitation.group)


@transaction.atomic
def join_as_new_user(token: str, username: str, name: str, password: str) -> Membership:
    """Make an account for whoever holds an invitation. Raises InvitationSpent, and then makes none."""
    return accept_invitation(token, User.objects.create_user(username, name=name, password=password))


# topics


@transaction.atomic
def load_topics(campaign: Campaign, content: bytes, name: str) -> int:
    """Add the topics of a file to the campaign; return how many. Raises BadFile, and then none is added."""
    records = trec.read_topics(unpack(content, name, settings.UPLOAD_LIMIT), name)
    for record in records:
        _check_word("topic number", record.number, 60, name)
    known = set(campaign.topics.values_list("number", flat=True))
    if taken := [record.number for record in records if record.number in known]:
        raise BadFile(f"expected new topics, but topic {taken[0]} is in the campaign already", name=name)
    first = campaign.topics.count() + 1
    Topic.objects.bulk_create(
        Topic(campaign=campaign, place=place, **record._asdict())
        for place, record in enumerate(records, first)
    )
    return len(records)


# runs


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
    _check_word("tag", tag, 120, name)
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


def _check_word(kind: str, word: str, longest: int, name: str) -> None:
    """Refuse a name that neither a line of a file nor a URL could carry."""
    if not word or len(word) > longest or "/" in word or len(word.split()) != 1:
        wish = (
            f"expected a {kind} of 1 to {longest} characters, without blanks or slashes, found {word[:70]!r}"
        )
        raise BadFile(wish, name=name)


def _among_others(run: Run) -> Iterator[Finding]:
    """Yield what is odd about a run only beside the others of the campaign."""
    others = Run.objects.filter(campaign=run.campaign)
    if same := others.filter(sha256=run.sha256).first():
        yield Finding(f"the content is that of run {same.tag}", "The same run twice adds nothing to a pool")
    if run.group and others.filter(group=run.group, file_tag=run.file_tag).exists():
        wish = "Tags tell runs apart; the file's name may serve as tag"
        yield Finding(f"another run of {run.group} has the tag {run.file_tag} in its last column too", wish)


# pools


@transaction.atomic
def freeze_pool(campaign: Campaign, user: User, runs: list[Run], plan: Plan) -> Pool:
    """Build a pool and store it with its manifest, for good. Raises PoolRefused.

    What earlier pools hold is left out: it is judged already, or will be.
    """
    if not runs:
        raise PoolRefused("A pool is built from runs, and none was chosen.")
    ranked = ranked_runs(campaign, runs, deepest_rank(plan))
    before = pooled_before(campaign)
    pooled = without(plan.pool(ranked), before)
    if not pooled:
        raise PoolRefused("The pools that are frozen already hold every one of these documents.")
    manifest = manifest_of(plan, ranked, {run.tag: run.sha256 for run in runs}, pooled)
    return store_pool(campaign, user, manifest, pooled, runs)


@transaction.atomic
def store_pool(
    campaign: Campaign, user: User, manifest: dict[str, Any], pooled: Pooled, runs: Iterable[Run] = ()
) -> Pool:
    """Write a pool with its documents; complete its manifest with who, when and what it leaves out."""
    earlier = list(campaign.pools.all())
    pool = Pool(campaign=campaign, number=len(earlier) + 1, frozen_by=user)
    pool.strategy, pool.parameters = manifest["strategy"], manifest["parameters"]
    pool.manifest = manifest | {
        "campaign": campaign.slug,
        "pool": pool.number,
        "leaves_out": [each.manifest["sha256"] for each in earlier],
        "frozen_at": pool.frozen_at.isoformat(),
        "frozen_by": user.username,
        "software": f"Jurypool {settings.VERSION}",
    }
    pool.save()
    pool.runs.set(runs)
    topics = {topic.number: topic for topic in campaign.topics.all()}
    PooledDocument.objects.bulk_create(
        (
            PooledDocument(
                pool=pool, topic=topics[number], docno=docno, best_rank=how.best_rank, run_count=how.run_count
            )
            for number, found in sorted(pooled.items())
            for docno, how in sorted(found.items())
        ),
        batch_size=1000,
    )
    return pool


# documents


TOLD_EVERY = 50_000  # documents


class Import(NamedTuple):
    """What became of documents. repaired: with characters that are not certain. repeated: a docno again."""

    read: int
    kept: int
    repaired: int
    repeated: int


def reading_of(file: IO[bytes], name: str, form: str = "", elements: Elements | None = None) -> Reading:
    """Return a reading of a file of documents, or of a zip archive of such files."""
    if is_zip(file):
        return trec.read_collection(members(file, name, settings.UPLOAD_LIMIT), name, form, elements)
    return trec.read_documents(opened(file, name, settings.UPLOAD_LIMIT), name, form, elements)


def import_documents(
    campaign: Campaign,
    reread: Callable[[], Reading],
    pooled_only: bool = True,
    tell: Callable[[str], None] = lambda text: None,
) -> Import:
    """Keep the documents of a reading, by default only those that a pool holds.

    reread: begins a reading; it is called twice. The first time nothing is stored, so that a fault on the
    last line leaves nothing behind; the second time documents are stored in small steps, which hold up no
    judge. tell: is told how far it is.
    A docno that is there already gets the new text. Raises BadFile.
    """
    checked = reread()
    for _ in checked:
        if checked.documents % TOLD_EVERY == 0:
            tell(f"{checked.documents:,} documents checked")
    wanted = set(pooled_in(campaign).values_list("docno", flat=True)) if pooled_only else None
    reading, kept = reread(), 0
    while chunk := list(islice(reading, 500)):
        rows = {record.docno: record for record in chunk if wanted is None or record.docno in wanted}
        kept += len(rows)
        if reading.documents % TOLD_EVERY == 0:
            tell(f"{reading.documents:,} of {checked.documents:,} documents read, {kept:,} kept")
        Document.objects.bulk_create(
            [
                Document(campaign=campaign, text_hash=text_hash(row.title, row.text), **row._asdict())
                for row in rows.values()
            ],
            update_conflicts=True,
            unique_fields=["campaign", "docno"],
            update_fields=["title", "text", "url", "text_hash"],
        )
    return Import(reading.documents, kept, reading.repaired, reading.repeated)
