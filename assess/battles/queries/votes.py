"""The battles and the votes of judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import Battle, BattleSet, BattleVote
from assess.queries.answers import runs_unknown_to
from pooling.models import Campaign


def battles_for_judge(judge: User, campaign: Campaign) -> QuerySet[Battle]:
    """Return the battles on which this judge may vote.

    Not those with a run that was withdrawn, or whose name the judge sees.
    """
    unknown = runs_unknown_to(judge, campaign).values("pk")
    battles = Battle.objects.filter(battle_set__campaign=campaign, judge=judge)
    return battles.filter(left__run__in=unknown, right__run__in=unknown)


def standing(battles: QuerySet[Battle]) -> QuerySet[Battle]:
    """Leave out battles with an answer of a withdrawn run."""
    return battles.filter(left__run__withdrawn_at=None, right__run__withdrawn_at=None)


def standing_votes(battles: QuerySet[Battle] | Sequence[Battle]) -> dict[int, BattleVote]:
    """Return the key of a battle -> the vote that counts, for the battles that have one."""
    if isinstance(battles, QuerySet):
        battles = battles.order_by()
    votes = BattleVote.objects.filter(battle__in=battles).order_by("pk")
    last = {vote.battle_id: vote for vote in votes}
    return {key: vote for key, vote in last.items() if vote.choice}


class MyBattles(NamedTuple):
    """A set of battles as a judge sees it. waiting: keys of the battles without a vote, in their order."""

    battle_set: BattleSet
    total: int
    waiting: list[int]

    @property
    def voted(self) -> int:
        return self.total - len(self.waiting)


def my_battles(judge: User, campaign: Campaign) -> list[MyBattles]:
    """Return the sets in which this judge has battles, newest first."""
    own: dict[int, list[int]] = {}
    found = battles_for_judge(judge, campaign).order_by("place")
    voted = standing_votes(found)
    for key, battle_set in found.values_list("pk", "battle_set"):
        own.setdefault(battle_set, []).append(key)
    return [
        MyBattles(each, len(own[each.pk]), [key for key in own[each.pk] if key not in voted])
        for each in campaign.battle_sets.all()
        if each.pk in own
    ]


def last_voted(judge: User, battle_set: BattleSet) -> int | None:
    """Return the key of the battle on which this judge voted last."""
    votes = BattleVote.objects.filter(battle__judge=judge, battle__battle_set=battle_set).order_by("-pk")
    return votes.values_list("battle", flat=True).first()


def has_votes(battle_set: BattleSet) -> bool:
    return BattleVote.objects.filter(battle__battle_set=battle_set).exists()


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its battles; "" if it can."""
    votes = BattleVote.objects.filter(battle__battle_set__campaign=campaign).count()
    return (
        f"It holds {votes:,} vote{pluralize(votes)} on battles, and labels are never deleted."
        if votes
        else ""
    )
