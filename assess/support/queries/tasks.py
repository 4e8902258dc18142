"""The citations of judges, and what they said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Count, Max, QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import SupportLabel, SupportSet, SupportTask
from assess.queries.answers import runs_unknown_to
from assess.queries.judged_sets import JudgedKind, MySet, SetProgress, progress_by_item, sets_of_judge
from pooling.models import Campaign


def tasks_for_judge(judge: User, campaign: Campaign) -> QuerySet[SupportTask]:
    """Return the citations that this judge may check.

    Not those in answers of a run that was withdrawn, or whose name the judge sees.
    """
    tasks = SupportTask.objects.filter(support_set__campaign=campaign, judge=judge)
    return tasks.filter(answer__run__in=runs_unknown_to(judge, campaign).values("pk"))


def standing_labels(tasks: Iterable[SupportTask]) -> dict[int, SupportLabel]:
    """Return the key of a task -> the label that counts, for the tasks that have one."""
    if isinstance(tasks, QuerySet):
        tasks = tasks.order_by()
    given = SupportLabel.objects.filter(task__in=tasks).order_by()
    last = given.values("task").annotate(last=Max("pk")).values("last")
    return {each.task_id: each for each in SupportLabel.objects.filter(pk__in=last).exclude(support="")}


def my_support(judge: User, campaign: Campaign) -> list[MySet]:
    """Return the sets in which this judge has citations, newest first."""
    tasks = tasks_for_judge(judge, campaign)
    rows = list(tasks.order_by("place").values_list("pk", "support_set"))
    return sets_of_judge(campaign.support_sets.all(), rows, standing_labels(tasks) if rows else {})


def last_labelled(judge: User, about: SupportSet) -> int | None:
    """Return the key of the citation that this judge labelled last."""
    given = SupportLabel.objects.filter(task__judge=judge, task__support_set=about)
    return given.order_by("-pk").values_list("task", flat=True).first()


def support_progress(about: SupportSet) -> SetProgress:
    """Return how far the judges are."""
    tasks = about.tasks.filter(answer__run__withdrawn_at=None).order_by()
    return progress_by_item(about, tasks.values_list("pk", "judge"), standing_labels(tasks))


def sets_of(campaign: Campaign) -> QuerySet[SupportSet]:
    """Return the sets with `run_count`, `judge_count` and `task_count`, newest first."""
    return campaign.support_sets.annotate(
        run_count=Count("runs", distinct=True),
        judge_count=Count("tasks__judge", distinct=True),
        task_count=Count("tasks", distinct=True),
    )


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its labels of citations; "" if it can."""
    given = SupportLabel.objects.filter(task__support_set__campaign=campaign).count()
    return (
        f"It holds {given:,} label{pluralize(given)} of citations, and labels are never deleted."
        if given
        else ""
    )


class SupportKind(JudgedKind):
    """Support of citations, for the pages and services that all kinds of sets share."""

    name, title, item, open_words = "support", "Citation support", "citation", "to check"

    def sets(self, campaign: Campaign) -> QuerySet[SupportSet]:
        return campaign.support_sets.all()

    def mine(self, judge: User, campaign: Campaign) -> list[MySet]:
        return my_support(judge, campaign)

    def all_tasks(self, about: SupportSet) -> QuerySet[SupportTask]:
        return about.tasks.select_related("answer")

    def open_tasks(self, about: SupportSet, judge: User) -> list[SupportTask]:
        own = self.all_tasks(about).filter(judge=judge, answer__run__withdrawn_at=None).order_by("place")
        labelled = standing_labels(own)
        return [task for task in own if task.pk not in labelled]

    def begun(self, tasks: Sequence[SupportTask]) -> set[int]:
        return set(SupportLabel.objects.filter(task__in=tasks).values_list("task", flat=True))


SUPPORT = SupportKind()
