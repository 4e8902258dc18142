"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import uuid

from accounts.models import User
from assess.battles.forms import BETTER
from assess.battles.queries.integrity import CHECKS
from assess.battles.queries.plan import PlannedBattles
from assess.battles.queries.sets import BATTLES
from assess.battles.queries.votes import why_not_deleted
from assess.battles.services import SubmittedVote, create_battles, delete_battles, record_vote
from assess.models import BattleVote
from assess.queries.answers import who_know
from assess.queries.extensions import (
    NavigationPage,
    add_judged_kind,
    before_deletion,
    deletion_obstacles,
    demonstrations,
    integrity_checks,
    navigation_pages,
)
from assess.queries.people import judges_to_choose
from pooling.models import Campaign, Role, Run


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add battles between all answer runs, and the votes of all judges but the last: longer answers win."""
    answer_runs, topics = list(campaign.answer_runs.active()), campaign.topics.filter(answers__isnull=False)
    judges = list(judges_to_choose(campaign).exclude(pk__in=who_know(campaign, answer_runs).values("pk")))
    if len(answer_runs) < 2 or len(judges) < 2:
        return
    asked = PlannedBattles(answer_runs, judges, list(topics.distinct()), 1, 40, 25, 1, BETTER)
    battles = create_battles(campaign, organiser, asked).battles.exclude(judge=judges[-1])
    for battle in battles.select_related("judge", "battle_set__campaign", "left", "right"):
        longer = max(battle.left, battle.right, key=lambda answer: answer.words)
        is_left = longer == battle.left
        choice = BattleVote.Choice.LEFT if is_left else BattleVote.Choice.RIGHT
        if battle.left.words == battle.right.words:
            choice = BattleVote.Choice.TIE
        record_vote(battle, battle.judge, SubmittedVote(uuid.uuid4(), choice))


PAGE = NavigationPage(
    "Battles", "assess:battle_setup", frozenset({Role.ORGANISER}), ("judging/battles",), group="Answers"
)


def register() -> None:
    add_judged_kind(BATTLES)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_battles)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
