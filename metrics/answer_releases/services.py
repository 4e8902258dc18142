"""Release labels of answers: an archive that never changes."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from assess.models import AnswerRelease, AnswerRun
from assess.queries.answers import submitted_text
from metrics.answer_releases.queries import (
    Labelled,
    ReleaseContent,
    content_of,
    folder_of,
    kind_of,
    manifest,
)
from metrics.archive.zip_stream import ArchiveMember, zip_chunks
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import store_once
from pooling.words import counted


class AnswerReleaseRefused(Refused):
    """A set of labels cannot be released; the message says why."""


def release_answers(what: Labelled, by: User, key: str = "") -> AnswerRelease:
    """Store the answers, the labels that stand and the result as one archive. key: see `make_once`.

    Judges have numbers in it, and their reasons are left out. Raises AnswerReleaseRefused without labels.
    """
    check_writable(what.campaign.state)
    return make_once(by, key, AnswerRelease, lambda: _release(what, by))


@transaction.atomic
def _release(what: Labelled, by: User) -> AnswerRelease:
    campaign = what.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one number at a time
    list(what.tasks.select_for_update(no_key=True))  # one state of the labels in all files
    content = content_of(what)
    if not content.labels:
        raise AnswerReleaseRefused(f"{what} has no labels yet.")
    number = (what.releases.aggregate(last=Max("number"))["last"] or 0) + 1
    runs = list(what.runs.filter(withdrawn_at=None))
    archive = b"".join(zip_chunks(_members(what, content, runs, number), folder_of(what, number)))
    checksum = sha256_of(archive)
    stored = AnswerRelease.objects.create(
        campaign=campaign,
        number=number,
        file=store_once(f"releases/{checksum}.zip", ContentFile(archive), checksum),
        sha256=checksum,
        size=len(archive),
        label_count=content.labels,
        lead=content.lead,
        released_by=by,
        **{kind_of(what): what},
    )
    about = {"of": f"{what}", "number": number, "sha256": checksum, "labels": content.labels}
    summary = f"{stored}: {counted(content.labels, 'label')}"
    log_change(campaign, by, "released labels of answers", summary, **about)
    return stored


def _members(
    what: Labelled, content: ReleaseContent, runs: list[AnswerRun], number: int
) -> Iterator[ArchiveMember]:
    """Yield the files of the archive: the runs as they were submitted, then what was made of them."""
    for run in runs:
        yield ArchiveMember(f"answers/{run.tag}.jsonl", [submitted_text(run)])
    for name, text in (content.files | {"manifest.json": manifest(what, content, runs, number)}).items():
        yield ArchiveMember(name, [text.encode()])
