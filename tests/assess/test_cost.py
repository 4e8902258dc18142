"""Hours and cost of judging: exact sums, own rates, the forecast, and the timesheet."""

from __future__ import annotations

import codecs
import csv
from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO

import pytest
from django.test import Client
from django.utils import timezone

from assess.cost import DayOfLabels, timesheet
from assess.models import JudgmentEvent
from assess.queries.campaign_reads import CampaignReads
from assess.queries.cost import campaign_cost, hours_of_judge, timesheet_of
from assess.queries.progress import progress_grid
from assess.services.cost import change_rates
from assess.services.plans import change_plan
from pooling.models import Campaign, Role
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/cost/"
LATE = datetime(2026, 11, 23, 23, 30, tzinfo=UTC)  # on 24 November in Berlin
NEXT = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


def build_campaign(make: Factory) -> Campaign:
    """Alice gave two timed labels and an untimed one, bob one; of 8 labels 4 are left."""
    campaign = make.make_pooled_campaign()
    for judge, docno, seconds, at in (
        ("alice", "D1", 1800.0, LATE),
        ("alice", "D2", 3600.0, NEXT),
        ("alice", "D3", None, NEXT),
        ("bob", "D1", 900.0, NEXT),
    ):
        judgment = make.make_judgment(campaign, judge, "1", docno, 2)
        JudgmentEvent.objects.filter(pk=judgment.event_id).update(active_seconds=seconds, pressed_at=at)
    return campaign


