"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.machines.queries.sources import facts_of_labelling
from assess.queries.extensions import NavigationPage, PagePart, navigation_pages, page_parts, source_facts
from pooling.models import Campaign, Role

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


def labellings_part(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/machines/parts/_to_labellings.html")


def register() -> None:
    page_parts["machine_list"].append(labellings_part)
    navigation_pages["Sources"].extend(PAGES)
    source_facts.append(facts_of_labelling)
