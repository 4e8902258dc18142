"""Sets of battles as organisers see them, and who could take over from a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from assess.battles.queries.votes import standing, standing_votes
from assess.models import Battle, BattleSet, BattleVote
from assess.queries.answers import who_know
from assess.queries.people import judges_to_choose
from pooling.models import Campaign


class SetProgress(NamedTuple):
    """A set as an organiser sees it. judges: (judge, battles, battles with a vote)."""

    battle_set: BattleSet
    total: int
    voted: int
    judges: list[tuple[User, int, int]]
    withdrawn: list[str]


def set_progress(battle_set: BattleSet) -> SetProgress:
    """Return how far the judges of a set are. withdrawn: tags of runs whose battles nobody sees any more."""
    battles = standing(battle_set.battles.order_by())
    counted, voted, votes = Counter[int](), Counter[int](), standing_votes(battles)
    for key, judge in battles.values_list("pk", "judge"):
        counted[judge] += 1
        voted[judge] += key in votes
    judges = User.objects.filter(pk__in=counted).order_by("username")
    withdrawn = battle_set.runs.exclude(withdrawn_at=None).values_list("tag", flat=True)
    rows = [(judge, counted[judge.pk], voted[judge.pk]) for judge in judges]
    return SetProgress(battle_set, counted.total(), voted.total(), rows, list(withdrawn))


def sets_of(campaign: Campaign) -> QuerySet[BattleSet]:
    """Return the sets with `run_count`, `judge_count`, `battle_count` and `voted_count`, newest first."""
    return campaign.battle_sets.annotate(
        run_count=Count("runs", distinct=True),
        judge_count=Count("battles__judge", distinct=True),
        battle_count=Count("battles", distinct=True),
        voted_count=Count("battles", filter=Q(battles__votes__isnull=False), distinct=True),
    )


class Handover(NamedTuple):
    """What becomes of the open battles of a judge who leaves.

    given: battles and who gets them. dropped: open repeats, which only this judge could have voted on. kept:
    how many stay open, because each of the others has the same pair already or a vote was taken back.
    """

    given: list[tuple[Battle, User]]
    dropped: list[Battle]
    kept: int

    @property
    def shares(self) -> list[tuple[User, int]]:
        """How many battles each of the others gets, by name."""
        counts = Counter(judge for _, judge in self.given)
        return sorted(counts.items(), key=lambda each: each[0].username)


def open_battles(battle_set: BattleSet, judge: User) -> QuerySet[Battle]:
    """Return the battles of a judge that have no standing vote, in their order."""
    own = standing(battle_set.battles.filter(judge=judge))
    return own.exclude(pk__in=standing_votes(own)).order_by("place")


def successors(battle_set: BattleSet, judge: User) -> QuerySet[User]:
    """Return who could take over battles of a judge: judges who see no name of a run of the set."""
    campaign = battle_set.campaign
    knowing = who_know(campaign, battle_set.runs.all())
    return judges_to_choose(campaign).exclude(pk__in=knowing.values("pk")).exclude(pk=judge.pk).distinct()


def handover(battle_set: BattleSet, judge: User, others: Sequence[User]) -> Handover:
    """Return who of the others gets which battle: of those without the same pair, who has fewest to do."""
    battles = list(open_battles(battle_set, judge))
    with_events = set(BattleVote.objects.filter(battle__in=battles).values_list("battle", flat=True))
    has, load = set[tuple[int, frozenset[int]]](), Counter[int]()
    for other in others:
        load[other.pk] = open_battles(battle_set, other).count()
        own = battle_set.battles.filter(judge=other).order_by().values_list("left", "right")
        has.update((other.pk, frozenset(pair)) for pair in own)
    given, dropped, kept = [], [], 0
    for battle in battles:
        pair = frozenset((battle.left_id, battle.right_id))
        free = [other for other in others if (other.pk, pair) not in has]
        if battle.pk in with_events or not (battle.is_repeat or free):
            kept += 1
        elif battle.is_repeat:
            dropped.append(battle)
        else:
            taker = min(free, key=lambda other: (load[other.pk], other.username))
            has.add((taker.pk, pair))
            load[taker.pk] += 1
            given.append((battle, taker))
    return Handover(given, dropped, kept)
