"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.clicks.queries import why_not_restored
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    navigation_pages,
    page_parts,
    restoration_obstacles,
)
from pooling.models import Campaign, Role

PAGE = NavigationPage("Clicks", "assess:click_log_list", frozenset({Role.ORGANISER}), ("judging/clicks",))


def log_of_source(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/clicks/parts/_log_of_source.html")


def register() -> None:
    navigation_pages["Sources"].append(PAGE)
    page_parts["source"].append(log_of_source)
    restoration_obstacles.append(why_not_restored)
