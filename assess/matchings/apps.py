"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

from accounts.models import User
from assess.matchings.queries.integrity import CHECKS
from assess.matchings.queries.tasks import my_matchings, why_not_deleted
from assess.matchings.services import delete_matchings
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    before_deletion,
    deletion_obstacles,
    integrity_checks,
    navigation_pages,
    page_parts,
)
from pooling.models import Campaign, Role


def my_topics_part(user: User, campaign: Campaign) -> PagePart | None:
    matchings = my_matchings(user, campaign)
    left = sum(len(mine.waiting) for mine in matchings)
    page = "assess/matchings/parts/_my_topics.html"
    return PagePart(page, {"answers_left": left}) if matchings else None


PAGE = NavigationPage(
    "Matchings", "assess:matching_setup", frozenset({Role.ORGANISER}), ("judging/matchings",)
)


def register() -> None:
    page_parts["my_topics"].append(my_topics_part)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.insert(0, delete_matchings)  # before nuggets: a matching protects its bank
    integrity_checks.extend(CHECKS)
    navigation_pages["Judge"].append(PAGE)
