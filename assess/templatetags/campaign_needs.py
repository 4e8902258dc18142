"""What needs a person in each campaign of a list."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from accounts.models import User
from assess.queries.campaigns import needs_of
from pooling.models import Campaign
from pooling.queries.campaigns import set_roles

register = template.Library()


@register.simple_tag
def campaign_needs(
    user: User, rows: Sequence[tuple[Campaign, list[str]]]
) -> list[tuple[Campaign, list[str], list[str]]]:
    """Return (campaign, roles, needs) for rows of (campaign, roles)."""
    campaigns = [campaign for campaign, _ in rows]
    set_roles(user, campaigns)
    needs = needs_of(user, campaigns)
    return [(campaign, roles, needs[campaign.pk]) for campaign, roles in rows]
