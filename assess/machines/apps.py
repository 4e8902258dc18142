"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import NavigationPage, PagePart, navigation_pages, page_parts
from pooling.models import Campaign, Role


def source_of_labels(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/machines/parts/_source_row.html")


PAGES = [
    NavigationPage(
        "Labellings",
        "assess:labelling_list",
        frozenset({Role.ORGANISER}),
        ("judging/machines/labellings",),
    ),
    NavigationPage(
        "Prompts", "assess:prompt_list", frozenset({Role.ORGANISER}), ("judging/machines/prompts",)
    ),
]


def register() -> None:
    page_parts["sources"].append(source_of_labels)
    navigation_pages["Sources"].extend(PAGES)
