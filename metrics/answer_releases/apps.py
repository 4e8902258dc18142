"""What this package adds to pages of the core and the integrity check."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, integrity_checks, navigation_pages
from metrics.answer_releases.queries import CHECKS
from pooling.models import Role

PAGE = NavigationPage(
    "Answer releases",
    "metrics:answer_release_list",
    frozenset({Role.ORGANISER}),
    ("scores/answer-releases",),
    group="Answers",
)


def register() -> None:
    integrity_checks.extend(CHECKS)
    navigation_pages["Results"].append(PAGE)
