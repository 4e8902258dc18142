"""What this package adds to pages of the core."""

from __future__ import annotations

from assess.machines.queries.sources import facts_of_labelling
from assess.queries.extensions import NavigationPage, navigation_pages, source_facts
from pooling.models import Role

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
    navigation_pages["Sources"].extend(PAGES)
    source_facts.append(facts_of_labelling)
