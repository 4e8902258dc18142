"""All times of a page are in one zone, that of the campaign, and name it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.places import URLS, place

from .test_roles import GET, POST, campaign, signed_in, undone

__all__ = ["campaign"]
ZONES = {"Asia/Kolkata": "IST", "Pacific/Honolulu": "HST"}
NOT_TEXT = re.compile(r"<(script|style|template)\b.*?</\1>|<[^>]*>", re.DOTALL)
CLOCK = re.compile(r"(?<!UTC[+-])(?<!UTC−)\b\d{1,2}:\d{2}(?::\d{2})?(?P<zone>\s*\S*)")


@pytest.mark.slow
@pytest.mark.parametrize("zone", ZONES)
def test_every_clock_time_of_a_page_names_the_zone_of_the_campaign(
    zone: str, campaign: Campaign, make: Factory
) -> None:
    soon = timezone.now() + timedelta(days=1)
    dates = ("submission_opens_at", "submission_closes_at", "judging_ends_at", "release_planned_at")
    Campaign.objects.filter(pk=campaign.pk).update(time_zone=zone, **dict.fromkeys(dates, soon))
    campaign.refresh_from_db()
    found: dict[str, list[str]] = {}
    for method, names in (("get", GET), ("post", POST)):
        for name in names:
            if "slug" in URLS[name] and not name.startswith("api:"):
                with undone():
                    found[f"{method} {name}"] = times_of(method, name, campaign, make)
    strange = {
        name: [time for time in times if not time.rstrip(".,)").endswith((zone, ZONES[zone]))]
        for name, times in found.items()
    }
    assert {name: times for name, times in strange.items() if times} == {}
    assert len([name for name, times in found.items() if times]) > 25


def times_of(method: str, name: str, campaign: Campaign, make: Factory) -> list[str]:
    """Return each clock time of the page: as the organiser reads it, or else a judge or a participant."""
    url = place(name, campaign, make)
    for person in ("carol", "alice", "dave"):
        response = getattr(signed_in(make.make_user(person)), method)(url)
        content = b"".join(response).decode(errors="replace")
        if response.status_code == 200:
            is_page = response.headers["Content-Type"].startswith("text/html")
            return [match[0] for match in CLOCK.finditer(NOT_TEXT.sub(" ", content))] if is_page else []
    return []
