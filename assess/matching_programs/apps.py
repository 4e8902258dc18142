"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import json

from accounts.models import User
from assess.matching_programs.prompt import DEFAULT
from assess.matching_programs.queries.integrity import CHECKS
from assess.matching_programs.queries.labels import why_not_deleted
from assess.matching_programs.queries.requests import requests_of
from assess.matching_programs.services import PlannedProgram, create_program, load_results
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
    """Add a program for the newest matching: it counts the words of a nugget that an answer has.

    One of its replies cannot be read.
    """
    matching = campaign.matchings.select_related("bank").first()
    if matching is None:
        return
    asked = PlannedProgram(matching, "counts words", "demo-1", DEFAULT)
    program = create_program(campaign, organiser, asked)
    words = {
        answer.pk: {word for sentence in answer.stored_sentences for word in sentence.text.casefold().split()}
        for answer in Answer.objects.filter(run__in=matching.runs.all())
    }
    nuggets = {nugget.pk: set(nugget.text.casefold().split()) for nugget in matching.bank.nuggets.all()}
    lines = []
    for place, (key, cell) in enumerate(requests_of(program).items()):
        share = len(nuggets[cell.nugget] & words[cell.answer]) / len(nuggets[cell.nugget])
        mark = "[[support]]" if share > 0.6 else "[[partial]]" if share > 0.3 else "[[none]]"
        content = f"It has {share:.0%} of the words.\n{mark}" if place else "That is hard to say."
        body = {"model": "demo-1", "choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
        lines.append(json.dumps({"custom_id": key, "response": {"status_code": 200, "body": body}}))
    load_results(program, organiser, "\n".join(lines).encode(), "demonstration.jsonl")


PAGE = NavigationPage(
    "Matching programs",
    "assess:matching_program_list",
    frozenset({Role.ORGANISER}),
    ("sources/matching-programs",),
)


def register() -> None:
    deletion_obstacles.append(why_not_deleted)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Sources"].append(PAGE)
