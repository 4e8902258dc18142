"""Dates and states of campaigns in templates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from pooling.campaign_states import MEANINGS
from pooling.models import Campaign, Role
from pooling.queries.schedule import submission_window
from pooling.schedule import acceptance, distance, shown_time, time_zone_label, zone_of

register = template.Library()
register.filter(time_zone_label)


@register.filter
def in_time_zone_of(time: datetime | None, campaign: Campaign) -> str:
    """Return a time in the campaign's time zone, and how far away it is; "" for None."""
    if time is None:
        return ""
    return f"{shown_time(time, campaign.time_zone)} ({distance(time - timezone.now())})"


@register.filter
def deadline(time: datetime | None, campaign: Campaign) -> str:
    """Return what `in_time_zone_of` says as HTML, to which local_times.js adds the reader's own time."""
    if time is None:
        return ""
    return format_html("{} ({})", _deadline_element(time, campaign), distance(time - timezone.now()))


@register.filter
def with_deadlines(sentence: str, campaign: Campaign) -> SafeString:
    """Return a sentence as HTML in which the dates of submission are elements as those of `deadline`."""
    html = escape(sentence)
    for time in filter(None, (campaign.submission_opens_at, campaign.submission_closes_at)):
        shown = escape(shown_time(time, campaign.time_zone))
        html = mark_safe(html.replace(shown, _deadline_element(time, campaign)))
    return html


def _deadline_element(time: datetime, campaign: Campaign) -> SafeString:
    """Return a time element; data-offset: minutes by which the campaign's time is ahead of UTC."""
    offset = time.astimezone(zone_of(campaign.time_zone)).utcoffset() or timedelta(0)
    return format_html(
        '<time datetime="{}" data-offset="{}">{}</time>',
        time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        int(offset.total_seconds() // 60),
        shown_time(time, campaign.time_zone),
    )


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
    """Say whether participants can submit runs now, and until when; to an organiser, that organisers can."""
    window, now = submission_window(campaign), timezone.now()
    accepted = acceptance(window, now)
    sentence = with_deadlines(accepted.sentence, campaign)
    organises = Role.ORGANISER in campaign.my_roles and acceptance(window, now, is_organiser=True).accepts
    if accepted.accepts or not organises:
        return sentence
    return format_html("{} This holds for participants; organisers can submit.", sentence)
