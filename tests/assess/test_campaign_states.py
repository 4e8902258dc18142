"""What the states of a campaign allow, and the page that changes state and dates."""

from __future__ import annotations

import json
import re
import uuid
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.services import create_token
from assess.models import JudgmentEvent, PanelVote
from assess.services.judging import LabelRefused
from pooling.campaign_states import StateRefused
from pooling.models import Campaign
from pooling.services.campaign_states import change_schedule, change_state
from pooling.services.people import create_campaign
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

RUN = b"1 Q0 D1 1 2.0 new\n"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def put(campaign: Campaign, state: str) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    campaign.state = state


def test_a_draft_is_opened_from_the_overview_in_two_presses(campaign: Campaign, make: Factory) -> None:
    put(campaign, "draft")
    carol = signed_in(make, "carol")
    note = markup(carol.get("/campaigns/tiny/")).partition('id="schedule-note"')[2]
    form = re.search(r'<form method="post" action="([^"]+)".*?name="state" value="(\w+)"><button', note)
    assert form
    asked = markup(carol.post(form[1], {"state": form[2]}))
    assert "<h1>Open the campaign?</h1>" in asked
    opened = markup(carol.post(form[1], {"state": form[2], "confirmed": "yes"}, follow=True))
    assert "The campaign is open now." in opened and "<title>Overview" in opened
    assert "Open the campaign" not in markup(signed_in(make, "ada").get("/campaigns/tiny/"))


def test_the_steps_between_states(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    for state in ("closed", "open", "archived", "closed", "archived"):
        change_state(campaign, state, carol)
    entries = campaign.audit_log.filter(verb="changed the state").order_by("number")
    assert [(entry.who, entry.sentence) for entry in entries] == [
        ("carol", "from open to closed"),
        ("carol", "from closed to open"),
        ("carol", "from open to archived"),
        ("carol", "from archived to closed"),
        ("carol", "from closed to archived"),
    ]


@pytest.mark.parametrize(
    ("state", "new", "message"),
    [
        ("open", "open", "is open already"),
        ("open", "draft", "only closed or archived can follow"),
        ("archived", "open", "only closed can follow"),
        ("draft", "nonsense", "only open or archived can follow"),
    ],
)
def test_other_steps_are_refused(campaign: Campaign, state: str, new: str, message: str) -> None:
    put(campaign, state)
    with pytest.raises(StateRefused, match=message):
        change_state(campaign, new)


def test_a_new_campaign_is_a_draft(make: Factory) -> None:
    make.let_create_campaigns("carol")
    client = signed_in(make, "carol")
    client.post("/new-campaign/", {"name": "Boats", "scale": "0 | no\n1 | yes", "threshold": "1"})
    call_command("create_campaign", "Ships", organiser="carol", stdout=StringIO())
    assert dict(Campaign.objects.values_list("slug", "state")) == {"boats": "draft", "ships": "draft"}


def test_the_command_opens_closes_and_archives(make: Factory) -> None:
    from pooling.scale import FOUR_STEPS

    create_campaign(make.make_user("carol"), "Boats", "boats", FOUR_STEPS, 2)
    said = StringIO()
    for state in ("open", "closed", "archived"):
        call_command("campaign_state", "boats", state, stdout=said)
    assert Campaign.objects.get().state == "archived"
    assert "Campaign boats is open. Participants submit runs and judges label documents." in said.getvalue()
    with pytest.raises(CommandError, match="only closed can follow"):
        call_command("campaign_state", "boats", "open")


def test_a_step_is_asked_first_and_says_who_may_do_what(campaign: Campaign, make: Factory) -> None:
    client = signed_in(make, "carol")
    page = markup(client.get("/campaigns/tiny/settings/dates/"))
    assert "Close the campaign" in page and "Archive the campaign" in page
    asked = markup(client.post("/campaigns/tiny/settings/state/", {"state": "closed"}))
    assert "Close the campaign?" in asked and "their labels are refused" in asked
    assert "Documents without a label in the queues of judges: 8." in asked
    assert Campaign.objects.get().state == "open"
    client.post("/campaigns/tiny/settings/state/", {"state": "closed", "confirmed": "yes"})
    assert Campaign.objects.get().state == "closed"
    assert "Reopen the campaign" in markup(client.get("/campaigns/tiny/settings/dates/"))


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("draft", "The campaign has not been opened yet, so the label was not stored."),
        ("closed", "The campaign is closed, so the label was not stored."),
        ("archived", "The campaign is archived, so the label was not stored."),
    ],
)
def test_a_label_is_refused_with_the_reason_and_is_not_sent_again(
    campaign: Campaign, make: Factory, state: str, reason: str
) -> None:
    """The answer is 200 with a problem, as for a topic that has moved: the outbox shows it and goes on."""
    entry = make.entry(campaign, "alice", "1", "D1")
    first = make.make_judgment(campaign, "alice", "1", "D2", 1).event
    put(campaign, state)
    label = {
        "uuid": str(uuid.uuid4()),
        "entry": entry.pk,
        "docno": "D1",
        "text_hash": "x" * 64,
        "relevance": 1,
    }
    label |= {"source": "key"}
    known = {
        "uuid": str(first.uuid), "entry": make.entry(campaign, "alice", "1", "D2").pk, "docno": "D2",
        "text_hash": first.text_hash, "relevance": 1, "source": "key",
    }  # fmt: skip
    body = {
        "judge": make.make_user("alice").pk,
        "topic": "1",
        "have": [],
        "want": 4,
        "labels": [label, known],
    }
    answer = signed_in(make, "alice").post(
        "/campaigns/tiny/judge/outbox/", json.dumps(body), "application/json"
    )
    assert answer.status_code == 200
    page = markup(answer)
    assert f"D1: {reason}" in page and "D2:" not in page  # stored before: a repeated request is no problem
    assert "<template>" not in page
    assert JudgmentEvent.objects.count() == 1
    with pytest.raises(LabelRefused):
        make.make_judgment(campaign, "alice", "1", "D3", 1)


