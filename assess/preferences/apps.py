"""What this package adds to pages and refusals of the core."""

from __future__ import annotations

from accounts.models import User
from assess.preferences.queries.votes import my_preferences, why_not_deleted
from assess.preferences.services import delete_preferences
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    before_deletion,
    deletion_obstacles,
    navigation_pages,
    page_parts,
)
from pooling.models import Campaign, Role


def my_topics_part(user: User, campaign: Campaign) -> PagePart | None:
    sets = my_preferences(user, campaign)
    pairs_left = sum(len(mine.waiting) for mine in sets)
    page = "assess/preferences/parts/_my_topics.html"
    return PagePart(page, {"pairs_left": pairs_left}) if sets else None


PAGE = NavigationPage(
    "Preferences", "assess:preference_setup", frozenset({Role.ORGANISER}), ("judging/preferences",)
)


def register() -> None:
    page_parts["my_topics"].append(my_topics_part)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_preferences)
    navigation_pages["Judge"].append(PAGE)
