"""A time of a page: in the campaign's zone, with UTC in its title."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.template import Context, Template

from pooling.models import Campaign

MOMENT = datetime(2026, 11, 24, 12, 3, 9, tzinfo=UTC)


def shown(precision: str, **context: object) -> str:
    template = Template(f'{{% load times %}}{{% time moment "{precision}" %}}')
    return template.render(Context({"moment": MOMENT, **context}))


@pytest.mark.parametrize(
    ("zone", "precision", "text"),
    [
        ("Europe/Berlin", "minute", "24 Nov 2026, 13:03 CET"),
        ("Asia/Tokyo", "second", "24 Nov 2026, 21:03:09 JST"),
        ("Pacific/Auckland", "day", "25 Nov 2026"),
        ("UTC", "clock", "12:03 UTC"),
        ("Mars/Olympus", "minute", "24 Nov 2026, 12:03 UTC"),
        ("../etc/passwd", "minute", "24 Nov 2026, 12:03 UTC"),
    ],
)
def test_a_time_is_shown_in_the_zone_of_the_campaign(zone: str, precision: str, text: str) -> None:
    html = shown(precision, campaign=Campaign(time_zone=zone))
    assert 'datetime="2026-11-24T12:03:09Z" title="2026-11-24 12:03 UTC"' in html
    assert f">{text}</time>" in html


def test_without_a_campaign_a_time_is_in_utc() -> None:
    assert ">24 Nov 2026, 12:03 UTC</time>" in shown("minute")


def test_no_time_is_an_empty_text() -> None:
    assert shown("minute", moment=None) == ""


def test_no_template_shows_a_moment_without_its_zone() -> None:
    dates = {"made_on", "forecast.finish.last", "day"}  # days, which have no zone
    lines = [line for path in Path("templates").rglob("*.html") for line in path.read_text().splitlines()]
    shown = [line for line in lines if "|date:" in line]
    assert [line for line in shown if not any(f"{each}|date" in line for each in dates)] == []
