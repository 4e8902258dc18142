"""How pages show a time: in the campaign's time zone, as its dates and its messages are."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pooling.models import Campaign
from pooling.schedule import shown_time

register = template.Library()


@register.simple_tag(takes_context=True)
def time(context: Context, value: datetime | None, precision: str = "minute") -> SafeString | str:
    """Show a moment in the campaign's time zone, with UTC in the title; precision: as of `shown_time`.

    Empty for None.
    """
    if value is None:
        return ""
    exact = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.strftime("%Y-%m-%dT%H:%M:%SZ"),
        exact.strftime("%Y-%m-%d %H:%M UTC"),
        time_text(context, value, precision),
    )


@register.simple_tag(takes_context=True)
def time_text(context: Context, value: datetime, precision: str = "minute") -> str:
    """The same as text, for an attribute. Pages outside a campaign show UTC."""
    campaign = context.get("campaign")
    return shown_time(value, campaign.time_zone if isinstance(campaign, Campaign) else "UTC", precision)
