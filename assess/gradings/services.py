"""Gradings of answers: make them, and store the grades of judges."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from assess.gradings.queries.plan import GradingPreview, PlannedGrading, preview_of
from assess.gradings.queries.tasks import has_grades
from assess.models import AnswerRun, Criterion, GivenGrades, Grading, GradingTask
from assess.queries.answers import who_know
from assess.services.press_times import press_time
from pooling.campaign_states import check_writable, why_no_labels
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class GradingRefused(Refused):
    """A grading cannot be made or discarded; the message says why."""


class GradesRefused(Refused):
    """Grades were not stored; the message says why."""


class SubmittedGrades(NamedTuple):
    """Grades as the screen submits them, of each criterion in their order.

    seconds_ago: time since the press, by the clock of the judge.
    """

    uuid: uuid.UUID
    grades: Sequence[int]
    reason: str = ""
    source: str = "click"
    seconds_ago: float | None = None


def create_grading(campaign: Campaign, organiser: User, asked: PlannedGrading, key: str = "") -> Grading:
    """Store a grading, as `preview_of` shows it. key: see `make_once`.

    Raises GradingRefused if a chosen judge sees the name of a run, and if there is no answer to grade.
    """
    check_writable(campaign.state)
    knowing = who_know(campaign, asked.runs).filter(pk__in=[judge.pk for judge in asked.judges])
    if names := [judge.username for judge in knowing.order_by("username")]:
        raise GradingRefused(f"Choose other judges: {', '.join(names)} can see the name of one of the runs.")
    preview = preview_of(asked)
    if not preview.rows:
        raise GradingRefused("None of these runs has an answer to one of these topics.")
    return make_once(organiser, key, Grading, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(campaign: Campaign, organiser: User, asked: PlannedGrading, preview: GradingPreview) -> Grading:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    gone = AnswerRun.objects.filter(pk__in=[run.pk for run in asked.runs]).exclude(withdrawn_at=None)
    if tags := list(gone.values_list("tag", flat=True)):
        raise GradingRefused(f"The answer run {tags[0]} was withdrawn. Choose the runs again.")
    last = campaign.gradings.aggregate(last=Max("number"))["last"] or 0
    stored = Grading.objects.create(
        campaign=campaign,
        number=last + 1,
        instructions=asked.instructions,
        double=asked.double,
        seed=asked.seed,
        made_by=organiser,
    )
    stored.runs.set(asked.runs)
    Criterion.objects.bulk_create(
        Criterion(grading=stored, place=place, name=each.name, levels=each.levels)
        for place, each in enumerate(asked.criteria, start=1)
    )
    judges, places, answers = (list(column) for column in zip(*preview.rows, strict=True))
    insert_rows(
        GradingTask,
        len(preview.rows),
        grading_id=stored.pk,
        judge_id=judges,
        place=places,
        answer_id=answers,
    )
    log_change(
        campaign,
        organiser,
        "made a grading",
        f"{stored}: {counted(preview.answers, 'answer')} for {counted(len(asked.judges), 'judge')}",
        number=stored.number,
        runs={run.tag: run.sha256 for run in asked.runs},
        judges=sorted(judge.username for judge in asked.judges),
        topics=[topic.number for topic in asked.topics],
        criteria={each.name: each.levels for each in asked.criteria},
        double=asked.double,
        seed=asked.seed,
    )
    return stored


@transaction.atomic
def discard_grading(grading: Grading, by: User) -> None:
    """Delete a grading without grades. Raises GradingRefused if it has some."""
    Campaign.objects.select_for_update(no_key=True).get(pk=grading.campaign_id)
    list(grading.tasks.select_for_update())  # or grades that are being stored would not be seen
    if has_grades(grading):
        raise GradingRefused(f"{grading} has grades, and grades are never deleted.")
    log_change(grading.campaign, by, "discarded a grading", str(grading), number=grading.number)
    grading.delete()


def delete_gradings(campaign: Campaign) -> None:
    """Delete the gradings of a campaign that is being deleted: a task protects its answer."""
    campaign.gradings.all().delete()


def record_grades(task: GradingTask, judge: User, submitted: SubmittedGrades) -> GivenGrades:
    """Store the grades of an answer. A repeated request changes nothing. Raises GradesRefused."""
    return _record(task, judge, submitted)


def take_back_grades(
    task: GradingTask, judge: User, new_uuid: uuid.UUID, given: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take the standing grades of an answer back, by their UUID. new_uuid: of the taking back.

    Nothing changes if they were refused, or are not the standing ones. Raises GradesRefused.
    """
    last = task.given.order_by("-pk").first()
    if last and given == last.uuid:
        _record(task, judge, SubmittedGrades(new_uuid, [], "", "", seconds_ago))


def _record(task: GradingTask, judge: User, submitted: SubmittedGrades) -> GivenGrades:
    grading = task.grading
    try:
        with transaction.atomic():
            locked = GradingTask.objects.select_for_update(no_key=True).filter(pk=task.pk).first()
            if locked is None:
                raise GradesRefused("This grading was discarded. The grades were not stored.")
            if locked.judge_id != judge.pk:
                raise GradesRefused("This answer is another judge's. The grades were not stored.")
            known = _known(task, submitted)
            if known is None and (why := why_no_labels(grading.campaign.state)):
                raise GradesRefused(why)
            return known or GivenGrades.objects.create(
                uuid=submitted.uuid,
                task=task,
                grades=list(submitted.grades),
                reason=submitted.reason,
                source=submitted.source,
                pressed_at=press_time(submitted.seconds_ago, grading.made_at),
            )
    except IntegrityError:  # a repeated request was stored first
        return GivenGrades.objects.get(uuid=submitted.uuid)


def _known(task: GradingTask, submitted: SubmittedGrades) -> GivenGrades | None:
    known = GivenGrades.objects.filter(uuid=submitted.uuid).first()
    if known is None:
        return None
    if known.task_id != task.pk:
        raise GradesRefused(
            "These grades were already stored for another answer. Reload the page and grade again."
        )
    if (known.grades, known.reason) != (list(submitted.grades), submitted.reason):
        raise GradesRefused("This page has already sent other grades. Open the answer again to change them.")
    return known
