"""What this package adds to pages of the core."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, navigation_pages
from pooling.models import Role

PAGE = NavigationPage(
    "Snippet results",
    "metrics:snippet_result_list",
    frozenset({Role.ORGANISER, Role.ADJUDICATOR}),
    ("scores/snippets",),
    group="Comparisons",
)


def register() -> None:
    navigation_pages["Results"].append(PAGE)
