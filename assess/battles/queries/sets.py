"""Sets of battles as organisers see them, and who could take over from a judge."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from assess.battles.queries.votes import my_battles, standing, standing_votes
from assess.models import Battle, BattleSet, BattleVote
from assess.queries.judged_sets import JudgedKind, MySet, SetProgress, progress_by_item
from pooling.models import Campaign


def set_progress(battle_set: BattleSet) -> SetProgress:
    """Return how far the judges of a set are."""
    battles = standing(battle_set.battles.order_by())
    return progress_by_item(battle_set, battles.values_list("pk", "judge"), standing_votes(battles))


def sets_of(campaign: Campaign) -> QuerySet[BattleSet]:
    """Return the sets with `run_count`, `judge_count`, `battle_count` and `voted_count`, newest first."""
    return campaign.battle_sets.annotate(
        run_count=Count("runs", distinct=True),
        judge_count=Count("battles__judge", distinct=True),
        battle_count=Count("battles", distinct=True),
        voted_count=Count("battles", filter=Q(battles__votes__isnull=False), distinct=True),
    )


class BattleKind(JudgedKind):
    """Battles, for the pages and services that all kinds of sets share."""

    name, title, item, open_words = "battle", "Battles", "battle", "of two answers to vote on"
    label = "vote"

    def sets(self, campaign: Campaign) -> QuerySet[BattleSet]:
        return campaign.battle_sets.all()

    def mine(self, judge: User, campaign: Campaign) -> list[MySet]:
        return my_battles(judge, campaign)

    def all_tasks(self, about: BattleSet) -> QuerySet[Battle]:
        return about.battles.all()

    def open_tasks(self, about: BattleSet, judge: User) -> list[Battle]:
        own = standing(about.battles.filter(judge=judge))
        return list(own.exclude(pk__in=standing_votes(own)).order_by("place"))

    def begun(self, tasks: Sequence[Battle]) -> set[int]:
        return set(BattleVote.objects.filter(battle__in=tasks).values_list("battle", flat=True))

    def group_of(self, task: Battle) -> frozenset[int]:
        return frozenset((task.left_id, task.right_id))

    def is_personal(self, task: Battle) -> bool:
        return task.is_repeat


BATTLES = BattleKind()
