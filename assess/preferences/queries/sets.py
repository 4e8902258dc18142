"""Sets of preferences as organisers see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from assess.models import AnswerRun, Preference, PreferencePair, PreferenceSet, PreferenceTask
from assess.preferences.queries.votes import STANDING_CHOICE, MyPreferences, my_preferences
from assess.queries.judged_sets import JudgedKind, SetProgress, progress_by_item
from pooling.models import Campaign


class TaskProgress(NamedTuple):
    """A topic of a judge. pairs, voted: of the current stage."""

    task: PreferenceTask
    judge: User
    pairs: int
    voted: int


def _pairs(preference_set: PreferenceSet) -> QuerySet[PreferencePair]:
    """Return the pairs of all stages that have begun, with their standing choice."""
    pairs = PreferencePair.objects.filter(task__preference_set=preference_set)
    return pairs.annotate(choice=STANDING_CHOICE).order_by()


def set_progress(preference_set: PreferenceSet) -> SetProgress:
    """Return how far the judges of a set are, in pairs of the stages that have begun."""
    pairs = PreferencePair.objects.filter(task__preference_set=preference_set).annotate(
        choice=STANDING_CHOICE
    )
    rows = list(pairs.order_by().values_list("pk", "task__judge", "choice"))
    voted = {key for key, _, choice in rows if choice}
    return progress_by_item(preference_set, [(key, judge) for key, judge, _ in rows], voted)


def topic_progress(preference_set: PreferenceSet) -> list[TaskProgress]:
    """Return the topics of all judges, in their order."""
    tasks = preference_set.tasks.select_related("topic", "judge")
    stage_of = {task.pk: task.stage for task in tasks}
    current: dict[int, tuple[int, int]] = {}
    pairs = PreferencePair.objects.filter(task__preference_set=preference_set).annotate(
        choice=STANDING_CHOICE
    )
    for task, stage, choice in pairs.order_by().values_list("task", "stage", "choice"):
        if stage == stage_of[task]:
            had, done = current.get(task, (0, 0))
            current[task] = had + 1, done + bool(choice)
    return [TaskProgress(task, task.judge, *current.get(task.pk, (0, 0))) for task in tasks]


def sets_of(campaign: Campaign) -> QuerySet[PreferenceSet]:
    """Return the sets with `topic_count`, `judge_count` and `finished_count`, newest first."""
    finished = Q(tasks__finished_at__isnull=False)
    return campaign.preference_sets.select_related("release").annotate(
        task_count=Count("tasks", distinct=True),
        topic_count=Count("tasks__topic", distinct=True),
        judge_count=Count("tasks__judge", distinct=True),
        finished_count=Count("tasks", filter=finished, distinct=True),
    )


class PreferenceKind(JudgedKind):
    """Preferences, for the pages and services that all kinds of sets share. A topic is one judge's."""

    name, title, item, task = "preference", "Preferences", "pair", "topic"
    open_words, label = "of two documents to vote on", "vote"

    def sets(self, campaign: Campaign) -> QuerySet[PreferenceSet]:
        return campaign.preference_sets.all()

    def mine(self, judge: User, campaign: Campaign) -> list[MyPreferences]:
        return my_preferences(judge, campaign)

    def all_tasks(self, about: PreferenceSet) -> QuerySet[PreferenceTask]:
        return about.tasks.all()

    def open_tasks(self, about: PreferenceSet, judge: User) -> list[PreferenceTask]:
        return list(about.tasks.filter(judge=judge, finished_at=None))

    def begun(self, tasks: Sequence[PreferenceTask]) -> set[int]:
        return set(Preference.objects.filter(pair__task__in=tasks).values_list("pair__task", flat=True))

    def group_of(self, task: PreferenceTask) -> int:
        return task.topic_id

    def runs(self, about: PreferenceSet) -> list[AnswerRun]:
        return []


PREFERENCES = PreferenceKind()
