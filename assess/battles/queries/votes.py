"""The battles and the votes of judges."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import Battle, BattleSet, BattleVote
from assess.queries.answers import runs_unknown_to
from assess.queries.judged_sets import MySet, sets_of_judge
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


def my_battles(judge: User, campaign: Campaign) -> list[MySet]:
    """Return the sets in which this judge has battles, newest first."""
    battles = battles_for_judge(judge, campaign).order_by("place")
    rows = list(battles.values_list("pk", "battle_set"))
    return sets_of_judge(campaign.battle_sets.all(), rows, standing_votes(battles) if rows else {})


def last_voted(judge: User, battle_set: BattleSet) -> int | None:
    """Return the key of the battle on which this judge voted last."""
    votes = BattleVote.objects.filter(battle__judge=judge, battle__battle_set=battle_set).order_by("-pk")
    return votes.values_list("battle", flat=True).first()


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its battles; "" if it can."""
    votes = BattleVote.objects.filter(battle__battle_set__campaign=campaign).count()
    return (
        f"It holds {votes:,} vote{pluralize(votes)} on battles, and labels are never deleted."
        if votes
        else ""
    )
