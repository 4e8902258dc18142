"""The answers of judges, and the grades that they gave."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import GivenGrades, Grading, GradingTask
from assess.queries.answers import runs_unknown_to
from assess.queries.judged_sets import JudgedKind, MySet, SetProgress, progress_by_item, sets_of_judge
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


def my_gradings(judge: User, campaign: Campaign) -> list[MySet]:
    """Return the gradings in which this judge has answers, newest first."""
    last = GivenGrades.objects.filter(task=OuterRef("pk")).order_by("-pk").values("grades")[:1]
    tasks = tasks_for_judge(judge, campaign).annotate(grades=Subquery(last)).order_by("place")
    rows = list(tasks.values_list("pk", "grading", "grades"))
    graded = {key for key, _, grades in rows if grades}
    return sets_of_judge(campaign.gradings.all(), [(key, of) for key, of, _ in rows], graded)


def last_graded(judge: User, grading: Grading) -> int | None:
    """Return the key of the answer that this judge graded last."""
    given = GivenGrades.objects.filter(task__judge=judge, task__grading=grading).order_by("-pk")
    return given.values_list("task", flat=True).first()


def grading_progress(grading: Grading) -> SetProgress:
    """Return how far the judges are."""
    tasks = grading.tasks.filter(answer__run__withdrawn_at=None).order_by()
    return progress_by_item(grading, tasks.values_list("pk", "judge"), standing_grades(tasks))


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


class GradingKind(JudgedKind):
    """Gradings, for the pages and services that all kinds of sets share."""

    name, title, item, open_words = "grading", "Gradings", "answer", "to grade"
    label = "set of grades"

    def sets(self, campaign: Campaign) -> QuerySet[Grading]:
        return campaign.gradings.all()

    def mine(self, judge: User, campaign: Campaign) -> list[MySet]:
        return my_gradings(judge, campaign)

    def all_tasks(self, about: Grading) -> QuerySet[GradingTask]:
        return about.tasks.select_related("answer")

    def open_tasks(self, about: Grading, judge: User) -> list[GradingTask]:
        own = self.all_tasks(about).filter(judge=judge, answer__run__withdrawn_at=None).order_by("place")
        graded = standing_grades(own)
        return [task for task in own if task.pk not in graded]

    def begun(self, tasks: Sequence[GradingTask]) -> set[int]:
        return set(GivenGrades.objects.filter(task__in=tasks).values_list("task", flat=True))


GRADINGS = GradingKind()
