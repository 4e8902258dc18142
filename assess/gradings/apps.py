"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import uuid

from accounts.models import User
from assess.gradings.criteria import criteria_in
from assess.gradings.forms import CRITERIA
from assess.gradings.queries.integrity import CHECKS
from assess.gradings.queries.plan import PlannedGrading
from assess.gradings.queries.tasks import GRADINGS, why_not_deleted
from assess.gradings.services import SubmittedGrades, create_grading, delete_gradings, record_grades
from assess.queries.answers import who_know
from assess.queries.extensions import (
    NavigationPage,
    add_judged_kind,
    before_deletion,
    deletion_obstacles,
    demonstrations,
    integrity_checks,
    navigation_pages,
)
from assess.queries.people import judges_to_choose
from pooling.models import Campaign, Role, Run


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add a grading of all answers, and grades of all judges but the last: more words, a higher grade."""
    answer_runs, topics = list(campaign.answer_runs.active()), campaign.topics.filter(answers__isnull=False)
    judges = list(judges_to_choose(campaign).exclude(pk__in=who_know(campaign, answer_runs).values("pk")))
    if not answer_runs or len(judges) < 2:
        return
    criteria = criteria_in(CRITERIA)
    asked = PlannedGrading(answer_runs, judges, list(topics.distinct()), criteria, 40, 1)
    tasks = create_grading(campaign, organiser, asked).tasks.exclude(judge=judges[-1])
    for task in tasks.select_related("judge", "answer", "grading__campaign"):
        grades = [
            min(len(each.levels) - 1, task.answer.words // (20 * place))
            for place, each in enumerate(criteria, 1)
        ]
        record_grades(task, task.judge, SubmittedGrades(uuid.uuid4(), grades))


PAGE = NavigationPage(
    "Gradings", "assess:grading_setup", frozenset({Role.ORGANISER}), ("judging/gradings",), group="Answers"
)


def register() -> None:
    add_judged_kind(GRADINGS)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_gradings)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
