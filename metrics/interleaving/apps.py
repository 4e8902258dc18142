"""What this package adds to pages of the core, and to the integrity check."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, integrity_checks, navigation_pages
from metrics.interleaving.queries import CHECKS
from pooling.models import Role

PAGE = NavigationPage(
    "Interleaving",
    "metrics:interleaving_list",
    frozenset({Role.ORGANISER}),
    ("interleaving",),
    group="Experiments",
)


def register() -> None:
    integrity_checks.extend(CHECKS)
    navigation_pages["Results"].append(PAGE)
