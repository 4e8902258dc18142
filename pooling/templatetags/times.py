"""How pages show a time: in the campaign's time zone, which the browser replaces by its own."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.template import Context
from django.utils import dateformat
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pooling.models import Campaign
from pooling.schedule import zone_of

register = template.Library()

FORMATS = {"minute": "j M Y, H:i T", "second": "j M Y, H:i:s T", "clock": "H:i T", "day": "j M Y"}


@register.simple_tag(takes_context=True)
def time(context: Context, value: datetime | None, precision: str = "minute") -> SafeString | str:
    """Show a moment in the campaign's time zone, with UTC in the title. precision: a key of FORMATS.

    times.js replaces the text by the time in the zone of the browser. Empty for None.
    """
    if value is None:
        return ""
    campaign = context.get("campaign")
    local = value.astimezone(zone_of(campaign.time_zone) if isinstance(campaign, Campaign) else UTC)
    exact = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}" data-precision="{}">{}</time>',
        exact.strftime("%Y-%m-%dT%H:%M:%SZ"),
        exact.strftime("%Y-%m-%d %H:%M UTC"),
        precision,
        dateformat.format(local, FORMATS[precision]),
    )
