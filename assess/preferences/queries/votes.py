"""The pairs and the votes of judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import Preference, PreferencePair, PreferenceSet, PreferenceTask
from assess.preferences.stages import Preferred
from assess.queries.judged_sets import MySet, sets_of_judge
from pooling.models import Campaign

STANDING_CHOICE = Coalesce(
    Subquery(Preference.objects.filter(pair=OuterRef("pk")).order_by("-pk").values("choice")[:1]), Value("")
)
"""The choice of the standing vote of a pair; "" without one."""


def open_pairs(task: PreferenceTask) -> QuerySet[PreferencePair]:
    """Return the pairs of the current stage without a standing vote, in their order."""
    return (
        task.pairs.filter(stage=task.stage)
        .annotate(choice=STANDING_CHOICE)
        .filter(choice="")
        .order_by("place")
    )


class DecidedPairs(NamedTuple):
    """A stage of a task. documents: docnos in it. pairs, voted: how many. preferred: without ties."""

    documents: list[str]
    pairs: int
    voted: int
    preferred: list[Preferred]

    @property
    def is_voted(self) -> bool:
        """Whether every pair has a vote."""
        return self.voted == self.pairs

    @property
    def has_all_pairs(self) -> bool:
        """Whether every two documents are a pair, as in the final stage."""
        return self.pairs == len(self.documents) * (len(self.documents) - 1) // 2


def decided_pairs(task: PreferenceTask, stage: int) -> DecidedPairs:
    """Return the documents of a stage in the order of its pairs, and what was preferred."""
    documents: dict[str, None] = {}
    preferred, count, voted = list[Preferred](), 0, 0
    rows = task.pairs.filter(stage=stage).annotate(choice=STANDING_CHOICE).order_by("place")
    for left, right, choice in rows.values_list("left__docno", "right__docno", "choice"):
        documents |= {left: None, right: None}
        count += 1
        voted += bool(choice)
        if choice == Preference.Choice.LEFT:
            preferred.append((left, right))
        elif choice == Preference.Choice.RIGHT:
            preferred.append((right, left))
    return DecidedPairs(list(documents), count, voted, preferred)


def pairs_for_judge(judge: User, campaign: Campaign) -> QuerySet[PreferencePair]:
    """Return the pairs of this judge in a campaign."""
    return PreferencePair.objects.filter(task__judge=judge, task__preference_set__campaign=campaign)


@dataclass(frozen=True)
class MyPreferences(MySet):
    """A set as a judge sees it. total: pairs of the stages that have begun. finished: of the topics."""

    topics: int
    finished: int


def my_preferences(judge: User, campaign: Campaign) -> list[MyPreferences]:
    """Return the sets in which this judge has topics, newest first. Open pairs: topic by topic."""
    tasks = PreferenceTask.objects.filter(judge=judge, preference_set__campaign=campaign)
    of_set: dict[int, list[PreferenceTask]] = {}
    for task in tasks:
        of_set.setdefault(task.preference_set_id, []).append(task)
    if not of_set:
        return []
    pairs = PreferencePair.objects.filter(task__in=tasks.order_by()).annotate(choice=STANDING_CHOICE)
    rows = pairs.order_by("task__topic__place", "stage", "place")
    votes = list(rows.values_list("pk", "task__preference_set", "choice"))
    voted = {key for key, _, choice in votes if choice}
    sets = sets_of_judge(campaign.preference_sets.all(), [(key, of) for key, of, _ in votes], voted)
    return [
        MyPreferences(
            each.about,
            each.total,
            each.done,
            each.waiting,
            len(of_set[each.about.pk]),
            sum(task.finished_at is not None for task in of_set[each.about.pk]),
        )
        for each in sets
    ]


def last_voted(judge: User, preference_set: PreferenceSet) -> int | None:
    """Return the key of the pair on which this judge voted last."""
    votes = Preference.objects.filter(pair__task__judge=judge, pair__task__preference_set=preference_set)
    return votes.order_by("-pk").values_list("pair", flat=True).first()


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its preferences; "" if it can."""
    votes = Preference.objects.filter(pair__task__preference_set__campaign=campaign).count()
    return (
        f"It holds {votes:,} preference{pluralize(votes)} of judges, and labels are never deleted."
        if votes
        else ""
    )
