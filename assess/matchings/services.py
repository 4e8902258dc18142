"""Matchings of nuggets and answers: make them, and store what judges say."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from assess.matchings.queries.plan import MatchingPreview, PlannedMatching, preview_of
from assess.matchings.queries.tasks import has_labels
from assess.models import AnswerRun, BankNugget, Matching, MatchingTask, NuggetLabel
from assess.nuggets.assignments import Assignment
from assess.queries.answers import who_know
from assess.services.press_times import press_time
from pooling.campaign_states import check_writable, why_no_labels
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class MatchingRefused(Refused):
    """A matching cannot be made or discarded; the message says why."""


class LabelRefused(Refused):
    """A label was not stored; the message says why."""


class SubmittedLabel(NamedTuple):
    """What the screen submits of a nugget. assignment: a value of Assignment; "" takes a label back.

    sentence: the place of the sentence that decided, from 1. seconds_ago: time since the press, by the clock
    of the judge.
    """

    uuid: uuid.UUID
    nugget: BankNugget
    assignment: str
    sentence: int | None = None
    source: str = "click"
    seconds_ago: float | None = None


def create_matching(campaign: Campaign, organiser: User, asked: PlannedMatching, key: str = "") -> Matching:
    """Store a matching, as `preview_of` shows it. key: see `make_once`.

    Raises MatchingRefused if the bank is a draft, a chosen judge sees the name of a run, or no run has an
    answer to a topic with nuggets.
    """
    check_writable(campaign.state)
    if asked.bank.is_draft:
        raise MatchingRefused("Freeze the nugget bank first: a draft can still change.")
    knowing = who_know(campaign, asked.runs).filter(pk__in=[judge.pk for judge in asked.judges])
    if names := [judge.username for judge in knowing.order_by("username")]:
        raise MatchingRefused(f"Choose other judges: {', '.join(names)} can see the name of one of the runs.")
    preview = preview_of(asked)
    if not preview.rows:
        raise MatchingRefused("None of these runs has an answer to one of these topics that has nuggets.")
    return make_once(organiser, key, Matching, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(campaign: Campaign, organiser: User, asked: PlannedMatching, preview: MatchingPreview) -> Matching:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    gone = AnswerRun.objects.filter(pk__in=[run.pk for run in asked.runs]).exclude(withdrawn_at=None)
    if tags := list(gone.values_list("tag", flat=True)):
        raise MatchingRefused(f"The answer run {tags[0]} was withdrawn. Choose the runs again.")
    last = campaign.matchings.aggregate(last=Max("number"))["last"] or 0
    stored = Matching.objects.create(
        campaign=campaign,
        number=last + 1,
        bank=asked.bank,
        contradicts=asked.contradicts,
        instructions=asked.instructions,
        double=asked.double,
        seed=asked.seed,
        made_by=organiser,
    )
    stored.runs.set(asked.runs)
    judges, places, answers = (list(column) for column in zip(*preview.rows, strict=True))
    insert_rows(
        MatchingTask,
        len(preview.rows),
        matching_id=stored.pk,
        judge_id=judges,
        place=places,
        answer_id=answers,
    )
    log_change(
        campaign,
        organiser,
        "made a matching",
        f"{stored}: {counted(preview.answers, 'answer')} for {counted(len(asked.judges), 'judge')}",
        number=stored.number,
        bank={f"{asked.bank.number}": asked.bank.sha256},
        runs={run.tag: run.sha256 for run in asked.runs},
        judges=sorted(judge.username for judge in asked.judges),
        topics=[topic.number for topic in asked.topics],
        contradicts=asked.contradicts,
        double=asked.double,
        seed=asked.seed,
    )
    return stored


@transaction.atomic
def discard_matching(matching: Matching, by: User) -> None:
    """Delete a matching without labels. Raises MatchingRefused if it has some."""
    Campaign.objects.select_for_update(no_key=True).get(pk=matching.campaign_id)
    list(matching.tasks.select_for_update())  # or a label that is being stored would not be seen
    if has_labels(matching):
        raise MatchingRefused(f"{matching} has labels, and labels are never deleted.")
    log_change(matching.campaign, by, "discarded a matching", str(matching), number=matching.number)
    matching.delete()


def delete_matchings(campaign: Campaign) -> None:
    """Delete the matchings of a campaign that is being deleted: they protect its banks and answers."""
    campaign.matchings.all().delete()


def record_label(task: MatchingTask, judge: User, submitted: SubmittedLabel) -> NuggetLabel:
    """Store the label of a nugget. A repeated request changes nothing. Raises LabelRefused."""
    matching, nugget = task.matching, submitted.nugget
    if (nugget.bank_id, nugget.topic_id) != (matching.bank_id, task.answer.topic_id):
        raise LabelRefused("This nugget is not one of the answer's topic. The label was not stored.")
    if submitted.assignment == Assignment.CONTRADICTS and not matching.contradicts:
        raise LabelRefused("Judges do not say “contradicts” here. The label was not stored.")
    try:
        with transaction.atomic():
            locked = MatchingTask.objects.select_for_update(no_key=True).filter(pk=task.pk).first()
            if locked is None:
                raise LabelRefused("This matching was discarded. The label was not stored.")
            if locked.judge_id != judge.pk:
                raise LabelRefused("This answer is another judge's. The label was not stored.")
            known = _known(task, submitted)
            if known is None and (why := why_no_labels(matching.campaign.state)):
                raise LabelRefused(why)
            return known or NuggetLabel.objects.create(
                uuid=submitted.uuid,
                task=task,
                nugget=nugget,
                assignment=submitted.assignment,
                sentence=submitted.sentence,
                source=submitted.source,
                pressed_at=press_time(submitted.seconds_ago, matching.made_at),
            )
    except IntegrityError:  # a repeated request was stored first
        return NuggetLabel.objects.get(uuid=submitted.uuid)


def _known(task: MatchingTask, submitted: SubmittedLabel) -> NuggetLabel | None:
    known = NuggetLabel.objects.filter(uuid=submitted.uuid).first()
    if known is None:
        return None
    if (known.task_id, known.nugget_id) != (task.pk, submitted.nugget.pk):
        raise LabelRefused("This label was already stored for another nugget. Reload the page and try again.")
    if (known.assignment, known.sentence) != (submitted.assignment, submitted.sentence):
        raise LabelRefused("This page has already sent another label. Open the nugget again to change it.")
    return known


def take_back_label(
    task: MatchingTask, judge: User, new_uuid: uuid.UUID, given: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take a standing label back, by its UUID. new_uuid: of the taking back.

    Nothing changes if the label was refused, or is not the standing one. Raises LabelRefused.
    """
    label = task.labels.filter(uuid=given).select_related("nugget").first()
    if label and task.labels.filter(nugget=label.nugget_id).latest("pk") == label:
        record_label(task, judge, SubmittedLabel(new_uuid, label.nugget, "", None, "", seconds_ago))
