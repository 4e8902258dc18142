"""Support of citations: make sets, and store what judges say."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.models import SupportLabel, SupportSet, SupportTask
from assess.queries.documents import text_hashes
from assess.queries.judged_sets import refuse_knowing_judges
from assess.services.judged_sets import SetRefused, discard_set, lock_for_new_set, store_label
from assess.services.judging import LabelRefused
from assess.support.queries.plan import PlannedSupport, SupportPreview, preview_of
from assess.support.queries.tasks import SUPPORT
from pooling.campaign_states import check_writable
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class Mark(NamedTuple):
    """Words of a sentence, and words of the document that bear them out."""

    sentence: str
    document: str


class SubmittedSupport(NamedTuple):
    """What the screen submits of a citation. support: a SupportWord; "" takes a label back.

    text_hash: of the document that the judge read. seconds_ago: time since the press, by the judge's clock.
    """

    uuid: uuid.UUID
    support: str
    text_hash: str = ""
    marks: Sequence[Mark] = ()
    reason: str = ""
    source: str = "click"
    seconds_ago: float | None = None


def create_support(campaign: Campaign, organiser: User, asked: PlannedSupport, key: str = "") -> SupportSet:
    """Store a set, as `preview_of` shows it. key: see `make_once`.

    Raises Refused if a chosen judge sees the name of a run, and if no answer has a citation.
    """
    check_writable(campaign.state)
    refuse_knowing_judges(campaign, asked.runs, asked.judges)
    preview = preview_of(asked)
    if not preview.rows:
        raise SetRefused("None of these runs has an answer with a citation to one of these topics.")
    return make_once(organiser, key, SupportSet, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(campaign: Campaign, organiser: User, asked: PlannedSupport, preview: SupportPreview) -> SupportSet:
    number = lock_for_new_set(campaign, campaign.support_sets.all(), asked.runs)
    stored = SupportSet.objects.create(
        campaign=campaign,
        number=number,
        every=asked.every,
        instructions=asked.instructions,
        double=asked.double,
        seed=asked.seed,
        made_by=organiser,
    )
    stored.runs.set(asked.runs)
    judges, places, answers, sentences, citations, docnos = (
        list(column) for column in zip(*preview.rows, strict=True)
    )
    insert_rows(
        SupportTask,
        len(preview.rows),
        support_set_id=stored.pk,
        judge_id=judges,
        place=places,
        answer_id=answers,
        sentence=sentences,
        citation=citations,
        docno=docnos,
    )
    log_change(
        campaign,
        organiser,
        "made a set of citations",
        f"{stored}: {counted(preview.citations, 'citation')} for {counted(len(asked.judges), 'judge')}",
        number=stored.number,
        runs={run.tag: run.sha256 for run in asked.runs},
        judges=sorted(judge.username for judge in asked.judges),
        topics=[topic.number for topic in asked.topics],
        every=asked.every,
        double=asked.double,
        seed=asked.seed,
    )
    return stored


def discard_support(about: SupportSet, by: User) -> None:
    """Delete a set without labels. Raises SetRefused if it has some."""
    labels = SupportLabel.objects.filter(task__support_set=about)
    discard_set(about, about.tasks.all(), labels, by, "discarded a set of citations")


def delete_support(campaign: Campaign) -> None:
    """Delete the sets of a campaign that is being deleted: a task protects its answer."""
    campaign.support_sets.all().delete()


def record_support(task: SupportTask, judge: User, submitted: SubmittedSupport) -> SupportLabel:
    """Store the label of a citation. A repeated request changes nothing. Raises LabelRefused.

    It is refused if the text of the document has changed since the judge read it.
    """
    values = {
        "task_id": task.pk,
        "support": submitted.support,
        "text_hash": submitted.text_hash,
        "marks": [mark._asdict() for mark in submitted.marks],
        "reason": submitted.reason,
    }
    is_new = not SupportLabel.objects.filter(uuid=submitted.uuid).exists()
    now = text_hashes(task.support_set.campaign, [task.docno]).get(task.docno, "")
    if is_new and submitted.support and submitted.text_hash != now:
        raise LabelRefused(f"The text of {task.docno} has changed. Read it again. {SUPPORT.not_stored}")
    return store_label(SUPPORT, task, judge, task.support_set, submitted, SupportLabel.objects.all(), values)


def take_back_support(
    task: SupportTask, judge: User, new_uuid: uuid.UUID, given: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take a standing label back, by its UUID. new_uuid: of the taking back.

    Nothing changes if the label was refused, or is not the standing one. Raises LabelRefused.
    """
    last = task.labels.order_by("-pk").first()
    if last and last.uuid == given:
        submitted = SubmittedSupport(new_uuid, "", source="", seconds_ago=seconds_ago)
        record_support(task, judge, submitted)
