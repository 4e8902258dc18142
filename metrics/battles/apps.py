"""What this package adds to pages of the core and to the integrity check."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, integrity_checks, navigation_pages
from metrics.battles.queries import CHECKS
from pooling.models import Role

PAGE = NavigationPage(
    "Battle results",
    "metrics:battle_result_list",
    frozenset({Role.ORGANISER, Role.ADJUDICATOR}),
    ("scores/battles",),
    group="Answers",
)


def register() -> None:
    navigation_pages["Results"].append(PAGE)
    integrity_checks.extend(CHECKS)
