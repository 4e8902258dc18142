"""Panels by a program: made once, and their results without names of judges."""

from __future__ import annotations

from typing import Any

from django.test import Client

from accounts.services import create_token
from assess.models import Panel
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"


def client_of(make: Factory, name: str) -> Client:
    return Client(headers={"authorization": f"Bearer {create_token(make.make_user(name), 'test')}"})


def got(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def test_a_panel_is_made_once_and_its_votes_are_counted(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D1 2\n2 D1 1", tag="one", group="davelab")
    make.make_run(campaign, "1 D2 2\n2 D1 1", tag="two", group="davelab")
    carol = client_of(make, "carol")

    def create(**body: Any) -> Any:
        headers = {"Idempotency-Key": "first"}
        return carol.post(f"{HOME}panels/", body, content_type="application/json", headers=headers)

    assert "two different runs" in got(create(first="one", second="one"), 422)["detail"]
    made = got(create(first="one", second="two", seed=7), 201)
    assert made["topics"] == ["1"] and got(create(first="one", second="two", seed=7), 201) == made
    assert got(carol.get(f"{HOME}panels/"))["items"] == [made]
    panel = Panel.objects.get()
    make.make_vote(panel, "alice", "1", "left", "because")
    make.make_vote(panel, "bob", "1", "equal")
    answer = client_of(make, "dave").get(f"{HOME}panel-results/{panel.pk}/")  # the group of both runs
    found = got(answer)
    assert (found["first"], found["second"], found["judges"], found["votes"]["equal"]) == ("one", "two", 2, 1)
    (line,) = found["lines"]
    assert line["first"] + line["second"] == 1 and line["winner"] in ("one", "two")
    assert (found["votes"]["p"], found["votes"]["reason"]) == (1.0, "")
    assert b"alice" not in answer.content and b"because" not in answer.content
    assert got(client_of(make, "dave").get(f"{HOME}panel-results/"))["items"][0]["id"] == panel.pk
