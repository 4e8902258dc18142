"""Adjudication by a program: what it is told, what it may do, and that judges stay without names."""

from __future__ import annotations

import uuid
from typing import Any

from django.test import Client

from accounts.services import create_token
from assess.models import Adjudication, Judgment, QueueEntry
from pooling.models import AuditLogEntry, Campaign
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/adjudication/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    for judge, first, second in (("alice", 3, 2), ("bob", 0, 1)):
        make.make_judgment(campaign, judge, "1", "D1", first)
        make.make_judgment(campaign, judge, "1", "D2", second)
        make.make_judgment(campaign, judge, "2", "D1", 1)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    return Client(headers={"authorization": f"Bearer {create_token(make.make_user(name), 'test')}"})


def got(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json() if answer.content else None


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"{HOME}{path}", body, content_type="application/json")


def decision(client: Client, pk: int, relevance: int) -> dict[str, Any]:
    seen = got(client.get(f"{HOME}{pk}/"))
    shown = {name: seen[name] for name in ("docno", "text_hash", "last_label")}
    return {"uuid": str(uuid.uuid4()), "relevance": relevance, **shown}


def test_disputes_are_listed_in_order_and_page_by_page(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "ada")
    listed = got(client.get(HOME))
    assert [(each["topic"], each["docno"], sorted(each["grades"])) for each in listed["items"]] == [
        ("1", "D1", [0, 3]),
        ("1", "D2", [1, 2]),
    ]
    first = got(client.get(f"{HOME}?limit=1"))
    assert [each["docno"] for each in first["items"]] == ["D1"]
    rest = got(client.get(first["next"]))
    assert ([each["docno"] for each in rest["items"]], rest["next"]) == (["D2"], None)
    assert [each["docno"] for each in got(client.get(f"{HOME}?grades=1&grades=2"))["items"]] == ["D2"]
    assert got(client.get(f"{HOME}?topic=2"))["items"] == []
    assert client.get(f"{HOME}?topic=9").status_code == 404


def test_a_case_has_all_labels_and_no_name_of_a_judge(campaign: Campaign, make: Factory) -> None:
    client, key = client_of(make, "ada"), make.pooled(campaign, "1", "D1").pk
    answer = client.get(f"{HOME}{key}/")
    case = got(answer)
    assert sorted((each["judge"], each["current"]) for each in case["labels"]) == [("A", True), ("B", True)]
    assert {each["relevance"] for each in case["labels"]} == {0, 3} and case["settled"] is None
    assert b"alice" not in answer.content and b"bob" not in answer.content


def test_a_case_is_settled_once_and_reopened(campaign: Campaign, make: Factory) -> None:
    client, key = client_of(make, "ada"), make.pooled(campaign, "1", "D1").pk
    body = decision(client, key, 2)
    settled = got(post(client, f"{key}/", **body), 201)
    assert (settled["relevance"], settled["by"], settled["document"]) == (2, "ada", key)
    assert got(post(client, f"{key}/", **body), 201) == settled  # a repeated request
    other = client_of(make, "carol")
    refused = got(post(other, f"{key}/", **body | {"uuid": str(uuid.uuid4())}), 409)
    assert "was settled as 2" in refused["detail"]
    assert got(client.get(f"{HOME}settled/"))["items"] == [settled]
    assert [each["docno"] for each in got(client.get(HOME))["items"]] == ["D2"]
    case = got(post(client, f"{key}/reopening/", adjudication=settled["id"], why="A mistake."))
    assert case["settled"] is None and not Adjudication.objects.exists()
    assert got(post(client, f"{key}/reopening/", adjudication=settled["id"]), 409)


def test_a_decision_on_what_was_not_seen_is_refused(campaign: Campaign, make: Factory) -> None:
    client, key = client_of(make, "ada"), make.pooled(campaign, "1", "D1").pk
    body = decision(client, key, 7)
    assert got(post(client, f"{key}/", **body), 422)["errors"][0]["loc"] == ["body", "relevance"]
    body["relevance"] = 1
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    assert "changed a label" in got(post(client, f"{key}/", **body), 409)["detail"]
    assert not Adjudication.objects.exists()


def test_a_document_is_reserved_for_one_adjudicator(campaign: Campaign, make: Factory) -> None:
    ada, carol, key = client_of(make, "ada"), client_of(make, "carol"), make.pooled(campaign, "1", "D1").pk
    assert got(ada.post(f"{HOME}{key}/reservation/"))["mine"]
    assert not got(carol.post(f"{HOME}{key}/reservation/"))["mine"]
    assert [each["reserved"] for each in got(carol.get(HOME))["items"]] == [True, False]
    assert "has reserved" in got(post(carol, f"{key}/", **decision(carol, key, 1)), 409)["detail"]


def test_a_label_goes_back_to_its_judge(campaign: Campaign, make: Factory) -> None:
    client, pooled = client_of(make, "ada"), make.pooled(campaign, "1", "D1")
    label = Judgment.objects.get(pooled=pooled, judge__username="bob")
    body = {"event": label.event_id, "remark": "Read the end."}
    assert post(client, f"{pooled.pk}/returned-label/", **body).status_code == 204
    assert not Judgment.objects.filter(pooled=pooled, judge__username="bob").exists()
    assert QueueEntry.objects.get(pooled=pooled, judge__username="bob").state == QueueEntry.State.OPEN
    assert AuditLogEntry.objects.latest("pk").verb == "asked a judge again"
    assert got(post(client, f"{pooled.pk}/returned-label/", **body), 409)  # it is with the judge


def test_a_rule_settles_what_its_preview_showed(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "ada")
    seen = got(client.get(f"{HOME}rules/lower/"))
    assert (seen["documents"], seen["grades"], seen["left"]) == (1, {"1": 1}, 1)
    assert got(client.get(f"{HOME}rules/majority/"))["left"] == 2
    assert got(client.get(f"{HOME}rules/lower/?topic=2"))["documents"] == 0
    assert client.get(f"{HOME}rules/lower/?topic=9").status_code == 404
    got(client.get(f"{HOME}rules/higher-than-all/"), 422)
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    assert (
        "changed since the preview"
        in got(post(client, "rules/lower/", checksum=seen["checksum"]), 409)["detail"]
    )
    assert not Adjudication.objects.exists()
    again = got(client.get(f"{HOME}rules/lower/"))
    assert got(post(client, "rules/lower/", checksum=again["checksum"])) == {"documents": 2}
    assert {each["relevance"] for each in got(client.get(f"{HOME}settled/"))["items"]} == {1, 2}
