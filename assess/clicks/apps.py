"""What this package adds to pages of the core."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, navigation_pages
from pooling.models import Role

PAGE = NavigationPage("Clicks", "assess:click_log_list", frozenset({Role.ORGANISER}), ("judging/clicks",))


def register() -> None:
    navigation_pages["Sources"].append(PAGE)
