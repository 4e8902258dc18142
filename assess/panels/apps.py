"""What this package adds to pages and refusals of the core, and to the demonstration."""

from __future__ import annotations

from accounts.models import User
from assess.panels.queries import my_panels, why_not_deleted, why_not_replaced
from assess.panels.services import create_panel, delete_panels
from assess.queries import extensions
from assess.queries.extensions import NavigationPage, PagePart, navigation_pages, page_parts
from pooling.models import Campaign, Role, Run


def my_topics_part(user: User, campaign: Campaign) -> PagePart | None:
    panels = my_panels(user, campaign)
    lists_left = sum(len(mine.waiting) for mine in panels)
    return PagePart("assess/panels/parts/_my_topics.html", {"lists_left": lists_left}) if panels else None


def compare_part(user: User, campaign: Campaign) -> PagePart | None:
    return PagePart("assess/panels/parts/_compare.html") if Role.ORGANISER in campaign.my_roles else None


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    create_panel(campaign, organiser, runs, depth=5, topics=campaign.topics.all()[:10], seed=1)


PAGE = NavigationPage(
    "Side by side",
    "assess:panel_setup",
    frozenset({Role.ORGANISER}),
    ("judging/panels", "scores/panels"),
    group="Comparisons",
)


def register() -> None:
    page_parts["my_topics"].append(my_topics_part)
    page_parts["compare"].append(compare_part)
    extensions.deletion_obstacles.append(why_not_deleted)
    extensions.before_deletion.append(delete_panels)
    extensions.replacement_obstacles.append(why_not_replaced)
    extensions.demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