@pytest.fixture
def carol(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def membership(campaign: Campaign, name: str) -> int:
    return campaign.memberships.get(user__username=name, role=Role.JUDGE).pk


def rows_of(client: Client) -> list[dict[str, str]]:
    content = client.get(f"{URL}timesheet/").content
    assert content.startswith(codecs.BOM_UTF8)  # without it, spreadsheets misread names beyond ASCII
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"))))


def test_an_untimed_label_counts_as_the_mean_of_its_judge() -> None:
    day = date(2026, 11, 24)
    days = [DayOfLabels(1, day, 4, 2, 3600.0), DayOfLabels(2, day, 1, 0, 0.0)]
    first, second = timesheet(days, {1: Decimal("20.00")})
    assert (first.untimed, first.hours, first.cost) == (2, Decimal("2.00"), Decimal("40.00"))
    assert (second.untimed, second.hours, second.cost) == (1, Decimal("0.50"), None)


def test_without_a_rate_the_page_shows_hours_only(campaign: Campaign, carol: Client) -> None:
    page = markup(carol.get(URL))
    assert "<dt>So far</dt><dd>2.50 h</dd>" in page.replace("> <", "><").replace("<dd> ", "<dd>").replace(
        " </dd>", "</dd>"
    )
    assert "EUR</small>" not in page and "Total cost" not in page


def test_own_rates_override_the_rate_of_the_campaign(campaign: Campaign, carol: Client) -> None:
    fields = {"hourly_rate": "20", "currency": "CHF", f"rate-{membership(campaign, 'bob')}": "33.33"}
    assert carol.post(URL, fields).status_code == 302
    campaign.refresh_from_db()
    cost = campaign_cost(campaign, progress_grid(CampaignReads(campaign)), timezone.now())
    costs = {each.judge.username: (each.rate, each.hours, each.cost) for each in cost.judges if each.judge}
    assert costs == {
        "alice": (Decimal("20.00"), Decimal("2.25"), Decimal("45.00")),
        "bob": (Decimal("33.33"), Decimal("0.25"), Decimal("8.33")),
    }
    assert cost.everybody.cost == Decimal("53.33")
    assert cost.everybody.labels == 4 and cost.everybody.left == 4
    entry = campaign.audit_log.latest("number")
    assert entry.sentence == (
        "rate per hour from none to 20.00, currency from EUR to CHF, rate of bob from none to 33.33"
    )


def test_the_forecast_agrees_with_the_progress_grid(campaign: Campaign) -> None:
    grid = progress_grid(CampaignReads(campaign))
    cost = campaign_cost(campaign, grid, timezone.now())
    assert cost.everybody.left == sum(column.left for column in grid.columns) + grid.unassigned
    assert cost.everybody.all_hours == cost.everybody.hours + cost.everybody.hours_left


def test_the_timesheet_has_a_row_for_each_judge_and_day_in_the_zone_of_the_campaign(
    campaign: Campaign, carol: Client
) -> None:
    assert [(row["judge"], row["date"], row["labels"]) for row in rows_of(carol)] == [
        ("alice", "2026-11-23", "1"), ("alice", "2026-11-24", "2"), ("bob", "2026-11-24", "1"),
    ]  # fmt: skip
    Campaign.objects.update(time_zone="Europe/Berlin", hourly_rate=Decimal("10.10"))
    rows = rows_of(carol)
    assert [(row["judge"], row["date"], row["labels"]) for row in rows] == [
        ("alice", "2026-11-24", "3"), ("bob", "2026-11-24", "1"),
    ]  # fmt: skip
    assert (rows[0]["hours"], rows[0]["rate"], rows[0]["cost"], rows[0]["untimed labels"]) == (
        "2.25", "10.10", "22.73", "1",
    )  # fmt: skip


def test_a_name_in_the_timesheet_is_no_formula(campaign: Campaign, make: Factory, carol: Client) -> None:
    alice = make.make_user("alice")
    alice.name = "=HYPERLINK(A1)"
    alice.save()
    assert rows_of(carol)[0]["name"] == "'=HYPERLINK(A1)"


def test_imported_labels_and_machines_cost_nothing(campaign: Campaign, make: Factory, carol: Client) -> None:
    make.make_machine(campaign, "1 0 D1 3\n")
    JudgmentEvent.objects.filter(judge__username="bob").update(source="import")
    assert {row["judge"] for row in rows_of(carol)} == {"alice"}


@pytest.mark.parametrize(("rate", "currency"), [("-1", "EUR"), ("ten", "EUR"), ("1e9", "EUR"), ("10", "eu")])
def test_a_rate_that_is_none_changes_nothing(
    campaign: Campaign, carol: Client, rate: str, currency: str
) -> None:
    answer = carol.post(URL, {"hourly_rate": rate, "currency": currency})
    assert answer.status_code == 200
    campaign.refresh_from_db()
    assert (campaign.hourly_rate, campaign.currency) == (None, "EUR")


def test_the_same_rates_again_write_no_entry(campaign: Campaign, make: Factory) -> None:
    change_rates(campaign, Decimal("10.00"), "EUR", {}, make.make_user("carol"))
    count = campaign.audit_log.count()
    change_rates(campaign, Decimal("10.00"), "EUR", {}, make.make_user("carol"))
    assert campaign.audit_log.count() == count


def test_the_pages_beside_it_and_the_progress_link_the_page(campaign: Campaign, carol: Client) -> None:
    for path in ("people/", "progress/"):
        assert URL in markup(carol.get(f"/campaigns/tiny/{path}"))


def test_the_idle_limit_is_on_the_page_and_in_the_timesheet(campaign: Campaign, carol: Client) -> None:
    change_plan(campaign, idle_seconds=90, idle_per_1000=20)
    page = markup(carol.get(URL))
    assert "up to 90 s after each event and 20 s more for every 1,000 characters of the document" in page
    assert {
        (row["idle limit (s)"], row["idle limit per 1,000 characters (s)"]) for row in rows_of(carol)
    } == {("90", "20")}


def test_a_judge_sees_the_own_hours_as_the_timesheet_has_them(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("alice"))
    hours = hours_of_judge(make.make_user("alice"), campaign)
    rows = [row for judge, row in timesheet_of(campaign) if judge.username == "alice"]
    assert hours == sum(row.hours for row in rows) > 0
    page = markup(client.get("/campaigns/tiny/judge/"))
    assert "Your hours" in page and f"{hours} h" in page
