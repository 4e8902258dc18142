"""What this package adds to pages of the core, and to the integrity check."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import NavigationPage, PagePart, integrity_checks, navigation_pages, page_parts
from metrics.interleaving.queries import CHECKS
from pooling.models import Campaign, Role


def comparison(user: User, campaign: Campaign) -> PagePart:
    return PagePart("metrics/interleaving/parts/_comparison_row.html")


def leaderboard_part(user: User, campaign: Campaign) -> PagePart | None:
    if Role.ORGANISER in campaign.my_roles:
        return PagePart("metrics/interleaving/parts/_leaderboard.html")
    return None


PAGE = NavigationPage(
    "Interleaving", "metrics:interleaving_list", frozenset({Role.ORGANISER}), ("interleaving",)
)


def register() -> None:
    page_parts["comparisons"].append(comparison)
    page_parts["leaderboard"].append(leaderboard_part)
    integrity_checks.extend(CHECKS)
    navigation_pages["Results"].append(PAGE)
