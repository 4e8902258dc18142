"""The nuggets of a draft in the API: what the pages do, with versions against lost changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from accounts.services import create_token
from assess.models import Bank
from assess.nuggets.services.loads import load_banks
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/nugget-banks/"
NUGGETS = f"{HOME}1/nuggets/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in "12":
        make.make_topic(campaign, number)
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    return Client(headers={"authorization": f"Bearer {create_token(make.make_user(name), 'test', 'all')}"})


def send(client: Client, method: str, path: str, status: int = 200, key: str = "", **body: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    answer = getattr(client, method)(path, body, content_type="application/json", headers=headers)
    assert answer.status_code == status, answer.content
    return answer.json() if answer.content else None


def test_a_bank_is_written_weighed_and_frozen(campaign: Campaign, make: Factory) -> None:
    carol, ada = client_of(make, "carol"), client_of(make, "ada")
    begun = send(ada, "post", f"{HOME}draft/", 201, key="once")
    assert (begun["number"], begun["nuggets"], begun["frozen_at"]) == (1, 0, None)
    assert send(ada, "post", f"{HOME}draft/", 201, key="once") == begun
    assert "is a draft already" in send(carol, "post", f"{HOME}draft/", 422)["detail"]
    first = send(ada, "post", NUGGETS, 201, topic="1", text="Ships float on water")
    assert (first["importance"], first["authors"], first["suggestion"]) == (None, ["ada"], False)
    question = send(carol, "post", NUGGETS, 201, topic="2", text="What floats?", answers=["wood ", "ice"])
    assert (question["answers"], question["aggregator"]) == (["wood", "ice"], "OR")
    assert "has no importance" in send(carol, "post", f"{HOME}1/freezing/", 422)["detail"]
    for client in (carol, ada):
        weighed = send(client, "post", f"{NUGGETS}{first['id']}/vote/", importance="vital")
    assert (weighed["importance"], weighed["voted"], len(weighed["votes"])) == (None, "vital", 2)
    send(carol, "patch", f"{NUGGETS}{question['id']}/", importance="okay")
    send(ada, "post", f"{HOME}1/freezing/", 403)
    frozen = send(carol, "post", f"{HOME}1/freezing/")
    assert frozen["frozen_at"] and frozen["sha256"]
    assert "frozen and never changes" in send(carol, "delete", f"{NUGGETS}{first['id']}/", 422)["detail"]
    listed = carol.get(f"{NUGGETS}?topic=1").json()["items"]
    assert [(each["text"], each["importance"]) for each in listed] == [("Ships float on water", "vital")]


def test_a_draft_begins_with_a_frozen_version_and_is_discarded(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    make.make_bank(campaign)
    copy = send(carol, "post", f"{HOME}draft/", 201, based_on=1, grading="a number from 0 to 10")
    assert (copy["based_on"], copy["grading"], copy["nuggets"]) == (1, "vital or okay", 3)
    send(carol, "post", f"{HOME}2/discard/", 204)
    assert Bank.objects.get().number == 1
    fault = send(carol, "post", f"{HOME}draft/", 422, based_on=9)["errors"][0]
    assert fault["loc"] == ["body", "based_on"]


def test_a_change_keeps_what_is_not_sent(campaign: Campaign, make: Factory) -> None:
    carol, bank = client_of(make, "carol"), make.make_nugget_bank(campaign)
    nugget = make.make_nugget(bank, "ada", "It floats", importance="okay", answers=["wood\nand ice"])
    changed = send(carol, "patch", f"{NUGGETS}{nugget.pk}/", text="What floats?")
    assert (changed["text"], changed["importance"]) == ("What floats?", "okay")
    assert changed["answers"] == ["wood\nand ice"]
    assert changed["authors"] == ["ada", "carol"]
    assert send(carol, "patch", f"{NUGGETS}{nugget.pk}/", importance=None)["importance"] is None


def test_two_people_at_one_nugget_lose_nothing(campaign: Campaign, make: Factory) -> None:
    carol, ada = client_of(make, "carol"), client_of(make, "ada")
    nugget = make.make_nugget_bank(campaign).nuggets.get()
    (read,) = carol.get(NUGGETS).json()["items"]
    address = f"{NUGGETS}{nugget.pk}/"
    changed = send(ada, "patch", address, version=read["version"], text="Boats float")
    assert changed["version"] != read["version"]
    refused = send(carol, "patch", address, 409, version=read["version"], importance="okay")
    assert "changed since you read it" in refused["detail"]
    assert (
        send(carol, "patch", address, version=changed["version"], importance="okay")["text"] == "Boats float"
    )


@pytest.mark.parametrize(
    "body",
    [
        {"text": " "},
        {"text": "one\ntwo"},
        {"text": "w " * 13},
        {"importance": "must"},  # of another kind
        {"importance": 11},
        {"importance": True},
        {"importance": "urgent"},
        {"answers": [""]},
        {"docno": "D99"},
        {"quotation": "words of no document"},
        {"place": 2},
    ],
    ids=str,
)
def test_what_is_invalid_changes_nothing(body: dict[str, Any], campaign: Campaign, make: Factory) -> None:
    nugget = make.make_nugget_bank(campaign).nuggets.get()
    send(client_of(make, "carol"), "patch", f"{NUGGETS}{nugget.pk}/", 422, **body)
    nugget.refresh_from_db()
    assert (nugget.text, nugget.importance) == ("Ships float on water", "vital")


def test_numbers_are_stored_as_files_have_them(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    send(carol, "post", f"{HOME}draft/", 201, grading="a number from 0 to 10")
    nugget = send(carol, "post", NUGGETS, 201, topic="1", text="Wood floats", importance=7.0)
    assert repr(nugget["importance"]) == "7"
    address = f"{NUGGETS}{nugget['id']}/"
    assert send(carol, "patch", address, importance=2.5)["importance"] == 2.5
    send(carol, "post", f"{address}vote/", 422, importance=2.5)  # people vote by whole numbers
    assert send(carol, "post", f"{address}vote/", importance=3)["voted"] == 3
    assert send(carol, "post", f"{address}vote/", importance=None)["votes"] == []


def test_two_nuggets_are_joined(campaign: Campaign, make: Factory) -> None:
    carol, bank = client_of(make, "carol"), make.make_nugget_bank(campaign)
    first, other = bank.nuggets.get(), make.make_nugget(bank, "ada", "Boats float")
    far = make.make_nugget(bank, "ada", "Boats float", topic="2")
    for nugget, importance in ((first, "vital"), (other, "okay")):
        send(carol, "post", f"{NUGGETS}{nugget.pk}/vote/", importance=importance)
    address = f"{NUGGETS}{first.pk}/joining/"
    send(carol, "post", address, 422, other=far.pk)
    joined = send(carol, "post", address, other=other.pk)
    assert (joined["nugget"]["text"], joined["again"]) == ("Ships float on water", ["carol"])
    assert {*bank.nuggets.values_list("pk", flat=True)} == {first.pk, far.pk}


def test_suggestions_of_programs_are_marked(campaign: Campaign, make: Factory) -> None:
    bank = make.make_nugget_bank(campaign)
    nugget = {"text": "Wood floats", "creator": [{"is_human": False, "llm_model": "a model"}]}
    content = json.dumps({"qid": "1", "nuggets": [nugget]}).encode()
    load_banks(bank, make.make_user("carol"), content, "banks.jsonl")
    listed = client_of(make, "ada").get(NUGGETS).json()["items"]
    assert [(each["suggestion"], each["authors"]) for each in listed] == [
        (False, ["carol"]),
        (True, ["a model"]),
    ]
