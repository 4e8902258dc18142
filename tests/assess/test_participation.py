"""The page of participants: rules, dates, the form of run files, their runs with receipts."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from assess.services.runs import replace_run
from assess.services.settings import change_settings
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.scale import write_scale
from pooling.services.people import add_member
from pooling.services.run_changes import withdraw_run
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/participate/"


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def text_of(client: Client, url: str = PAGE) -> str:
    return " ".join(markup(client.get(url)).split())


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D1 3\n2 D1 2", tag="mine", group="davelab")
    return campaign


def states(client: Client) -> dict[tuple[str, int], list[str]]:
    return {(each.name, each.version): each.states for each in client.get(PAGE).context["participation"].runs}


def test_a_person_who_only_participates_gets_the_page_instead_of_the_overview(
    campaign: Campaign, make: Factory
) -> None:
    dave = signed_in(make, "dave")
    assert dave.get("/campaigns/tiny/")["Location"] == PAGE
    page = text_of(dave)
    assert ">Participate<" in page and 'id="state"' not in page
    add_member(campaign, make.make_user("dave"), Role.READER)
    assert dave.get("/campaigns/tiny/").status_code == 200


def test_the_page_has_rules_dates_contact_and_an_example(campaign: Campaign, make: Factory) -> None:
    Campaign.objects.update(
        rules="At most **three** runs. <script>alert(1)</script>",
        contact="track@boats.example",
        time_zone="Europe/Berlin",
        submission_closes_at=datetime(2099, 12, 12, 22, 59, tzinfo=UTC),
        judging_ends_at=datetime(2100, 1, 31, 23, 0, tzinfo=UTC),
        release_planned_at=datetime(2100, 3, 1, 11, 0, tzinfo=UTC),
    )
    page = text_of(signed_in(make, "dave"))
    assert "<strong>three</strong>" in page and "<script>alert" not in page
    for date in ("12 Dec 2099 23:59", "1 Feb 2100 00:00", "1 Mar 2100 12:00"):
        assert f"{date} Europe/Berlin" in page
    assert 'href="mailto:track@boats.example"' in page
    assert "1 Q0 DOC-0042 1 14.25 davelab-1" in page and "at most 1,000 documents" in page


def test_the_group_lists_its_members_and_its_runs_alone(campaign: Campaign, make: Factory) -> None:
    add_member(campaign, make.make_user("dora"), Role.PARTICIPANT, group="davelab")
    add_member(campaign, make.make_user("olaf"), Role.PARTICIPANT, group="otherlab")
    page = text_of(signed_in(make, "dave"))
    assert "<dd>davelab</dd>" in page and "<dd>dora</dd>" in page and "olaf" not in page
    assert states(signed_in(make, "dave")) == {("mine", 1): ["not pooled yet"]}
    assert states(signed_in(make, "olaf")) == {}


def test_every_state_of_a_run_is_named(campaign: Campaign, make: Factory) -> None:
    dave = make.make_user("dave")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    campaign.runs.filter(tag="run").update(group="davelab")
    replace_run(campaign.runs.get(tag="mine"), dave, b"1 Q0 D1 1 9 mine\n", "mine.run")
    gone = make.make_run(campaign, "1 D1 3", tag="gone", group="davelab")
    withdraw_run(gone, dave)
    campaign.runs.filter(tag="mine").update(is_late=True)
    make.make_release(campaign)
    make.make_run(campaign, "1 D1 3", tag="after", group="davelab")
    assert states(signed_in(make, "dave")) == {
        ("run", 1): ["in pool 1"],
        ("mine", 1): ["withdrawn"],
        ("mine", 2): ["not pooled yet", "late"],
        ("gone", 1): ["withdrawn"],
        ("after", 1): ["not pooled yet", "submitted after qrels v1"],
    }


def test_after_the_deadline_the_page_has_no_link_to_submit(campaign: Campaign, make: Factory) -> None:
    dave = signed_in(make, "dave")
    assert "#submit" in text_of(dave)
    Campaign.objects.update(submission_closes_at=timezone.now() - timedelta(days=1))
    assert "#submit" not in text_of(dave) and "Submission closed on" in text_of(dave)


def test_the_receipt_is_text_or_json(campaign: Campaign, make: Factory) -> None:
    dave, run = signed_in(make, "dave"), campaign.runs.get(tag="mine")
    receipt = dave.get("/campaigns/tiny/runs/mine/receipt/?format=json")
    assert receipt["Content-Disposition"] == 'attachment; filename="mine-receipt.json"'
    found = json.loads(receipt.content)
    assert {name: found[name] for name in ("campaign", "group", "tag", "file_name", "sha256", "lines")} == {
        "campaign": "tiny", "group": "davelab", "tag": "mine", "file_name": "mine.run",
        "sha256": run.sha256, "lines": 2,
    }  # fmt: skip
    assert datetime.fromisoformat(found["submitted_at"]) == run.submitted_at.replace(microsecond=0)
    assert found["software"].startswith("Jurypool ")
    text = dave.get("/campaigns/tiny/runs/mine/receipt/").content.decode()
    assert f"sha256:       {run.sha256}\n" in text and "lines:        2\n" in text
    assert dave.get("/campaigns/tiny/runs/run/receipt/").status_code == 404  # of another group


def test_a_withdrawn_run_has_a_receipt(campaign: Campaign, make: Factory) -> None:
    dave = make.make_user("dave")
    replace_run(campaign.runs.get(tag="mine"), dave, b"1 Q0 D1 1 9 mine\n", "mine.run")
    receipts = [
        json.loads(signed_in(make, "dave").get(f"/campaigns/tiny/runs/{tag}/receipt/?format=json").content)
        for tag in ("mine", "mine~1")
    ]
    assert [found["former_tag"] for found in receipts] == ["", "mine"]
    assert receipts[0]["sha256"] != receipts[1]["sha256"]


def test_the_topics_can_be_downloaded_before_a_release(campaign: Campaign, make: Factory) -> None:
    lines = signed_in(make, "dave").get(f"{PAGE}topics/").content.decode().splitlines()
    assert [json.loads(line)["number"] for line in lines] == ["1", "2"]


def test_an_organiser_sees_the_page_and_edits_rules_in_the_settings(
    campaign: Campaign, make: Factory
) -> None:
    carol = signed_in(make, "carol")
    assert "Participants see this page" in text_of(carol)
    page = text_of(carol, "/campaigns/tiny/settings/")
    for legend in ("Campaign", "For judges", "For participants", "Collection"):
        assert f"<legend>{legend}</legend>" in page
    values = {
        "name": "Tiny", "scale": write_scale(campaign.grades), "threshold": "2", "run_depth": "1000",
        "rules": "Be fair.", "contact": "Carol", "shows_topic_statistics": "on",
    }  # fmt: skip
    carol.post("/campaigns/tiny/settings/", {**values, **scale_rows(carol)})
    campaign.refresh_from_db()
    assert (campaign.rules, campaign.contact, campaign.shows_topic_statistics) == ("Be fair.", "Carol", True)
    entry = AuditLogEntry.objects.filter(campaign=campaign, verb="changed settings").first()
    assert entry and entry.who == "carol" and entry.details["rules"] == {"was": "", "is": "Be fair."}


def scale_rows(client: Client) -> dict[str, str]:
    """Return what the page of settings would send for the scale, in whatever form it edits it."""
    form = client.get("/campaigns/tiny/settings/").context["form"]
    return {"scale": form["scale"].value()} if isinstance(form["scale"].value(), str) else {}


def test_statistics_and_rules_are_off_and_empty_at_first(campaign: Campaign) -> None:
    assert (campaign.rules, campaign.shows_topic_statistics) == ("", False)
    change_settings(campaign, campaign.grades, 2, shows_topic_statistics=True)
    assert Campaign.objects.get(pk=campaign.pk).shows_topic_statistics
