"""What this package adds to pages of the core."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, navigation_pages
from pooling.models import Role

PAGE = NavigationPage(
    "Confusion",
    "metrics:confusion",
    frozenset({Role.ORGANISER, Role.ADJUDICATOR}),
    ("scores/confusion",),
)


def register() -> None:
    navigation_pages["Results"].append(PAGE)
