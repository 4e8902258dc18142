"""Submit and withdraw runs of machine judges."""

from __future__ import annotations

import gzip
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.judge_runs.queries import requirements_of, why_no_judge_runs
from assess.models import JudgeRun
from pooling.campaign_states import StateRefused
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.formats.judge_runs import check_judge_run
from pooling.models import Campaign, Run
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.runs import GZIP_MAGIC, store_original


class JudgeRunRefused(Refused):
    """A file that cannot be withdrawn; the message says why."""


class JudgeRunDetails(NamedTuple):
    """What a group says about its file."""

    group: str = ""
    kind: str = Run.Kind.AUTOMATIC
    model: str = ""
    description: str = ""


def submit_judge_run(
    campaign: Campaign, user: User, content: bytes, name: str, about: JudgeRunDetails
) -> JudgeRun:
    """Check the file of a machine judge and store its bytes.

    Raises BadFile (its subclass RunRefused lists the errors with their lines), and StateRefused where the
    campaign accepts no such file from this person; then nothing is stored.
    """
    _check_acceptance(campaign, user)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    expected = requirements_of(campaign)
    if not any(expected.pooled.values()):
        raise BadFile("expected pooled documents to judge; the campaign has no pool yet", name=name)
    lines, warnings = check_judge_run(text, expected, name)
    packed = content if content.startswith(GZIP_MAGIC) else gzip.compress(text, compresslevel=1, mtime=0)
    sha256 = sha256_of(text)
    judge_run = JudgeRun(
        campaign=campaign,
        tag=lines.tag,
        **about._asdict(),
        file_name=name[-255:],
        original=store_original(packed, name, sha256),
        sha256=sha256,
        line_count=len(lines.docnos),
        warnings=[finding._asdict() for finding in warnings],
        submitted_by=user,
    )
    with transaction.atomic():
        stored = Campaign.objects.select_for_update().get(pk=campaign.pk)  # one submission at a time
        _check_acceptance(stored, user)
        if campaign.judge_runs.active().filter(tag=lines.tag).exists():
            taken = f"the tag {lines.tag} is taken by another run of a machine judge; expected another tag"
            raise BadFile(f"{taken}, or that run withdrawn first", name=name)
        judge_run.save()
        summary = f"{judge_run.tag} of {about.group or 'no group'}"
        facts = {"tag": judge_run.tag, "sha256": sha256}
        log_change(campaign, user, "submitted a run of a machine judge", summary, **facts)
    return judge_run


@transaction.atomic
def withdraw_judge_run(judge_run: JudgeRun, by: User) -> None:
    """Withdraw a file: it stays as evidence, and is not evaluated. Its tag is free again.

    Raises JudgeRunRefused if it is withdrawn already.
    """
    Campaign.objects.select_for_update().get(pk=judge_run.campaign_id)
    stored = JudgeRun.objects.select_for_update().get(pk=judge_run.pk)
    if stored.withdrawn_at:
        raise JudgeRunRefused(f"The run {stored.tag} is withdrawn already.")
    stored.withdrawn_at, stored.withdrawn_by = timezone.now(), by
    stored.save(update_fields=["withdrawn_at", "withdrawn_by"])
    log_change(judge_run.campaign, by, "withdrew a run of a machine judge", stored.tag, tag=stored.tag)


def _check_acceptance(campaign: Campaign, user: User) -> None:
    if why := why_no_judge_runs(campaign, user):
        raise StateRefused(why)
