"""Dates and states of campaigns in templates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone

from pooling.campaign_states import MEANINGS
from pooling.models import Campaign, Role
from pooling.queries.schedule import submission_window
from pooling.schedule import acceptance, distance, shown_time, time_zone_label

register = template.Library()
register.filter(time_zone_label)


@register.filter
def in_time_zone_of(time: datetime | None, campaign: Campaign) -> str:
    """Return a time in the campaign's time zone, and how far away it is; "" for None."""
    if time is None:
        return ""
    return f"{shown_time(time, campaign.time_zone)} ({distance(time - timezone.now())})"


@register.inclusion_tag("pooling/parts/_schedule_note.html", takes_context=True)
def schedule_note(context: Context, campaign: Campaign, reader: str = "") -> dict[str, Any]:
    """Show the state and the dates that concern the reader: by their roles, or only as a judge."""
    roles = {reader} if reader else campaign.my_roles
    return {
        "campaign": campaign,
        "meaning": MEANINGS[campaign.state],
        "organises": Role.ORGANISER in roles,
        "submission": submission_sentence(campaign) if roles & {Role.ORGANISER, Role.PARTICIPANT} else "",
        "judging": roles & {Role.ORGANISER, Role.ADJUDICATOR, Role.JUDGE} and campaign.judging_ends_at,
        "is_judge": reader == Role.JUDGE,
    }


@register.simple_tag
def submission_sentence(campaign: Campaign) -> str:
    """Say whether participants can submit runs now, and until when."""
    return acceptance(submission_window(campaign), timezone.now()).sentence
