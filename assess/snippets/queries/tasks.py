"""The snippets and documents of judges, and the grades that they gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Count, Max, QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import SnippetGrade, SnippetSet, SnippetTask
from assess.queries.judged_sets import JudgedKind, MySet, SetProgress, progress_by_item, sets_of_judge
from pooling.models import Campaign, Run

Step = SnippetTask.Step


def tasks_for_judge(judge: User, campaign: Campaign) -> QuerySet[SnippetTask]:
    """Return what this judge grades in a campaign."""
    return SnippetTask.objects.filter(snippet_set__campaign=campaign, judge=judge)


def standing_grades(tasks: Iterable[SnippetTask]) -> dict[int, SnippetGrade]:
    """Return the key of a task -> what the judge said of it, for the tasks that have something."""
    if isinstance(tasks, QuerySet):
        tasks = tasks.order_by()
    given = SnippetGrade.objects.filter(task__in=tasks).order_by()
    last = given.values("task").annotate(last=Max("pk")).values("last")
    stands = SnippetGrade.objects.filter(pk__in=last).exclude(grade=None)
    return {each.task_id: each for each in stands}


def other_step(task: SnippetTask) -> SnippetTask:
    """Return the document of a snippet, or the snippet of a document, of the same judge."""
    step = Step.DOCUMENT if task.step == Step.SNIPPET else Step.SNIPPET
    return SnippetTask.objects.get(result=task.result_id, judge=task.judge_id, step=step)


def snippet_first(task: SnippetTask) -> SnippetTask | None:
    """Return the snippet that is to be graded before this document; None if the task can be graded."""
    if task.step == Step.SNIPPET:
        return None
    snippet = other_step(task)
    return None if standing_grades([snippet]) else snippet


def my_snippets(judge: User, campaign: Campaign) -> list[MySet]:
    """Return the sets in which this judge has something to grade, newest first."""
    tasks = tasks_for_judge(judge, campaign)
    rows = list(tasks.order_by("place").values_list("pk", "snippet_set"))
    return sets_of_judge(campaign.snippet_sets.all(), rows, standing_grades(tasks) if rows else {})


def last_labelled(judge: User, about: SnippetSet) -> int | None:
    """Return the key of the task that the judge graded last."""
    given = SnippetGrade.objects.filter(task__judge=judge, task__snippet_set=about)
    return given.order_by("-pk").values_list("task", flat=True).first()


def snippet_progress(about: SnippetSet) -> SetProgress:
    """Return how far the judges are."""
    tasks = about.tasks.order_by()
    return progress_by_item(about, tasks.values_list("pk", "judge"), standing_grades(tasks))


def sets_of(campaign: Campaign) -> QuerySet[SnippetSet]:
    """Return the sets with `topic_count`, `judge_count` and `result_count`, newest first."""
    counted = campaign.snippet_sets.annotate(
        topic_count=Count("results__topic", distinct=True),
        judge_count=Count("results__tasks__judge", distinct=True),
        result_count=Count("results", distinct=True),
    )
    return counted.select_related("run")


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its snippets; "" if it can."""
    given = SnippetGrade.objects.filter(task__snippet_set__campaign=campaign).count()
    grades = f"{given:,} grade{pluralize(given)} of snippets and their documents"
    return f"It holds {grades}, and labels are never deleted." if given else ""


def why_not_replaced(run: Run) -> str:
    """Return why a run cannot be replaced because of its snippets; "" if it can."""
    if SnippetSet.objects.filter(run=run).exists():
        return f"Judges grade snippets of the run {run.tag}, so it cannot be replaced."
    return ""


class SnippetKind(JudgedKind):
    """Snippets, for the pages and services that all kinds of sets share."""

    name, title, item, label = "snippet", "Snippets", "question", "grade"
    open_words = "about snippets and their documents"

    def sets(self, campaign: Campaign) -> QuerySet[SnippetSet]:
        return campaign.snippet_sets.all()

    def mine(self, judge: User, campaign: Campaign) -> list[MySet]:
        return my_snippets(judge, campaign)

    def all_tasks(self, about: SnippetSet) -> QuerySet[SnippetTask]:
        return about.tasks.select_related("result")

    def open_tasks(self, about: SnippetSet, judge: User) -> list[SnippetTask]:
        own = self.all_tasks(about).filter(judge=judge).order_by("place")
        given = standing_grades(own)
        return [task for task in own if task.pk not in given]

    def begun(self, tasks: Sequence[SnippetTask]) -> set[int]:
        """Return the tasks of topics that their judge has begun: shares are over all results of a topic."""
        sets = {task.snippet_set_id for task in tasks}
        given = SnippetGrade.objects.filter(task__snippet_set__in=sets).order_by()
        begun = set(given.values_list("task__snippet_set", "task__judge", "task__result__topic").distinct())
        return {
            task.pk for task in tasks if (task.snippet_set_id, task.judge_id, task.result.topic_id) in begun
        }

    def group_of(self, task: SnippetTask) -> int:
        return task.result.topic_id

    def runs(self, about: SnippetSet) -> list[Run]:
        return [about.run]


SNIPPETS = SnippetKind()
