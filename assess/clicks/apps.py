"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import NavigationPage, PagePart, navigation_pages, page_parts
from pooling.models import Campaign, Role


def source_of_labels(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/clicks/parts/_source_row.html")


PAGE = NavigationPage("Clicks", "assess:click_log_list", frozenset({Role.ORGANISER}), ("judging/clicks",))


def register() -> None:
    page_parts["sources"].append(source_of_labels)
    navigation_pages["Sources"].append(PAGE)
