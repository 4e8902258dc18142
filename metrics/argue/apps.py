"""What this package adds to other pages: links to its own."""

from __future__ import annotations

from accounts.models import User
from assess.matchings.queries.tasks import matchings_of
from assess.queries.extensions import PagePart, page_parts
from pooling.models import Campaign


def link_from_matching(user: User, campaign: Campaign) -> PagePart:
    return PagePart("metrics/argue/parts/_from_matching.html")


def links_from_support(user: User, campaign: Campaign) -> PagePart:
    return PagePart("metrics/argue/parts/_from_support.html", {"matchings": matchings_of(campaign)})


def register() -> None:
    page_parts["matching_result"].append(link_from_matching)
    page_parts["support_result"].append(links_from_support)
