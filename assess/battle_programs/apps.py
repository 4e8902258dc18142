"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import json

from accounts.models import User
from assess.battle_programs.prompt import DEFAULT
from assess.battle_programs.queries.integrity import CHECKS
from assess.battle_programs.queries.requests import orders_of
from assess.battle_programs.queries.votes import why_not_deleted
from assess.battle_programs.services import PlannedProgram, create_program, load_results
from assess.models import Answer
from assess.queries.extensions import (
    NavigationPage,
    deletion_obstacles,
    demonstrations,
    integrity_checks,
    navigation_pages,
)
from pooling.models import Campaign, Role, Run


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add a program for the newest battles: it prefers longer answers, and sometimes the first one.

    One of its replies cannot be read.
    """
    battle_set = campaign.battle_sets.first()
    if battle_set is None:
        return
    asked = PlannedProgram(battle_set, "prefers length", "demo-1", DEFAULT)
    program = create_program(campaign, organiser, asked)
    words = dict(Answer.objects.filter(run__in=battle_set.runs.all()).values_list("pk", "words"))
    lines = []
    for place, (key, order) in enumerate(orders_of(program).items()):
        mark = "[[A]]" if words[order.left] >= words[order.right] or place % 5 == 0 else "[[B]]"
        content = f"It says more.\n{mark}" if place else "Both have their merits."
        body = {"model": "demo-1", "choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
        lines.append(json.dumps({"custom_id": key, "response": {"status_code": 200, "body": body}}))
    load_results(program, organiser, "\n".join(lines).encode(), "demonstration.jsonl")


PAGE = NavigationPage(
    "Battle programs",
    "assess:battle_program_list",
    frozenset({Role.ORGANISER}),
    ("sources/battle-programs",),
)


def register() -> None:
    deletion_obstacles.append(why_not_deleted)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Sources"].append(PAGE)