@pytest.mark.parametrize("state", ["draft", "closed", "archived"])
def test_my_topics_says_that_nothing_can_be_judged_and_leaves_unsent_labels_in_the_browser(
    campaign: Campaign, make: Factory, state: str
) -> None:
    put(campaign, state)
    client = signed_in(make, "alice")
    assert client.post("/campaigns/tiny/judge/topics/1/").status_code == 302
    page = markup(client.get("/campaigns/tiny/judge/topics/1/", follow=True))
    assert "data-paused" in page and "it takes no labels" in page
    assert "Begin" not in page


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_vote_is_refused_with_the_reason(campaign: Campaign, make: Factory, state: str) -> None:
    panel = make.make_panel(campaign)
    put(campaign, state)
    fields = {"uuid": str(uuid.uuid4()), "choice": "left", "source": "click"}
    address = f"/campaigns/tiny/panels/{panel.pk}/topics/1/"
    assert "so the vote was not stored" in markup(signed_in(make, "alice").post(address, fields))
    assert not PanelVote.objects.exists()


def test_a_closed_campaign_takes_no_runs_and_no_labels_of_organisers(
    campaign: Campaign, make: Factory
) -> None:
    change_state(campaign, "closed", make.make_user("carol"))
    with pytest.raises(StateRefused, match="no runs are accepted"):
        make.make_run(campaign, "1 D1 1", tag="other")
    answer = signed_in(make, "carol").post(
        "/campaigns/tiny/judging/load/",
        {"judge": "NIST", "file": SimpleUploadedFile("a.qrels", b"1 0 D1 2\n")},
    )
    assert answer.status_code == 409
    assert "no labels are added" in markup(answer)


def test_a_draft_takes_runs_and_labels_of_organisers_only(campaign: Campaign, make: Factory) -> None:
    put(campaign, "draft")
    make.make_run(campaign, "1 D1 1", tag="other")
    with pytest.raises(StateRefused, match="has not been opened yet"):
        submit_run(campaign, make.make_user("dave"), RUN, "new.run", Submission())


def test_the_api_and_commands_refuse_to_write_into_an_archived_campaign(
    campaign: Campaign, make: Factory, tmp_path: Any
) -> None:
    put(campaign, "archived")
    client = Client(headers={"Authorization": f"Bearer {create_token(make.make_user('carol'), 'test')}"})
    answer = client.post("/api/campaigns/tiny/runs/", {"file": SimpleUploadedFile("new.run", RUN)})
    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        "The campaign is archived: no runs are accepted.",
    )
    path = tmp_path / "d.jsonl"
    path.write_text('{"docno": "D1", "text": "New."}\n')
    for words in (
        ("import_documents", "tiny", str(path)),
        ("freeze_pool", "tiny", "--depth", "1"),
        ("assign", "tiny", "alice"),
        ("release_qrels", "tiny"),
        ("invite", "tiny"),
    ):
        with pytest.raises(CommandError):
            call_command(*words, stdout=StringIO())
    assert not campaign.documents.exists() and not campaign.releases.exists()


def test_an_archived_campaign_stands_apart_in_the_list_and_is_restored_closed(
    campaign: Campaign, make: Factory
) -> None:
    client = signed_in(make, "carol")
    assert 'id="archived"' not in markup(client.get("/"))
    client.post("/campaigns/tiny/settings/state/", {"state": "archived", "confirmed": "yes"})
    page = markup(client.get("/"))
    assert page.index('id="archived"') < page.index("/campaigns/tiny/")
    assert "Restore the campaign" in markup(client.get("/campaigns/tiny/settings/dates/"))
    client.post("/campaigns/tiny/settings/state/", {"state": "closed", "confirmed": "yes"})
    assert Campaign.objects.get().state == "closed"


DATES = {"time_zone": "Europe/Berlin", "accepts_runs": "on", "late_runs": "refuse"}


