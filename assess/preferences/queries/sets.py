"""Sets of preferences as organisers see them."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from assess.models import PreferencePair, PreferenceSet, PreferenceTask
from assess.preferences.queries.votes import STANDING_CHOICE
from pooling.models import Campaign


class TaskProgress(NamedTuple):
    """A topic of a judge. pairs, voted: of the current stage."""

    task: PreferenceTask
    judge: User
    pairs: int
    voted: int


class SetProgress(NamedTuple):
    """A set with its topics. voted, total: pairs of all stages that have begun."""

    preference_set: PreferenceSet
    tasks: list[TaskProgress]
    total: int
    voted: int

    @property
    def finished(self) -> int:
        return sum(each.task.finished_at is not None for each in self.tasks)


def set_progress(preference_set: PreferenceSet) -> SetProgress:
    tasks = preference_set.tasks.select_related("topic", "judge")
    total = voted = 0
    current: dict[int, tuple[int, int]] = {}
    stage_of = {task.pk: task.stage for task in tasks}
    pairs = (
        PreferencePair.objects.filter(task__preference_set=preference_set)
        .annotate(choice=STANDING_CHOICE)
        .order_by()
    )
    for task, stage, choice in pairs.values_list("task", "stage", "choice"):
        total += 1
        voted += bool(choice)
        if stage == stage_of[task]:
            had, done = current.get(task, (0, 0))
            current[task] = had + 1, done + bool(choice)
    rows = [TaskProgress(task, task.judge, *current.get(task.pk, (0, 0))) for task in tasks]
    return SetProgress(preference_set, rows, total, voted)


def sets_of(campaign: Campaign) -> QuerySet[PreferenceSet]:
    """Return the sets with `topic_count`, `judge_count` and `finished_count`, newest first."""
    finished = Q(tasks__finished_at__isnull=False)
    return campaign.preference_sets.select_related("release").annotate(
        task_count=Count("tasks", distinct=True),
        topic_count=Count("tasks__topic", distinct=True),
        judge_count=Count("tasks__judge", distinct=True),
        finished_count=Count("tasks", filter=finished, distinct=True),
    )
