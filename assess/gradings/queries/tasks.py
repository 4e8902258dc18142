"""The answers of judges, and the grades that they gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import GivenGrades, Grading, GradingTask
from assess.queries.answers import runs_unknown_to
from pooling.models import Campaign


def tasks_for_judge(judge: User, campaign: Campaign) -> QuerySet[GradingTask]:
    """Return the answers that this judge may grade.

    Not those of a run that was withdrawn, or whose name the judge sees.
    """
    tasks = GradingTask.objects.filter(grading__campaign=campaign, judge=judge)
    return tasks.filter(answer__run__in=runs_unknown_to(judge, campaign).values("pk"))


def standing_grades(tasks: QuerySet[GradingTask] | Sequence[GradingTask]) -> dict[int, GivenGrades]:
    """Return the key of a task -> the grades that count, for the tasks that have them."""
    if isinstance(tasks, QuerySet):
        tasks = tasks.order_by()
    given = GivenGrades.objects.filter(task__in=tasks).order_by("pk")
    last = {each.task_id: each for each in given}
    return {key: each for key, each in last.items() if each.grades}


class MyGrading(NamedTuple):
    """A grading as a judge sees it. waiting: keys of the answers without grades, in their order."""

    grading: Grading
    total: int
    waiting: list[int]

    @property
    def graded(self) -> int:
        return self.total - len(self.waiting)


def my_gradings(judge: User, campaign: Campaign) -> list[MyGrading]:
    """Return the gradings in which this judge has answers, newest first."""
    own: dict[int, list[int]] = {}
    last = GivenGrades.objects.filter(task=OuterRef("pk")).order_by("-pk").values("grades")[:1]
    tasks = tasks_for_judge(judge, campaign).annotate(grades=Subquery(last)).order_by("place")
    graded = set()
    for key, grading, grades in tasks.values_list("pk", "grading", "grades"):
        own.setdefault(grading, []).append(key)
        if grades:
            graded.add(key)
    if not own:
        return []
    return [
        MyGrading(each, len(own[each.pk]), [key for key in own[each.pk] if key not in graded])
        for each in campaign.gradings.all()
        if each.pk in own
    ]


def last_graded(judge: User, grading: Grading) -> int | None:
    """Return the key of the answer that this judge graded last."""
    given = GivenGrades.objects.filter(task__judge=judge, task__grading=grading).order_by("-pk")
    return given.values_list("task", flat=True).first()


def has_grades(grading: Grading) -> bool:
    return GivenGrades.objects.filter(task__grading=grading).exists()


class GradingProgress(NamedTuple):
    """A grading as an organiser sees it. judges: (judge, answers, those with grades).

    withdrawn: tags of runs whose answers nobody sees any more.
    """

    grading: Grading
    total: int
    graded: int
    judges: list[tuple[User, int, int]]
    withdrawn: list[str]


def grading_progress(grading: Grading) -> GradingProgress:
    """Return how far the judges are."""
    tasks = grading.tasks.filter(answer__run__withdrawn_at=None)
    graded = standing_grades(tasks)
    counts: dict[int, tuple[int, int]] = {}
    for key, judge in tasks.order_by().values_list("pk", "judge"):
        had, done = counts.get(judge, (0, 0))
        counts[judge] = had + 1, done + (key in graded)
    judges = User.objects.filter(pk__in=counts).order_by("username")
    withdrawn = grading.runs.exclude(withdrawn_at=None).values_list("tag", flat=True)
    total, done = (sum(column) for column in zip((0, 0), *counts.values(), strict=True))
    return GradingProgress(
        grading, total, done, [(judge, *counts[judge.pk]) for judge in judges], list(withdrawn)
    )


def gradings_of(campaign: Campaign) -> QuerySet[Grading]:
    """Return the gradings with `run_count`, `judge_count` and `task_count`, newest first."""
    return campaign.gradings.prefetch_related("criteria").annotate(
        run_count=Count("runs", distinct=True),
        judge_count=Count("tasks__judge", distinct=True),
        task_count=Count("tasks", distinct=True),
    )


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its grades of answers; "" if it can."""
    given = GivenGrades.objects.filter(task__grading__campaign=campaign).count()
    if not given:
        return ""
    return f"It holds the grades of {given:,} answer{pluralize(given)}, and labels are never deleted."
