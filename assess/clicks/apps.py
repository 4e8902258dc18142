"""What this package adds to pages of the core."""

from __future__ import annotations

from assess.clicks.queries import facts_of_log, why_not_restored
from assess.queries.extensions import (
    NavigationPage,
    navigation_pages,
    restoration_obstacles,
    source_facts,
)
from pooling.models import Role

PAGE = NavigationPage(
    "Click logs",
    "assess:click_log_list",
    frozenset({Role.ORGANISER}),
    ("judging/clicks",),
    group="Experiments",
)


def register() -> None:
    navigation_pages["Results"].append(PAGE)
    source_facts.append(facts_of_log)
    restoration_obstacles.append(why_not_restored)
