"""Hours, cost, timesheet and consistency of judges through the API: the figures of the pages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.test import Client

from assess.queries.campaign_reads import CampaignReads
from assess.queries.consistency import consistency
from assess.queries.cost import timesheet_of
from assess.services.cost import change_rates
from pooling.models import Campaign
from tests.assess.test_cost import build_campaign as build_campaign
from tests.assess.test_cost import membership
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"


def got(client: Client, path: str) -> Any:
    answer = client.get(HOME + path)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_cost_by_judge_so_far_and_to_come(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol", "read")
    without = got(client, "cost/")
    assert (without["hourly_rate"], without["everybody"]["cost"]) == (None, None)
    change_rates(campaign, Decimal("20.00"), "CHF", {membership(campaign, "bob"): Decimal("30.00")})
    found = got(client, "cost/")
    by_judge = {each["judge"]: each for each in found["judges"]}
    alice, bob = by_judge["alice"], by_judge["bob"]
    # 1,800 s and 3,600 s, and their mean for the label without a time
    assert (alice["labels"], alice["untimed"], alice["rate"]) == (3, 1, "20.00")
    assert Decimal(alice["hours"]) == Decimal("2.25") and Decimal(alice["cost"]) == Decimal("45.00")
    assert (bob["rate"], Decimal(bob["cost"])) == ("30.00", Decimal("7.50"))
    total = found["everybody"]
    assert Decimal(total["cost"]) == Decimal("52.50") and total["left"] == alice["left"] + bob["left"] == 4
    assert found["currency"] == "CHF"


def test_the_timesheet_has_a_row_for_each_judge_and_day(campaign: Campaign, make: Factory) -> None:
    rows = got(client_of(make, "carol", "read"), "timesheet/")
    expected = [(judge.username, row.day.isoformat(), row.labels) for judge, row in timesheet_of(campaign)]
    assert [(row["judge"], row["date"], row["labels"]) for row in rows] == expected
    assert len(rows) == 3


def test_consistency_has_the_figures_of_the_page(campaign: Campaign, make: Factory) -> None:
    rows = got(client_of(make, "carol", "read"), "consistency/")
    found = consistency(CampaignReads(campaign))
    assert [(row["judge"], row["labels"], row["seconds"]) for row in rows] == [
        (each.judge.username, each.labels, each.seconds) for each in found
    ]
    assert rows[0]["repeats"] == {
        "n": 0,
        "percent": None,
        "kappa": None,
        "why": "no document was repeated yet",
    }
    assert rows[0]["gold"]["n"] == rows[0]["training"]["n"] == 0
