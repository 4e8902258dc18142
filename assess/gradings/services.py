"""Gradings of answers: make them, and store the grades of judges."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.gradings.queries.plan import GradingPreview, PlannedGrading, preview_of
from assess.gradings.queries.tasks import GRADINGS
from assess.models import Criterion, GivenGrades, Grading, GradingTask
from assess.queries.judged_sets import refuse_knowing_judges
from assess.services.judged_sets import SetRefused, discard_set, lock_for_new_set, store_label
from pooling.campaign_states import check_writable
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


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

    Raises Refused if a chosen judge sees the name of a run, and if there is no answer to grade.
    """
    check_writable(campaign.state)
    refuse_knowing_judges(campaign, asked.runs, asked.judges)
    preview = preview_of(asked)
    if not preview.rows:
        raise SetRefused("None of these runs has an answer to one of these topics.")
    return make_once(organiser, key, Grading, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(campaign: Campaign, organiser: User, asked: PlannedGrading, preview: GradingPreview) -> Grading:
    number = lock_for_new_set(campaign, campaign.gradings.all(), asked.runs)
    stored = Grading.objects.create(
        campaign=campaign,
        number=number,
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


def discard_grading(grading: Grading, by: User) -> None:
    """Delete a grading without grades. Raises SetRefused if it has some."""
    given = GivenGrades.objects.filter(task__grading=grading)
    discard_set(grading, grading.tasks.all(), given, by, "discarded a grading")


def delete_gradings(campaign: Campaign) -> None:
    """Delete the gradings of a campaign that is being deleted: a task protects its answer."""
    campaign.gradings.all().delete()


def record_grades(task: GradingTask, judge: User, submitted: SubmittedGrades) -> GivenGrades:
    """Store the grades of an answer. A repeated request changes nothing. Raises LabelRefused."""
    values = {"task_id": task.pk, "grades": list(submitted.grades), "reason": submitted.reason}
    return store_label(GRADINGS, task, judge, task.grading, submitted, GivenGrades.objects.all(), values)


def take_back_grades(
    task: GradingTask, judge: User, new_uuid: uuid.UUID, given: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take the standing grades of an answer back, by their UUID. new_uuid: of the taking back.

    Nothing changes if they were refused, or are not the standing ones. Raises LabelRefused.
    """
    last = task.given.order_by("-pk").first()
    if last and given == last.uuid:
        record_grades(task, judge, SubmittedGrades(new_uuid, [], "", "", seconds_ago))
