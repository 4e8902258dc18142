"""What this package adds to pages of the core, and to the integrity check."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, integrity_checks, navigation_pages
from metrics.ab_tests.queries import CHECKS
from pooling.models import Role

PAGE = NavigationPage(
    "A/B tests", "metrics:ab_test_list", frozenset({Role.ORGANISER}), ("ab-tests",), group="Experiments"
)


def register() -> None:
    integrity_checks.extend(CHECKS)
    navigation_pages["Results"].append(PAGE)
