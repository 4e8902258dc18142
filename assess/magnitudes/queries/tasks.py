"""The documents of judges, and the magnitudes that they gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Count, Max, QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import AnswerRun, Magnitude, MagnitudeSet, MagnitudeTask
from assess.queries.judged_sets import JudgedKind, MySet, SetProgress, progress_by_item, sets_of_judge
from pooling.models import Campaign


def tasks_for_judge(judge: User, campaign: Campaign) -> QuerySet[MagnitudeTask]:
    """Return the documents of this judge in a campaign."""
    return MagnitudeTask.objects.filter(magnitude_set__campaign=campaign, judge=judge)


def standing_magnitudes(tasks: Iterable[MagnitudeTask]) -> dict[int, Magnitude]:
    """Return the key of a task -> what the judge said of it, for the tasks that have something."""
    if isinstance(tasks, QuerySet):
        tasks = tasks.order_by()
    given = Magnitude.objects.filter(task__in=tasks).order_by()
    last = given.values("task").annotate(last=Max("pk")).values("last")
    return {each.task_id: each for each in Magnitude.objects.filter(pk__in=last).exclude(number="")}


def my_magnitudes(judge: User, campaign: Campaign) -> list[MySet]:
    """Return the sets in which this judge has documents, newest first."""
    tasks = tasks_for_judge(judge, campaign)
    rows = list(tasks.order_by("place").values_list("pk", "magnitude_set"))
    return sets_of_judge(campaign.magnitude_sets.all(), rows, standing_magnitudes(tasks) if rows else {})


def last_labelled(judge: User, about: MagnitudeSet) -> int | None:
    """Return the key of the document of which this judge said something last."""
    given = Magnitude.objects.filter(task__judge=judge, task__magnitude_set=about)
    return given.order_by("-pk").values_list("task", flat=True).first()


def magnitude_progress(about: MagnitudeSet) -> SetProgress:
    """Return how far the judges are."""
    tasks = about.tasks.order_by()
    return progress_by_item(about, tasks.values_list("pk", "judge"), standing_magnitudes(tasks))


def sets_of(campaign: Campaign) -> QuerySet[MagnitudeSet]:
    """Return the sets with `topic_count`, `judge_count` and `task_count`, newest first."""
    return campaign.magnitude_sets.annotate(
        topic_count=Count("tasks__pooled__topic", distinct=True),
        judge_count=Count("tasks__judge", distinct=True),
        task_count=Count("tasks", distinct=True),
    )


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its magnitudes; "" if it can."""
    given = Magnitude.objects.filter(task__magnitude_set__campaign=campaign).count()
    return (
        f"It holds {given:,} magnitude{pluralize(given)} of judges, and labels are never deleted."
        if given
        else ""
    )


class MagnitudeKind(JudgedKind):
    """Magnitudes, for the pages and services that all kinds of sets share."""

    name, title, item, label = "magnitude", "Magnitudes", "document", "number"
    open_words = "to give a number to"

    def sets(self, campaign: Campaign) -> QuerySet[MagnitudeSet]:
        return campaign.magnitude_sets.all()

    def mine(self, judge: User, campaign: Campaign) -> list[MySet]:
        return my_magnitudes(judge, campaign)

    def all_tasks(self, about: MagnitudeSet) -> QuerySet[MagnitudeTask]:
        return about.tasks.select_related("pooled")

    def open_tasks(self, about: MagnitudeSet, judge: User) -> list[MagnitudeTask]:
        own = self.all_tasks(about).filter(judge=judge).order_by("place")
        given = standing_magnitudes(own)
        return [task for task in own if task.pk not in given]

    def begun(self, tasks: Sequence[MagnitudeTask]) -> set[int]:
        """Return the tasks of topics that their judge has begun: numbers of two judges are two scales."""
        sets = {task.magnitude_set_id for task in tasks}
        given = Magnitude.objects.filter(task__magnitude_set__in=sets).order_by()
        begun = set(given.values_list("task__magnitude_set", "task__judge", "task__pooled__topic").distinct())
        return {
            task.pk for task in tasks if (task.magnitude_set_id, task.judge_id, task.pooled.topic_id) in begun
        }

    def group_of(self, task: MagnitudeTask) -> int:
        return task.pooled.topic_id

    def runs(self, about: MagnitudeSet) -> list[AnswerRun]:
        return []


MAGNITUDES = MagnitudeKind()
