"""What this package adds to pages and refusals of the core."""

from __future__ import annotations

from accounts.models import User
from assess.battles.queries import my_battles, why_not_deleted
from assess.battles.services import delete_battles
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
    sets = my_battles(user, campaign)
    battles_left = sum(len(mine.waiting) for mine in sets)
    return PagePart("assess/battles/parts/_my_topics.html", {"battles_left": battles_left}) if sets else None


PAGE = NavigationPage("Battles", "assess:battle_setup", frozenset({Role.ORGANISER}), ("judging/battles",))


def register() -> None:
    page_parts["my_topics"].append(my_topics_part)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_battles)
    navigation_pages["Judge"].append(PAGE)