def test_organisers_read_that_they_can_submit_where_participants_cannot(
    campaign: Campaign, make: Factory
) -> None:
    client, address = signed_in(make, "carol"), "/campaigns/tiny/settings/dates/"
    assert "organisers can submit" not in markup(client.get(address))
    Campaign.objects.update(accepts_runs=False)
    page = markup(client.get(address))
    assert "no runs are accepted. This holds for participants; organisers can submit." in page
    participant = signed_in(make, "dave").get("/campaigns/tiny/")
    assert "organisers can submit" not in markup(participant)


def test_dates_are_typed_in_the_time_zone_of_the_campaign(campaign: Campaign, make: Factory) -> None:
    client, address = signed_in(make, "carol"), "/campaigns/tiny/settings/dates/"
    given = DATES | {"submission_closes_at": "2027-07-01T23:59", "judging_ends_at": "2027-12-01T12:00"}
    assert client.post(address, given).status_code == 302
    stored = Campaign.objects.get()
    assert stored.submission_closes_at == datetime(2027, 7, 1, 21, 59, 59, tzinfo=UTC)
    assert stored.judging_ends_at == datetime(2027, 12, 1, 11, tzinfo=UTC)
    assert 'value="2027-07-01T23:59"' in markup(client.get(address))
    entry = campaign.audit_log.get(verb="changed the dates")
    assert "submission_closes_at from None to 1 Jul 2027 23:59 Europe/Berlin, UTC+2" in entry.sentence
    assert client.post(address, given).status_code == 302
    assert campaign.audit_log.filter(verb="changed the dates").count() == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"time_zone": "Mars/Olympus"}, "There is no time zone Mars/Olympus"),
        ({"submission_closes_at": "tomorrow"}, "Enter a date and a time"),
        ({"submission_closes_at": "0001-01-01T00:00"}, "Enter a year from 1990"),
        ({"judging_ends_at": "2027-03-28T02:30"}, "02:30 on 28 Mar 2027 does not exist in Europe/Berlin"),
        (
            {"submission_opens_at": "2027-07-01T12:00", "submission_closes_at": "2027-06-01T12:00"},
            "Submission closes before it opens",
        ),
    ],
)
def test_wrong_dates_are_refused(
    campaign: Campaign, make: Factory, fields: dict[str, str], message: str
) -> None:
    answer = signed_in(make, "carol").post("/campaigns/tiny/settings/dates/", DATES | fields)
    assert message in markup(answer)
    assert Campaign.objects.get().time_zone == "UTC"


def close_submission(campaign: Campaign, late_runs: str) -> None:
    closed = datetime.now(UTC) - timedelta(hours=3)
    change_schedule(campaign, submission_closes_at=closed, late_runs=late_runs)


def submit(client: Client, tag: str = "new") -> str:
    file = SimpleUploadedFile(f"{tag}.run", b"1 Q0 D1 1 2.0 " + tag.encode() + b"\n")
    return markup(
        client.post(
            "/campaigns/tiny/runs/", {"run_files": file, "priority": "1", "tag_from": "column", "kind": ""}
        )
    )


def test_late_runs_are_refused_with_the_date(campaign: Campaign, make: Factory) -> None:
    close_submission(campaign, "refuse")
    client = signed_in(make, "dave")
    page = submit(client)
    assert "Submission closed on" in page and "(3 hours ago): no runs are accepted." in page
    assert not campaign.runs.filter(tag="new").exists()
    assert "Submission closed on" in markup(client.get("/campaigns/tiny/participate/"))
    submit(signed_in(make, "carol"), "carols")
    assert not campaign.runs.get(tag="carols").is_late


def test_late_runs_are_accepted_and_marked_everywhere(campaign: Campaign, make: Factory) -> None:
    close_submission(campaign, "mark")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    client = signed_in(make, "dave")
    assert "new</code>, 1 line, 1 topic, late" in submit(client)
    assert campaign.runs.get(tag="new").is_late
    mark = '<span class="mark">late</span>'
    for url in ("runs/", "scores/1/"):
        assert mark in markup(client.get(f"/campaigns/tiny/{url}")), url
    assert "late: after the deadline" in markup(client.get("/campaigns/tiny/runs/new/"))
    api = Client(headers={"Authorization": f"Bearer {create_token(make.make_user('dave'), 'test')}"})
    (run,) = api.get("/api/campaigns/tiny/runs/").json()["items"]
    assert (run["late"], run["hidden"]) == (True, False)
    about = api.get("/api/campaigns/tiny/").json()
    assert (about["state"], about["late_runs"]) == ("open", "mark")
    assert "Runs are still accepted and are marked as late." in about["submission"]


def test_participants_read_until_when_they_can_submit(campaign: Campaign, make: Factory) -> None:
    closes = datetime.now(UTC) + timedelta(days=3, hours=1)
    change_schedule(campaign, submission_closes_at=closes, judging_ends_at=closes)
    for url in ("participate/", "runs/"):
        page = markup(signed_in(make, "dave").get(f"/campaigns/tiny/{url}"))
        assert "Submission is open until" in page and "UTC</time> (in 3 days)" in page, url
    assert "Judging ends on" in markup(signed_in(make, "alice").get("/campaigns/tiny/judge/"))
