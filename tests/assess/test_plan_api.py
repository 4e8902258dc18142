"""Plan, progress, gold documents and clones in the API have the values of the pages."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.services import create_token
from assess.models import JudgingPlan
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from pooling.models import AuditLogEntry, Campaign
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def client_of(make: Factory, name: str = "carol") -> Client:
    return Client(headers={"authorization": f"Bearer {create_token(make.make_user(name), 'test')}"})


def got(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def patch(client: Client, **body: Any) -> Any:
    return client.patch(f"{HOME}plan/", body, content_type="application/json")


def test_what_is_not_named_of_a_plan_stays(campaign: Campaign, make: Factory) -> None:
    client = client_of(make)
    before = got(client.get(f"{HOME}plan/"))
    changed = got(patch(client, overlap="share", overlap_share=20, highlighting=False, reasons_required=True))
    assert changed == before | {
        "overlap": "share", "overlap_share": 20, "highlighting": False, "reasons_required": True,
    }  # fmt: skip
    stored = JudgingPlan.objects.get(campaign=campaign)
    assert (stored.overlap, stored.highlighting, stored.reasons_required) == ("share", False, True)
    entries = AuditLogEntry.objects.count()
    assert got(patch(client, overlap="share", highlighting=False, reasons_required=True)) == changed
    assert AuditLogEntry.objects.count() == entries  # nothing was changed, and nothing is logged
    got(patch(client, overlap="most"), 422)


def test_the_order_is_fixed_after_the_first_label(campaign: Campaign, make: Factory) -> None:
    client = client_of(make)
    assert got(patch(client, seed=5))["seed"] == 5
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    assert "already labelled" in got(patch(client, seed=6), 409)["detail"]
    kept = got(patch(client, repeat_share=10))
    assert (kept["seed"], kept["repeat_share"], kept["begun"]) == (5, 10, True)


def test_a_machine_judge_is_shown_and_no_longer_shown(campaign: Campaign, make: Factory) -> None:
    client = client_of(make)
    got(patch(client, shown_machine=make.make_user("alice").pk), 422)  # no source of a program
    machine = make.make_machine(campaign, "1 0 D1 3\n")
    assert got(patch(client, shown_machine=machine.pk))["shown_machine"] == machine.pk
    assert got(patch(client, breaks=False))["shown_machine"] == machine.pk
    assert got(patch(client, shown_machine=None))["shown_machine"] is None


def test_progress_is_that_of_the_page(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    found = got(client_of(make, "ada").get(f"{HOME}progress/?hours_a_day=2"))
    grid = progress_grid(CampaignReads(campaign))
    assert {name: found[name] for name in ("judged", "relevant", "left", "rule")} == {
        "judged": grid.judged, "relevant": grid.relevant, "left": grid.left, "rule": grid.rule,
    }  # fmt: skip
    first = next(each for each in found["topics"] if each["topic"] == "1")
    alice = next(each for each in first["judges"] if each["judge"] == "alice")
    assert (alice["done"], alice["cannot"], alice["relevant"], alice["part"]) == (2, 0, 1, "primary")
    assert found["last_day"] and found["hours"] > 0


def test_gold_documents_are_loaded_and_withdrawn(campaign: Campaign, make: Factory) -> None:
    client = client_of(make)

    def load(content: bytes) -> Any:
        return client.post(f"{HOME}gold/", {"file": SimpleUploadedFile("gold.txt", content), "kind": "gold"})

    refused = got(load(b"1 G1 2\n9 G2 1\n"), 422)
    assert refused["errors"][0]["line"] == 2 and got(client.get(f"{HOME}gold/"))["items"] == []
    assert got(load(b"1 G1 2 It says so.\n1 D3 0\n"), 201) == {
        "loaded": 2, "new_documents": 1, "from_pools": 1,
    }  # fmt: skip
    listed = got(client.get(f"{HOME}gold/"))["items"]
    assert [(each["docno"], each["relevance"], each["why"], each["withdrawn"]) for each in listed] == [
        ("G1", 2, "It says so.", False),
        ("D3", 0, "", False),
    ]
    body = {"ids": [listed[0]["id"], 10**6]}
    for count in (1, 0):  # a second request withdraws nothing more
        answer = client.post(f"{HOME}gold/withdrawal/", body, content_type="application/json")
        assert got(answer) == {"documents": count}
    assert got(client.get(f"{HOME}gold/"))["items"][0]["withdrawn"]
    huge = client.post(f"{HOME}gold/withdrawal/", {"ids": [2**70]}, content_type="application/json")
    got(huge, 422)


def test_a_clone_gets_the_named_parts(campaign: Campaign, make: Factory) -> None:
    client, body = client_of(make), {"name": "Again", "slug": "again", "parts": ["topics"]}

    def clone() -> Any:
        return client.post(f"{HOME}clones/", body, content_type="application/json")

    assert got(clone(), 403)["title"].startswith("You may not create campaigns")
    make.let_create_campaigns("carol")
    made = got(clone(), 201)
    assert (made["slug"], made["state"], made["roles"]) == ("again", "draft", ["organiser"])
    assert Campaign.objects.get(slug="again").topics.count() == campaign.topics.count()
    got(clone(), 409)  # a request that is sent again
    assert Campaign.objects.count() == 2
