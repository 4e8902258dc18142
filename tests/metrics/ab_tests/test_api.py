"""A/B tests through the API: the plan, files of users, and the result."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from metrics.models import ABTest
from pooling.models import Campaign
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/ab-tests/"
USERS = "variant,user,clicks\nA,u1,1\nA,u2,2\nA,u3,1\nB,u4,2\nB,u5,4\nB,u6,3\n"
PLAN: dict[str, Any] = {
    "name": "Snippets",
    "shares": {"A": 50, "B": 50},
    "planned_users": 6,
    "outcomes": "clicks: more, sum",
}


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make.make_campaign()


def made(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str = "", **body: Any) -> Any:
    return client.post(HOME + path, body, content_type="application/json")


def load(client: Client, text: str = USERS, **about: Any) -> Any:
    file = SimpleUploadedFile("users.csv", text.encode())
    return client.post(f"{HOME}1/files/", about | {"file": file})


def test_from_the_plan_to_the_result(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    planned = made(post(client, **PLAN), 201)
    assert (planned["number"], planned["shares"], planned["files"]) == (1, {"A": 50, "B": 50}, 0)
    assert list(ABTest.objects.get().parts) == ["A", "B"]  # the control is the first
    made(client.get(f"{HOME}1/results/"), 404)
    file = made(load(client, is_end="true"), 201)
    assert (file["users"], file["is_end"], file["withdrawn_at"]) == (6, True, None)
    assert "counted already" in made(load(client), 422)["detail"]
    result = made(client.get(f"{HOME}1/results/"))
    assert "clicks" in str(result)
    assert made(post(client, f"1/files/{file['id']}/withdrawal/"))["withdrawn_at"]
    made(post(client, f"1/files/{file['id']}/withdrawal/"), 422)
    assert [bool(each["withdrawn_at"]) for each in made(client.get(f"{HOME}1/files/"))["items"]] == [True]


def test_fields_of_a_table_are_mapped(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    made(post(client, **PLAN), 201)
    unclear = USERS.replace("variant", "x1")
    assert "columns variant and user" in made(load(client, unclear), 422)["detail"]
    assert made(load(client, unclear, map="x1=variant"), 201)["users"] == 6


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"outcomes": "clicks: upwards"}, "outcomes"),
        ({"shares": {"A": 1}}, "shares"),
        ({"shares": {"A": 1, "B": 0}}, "B"),
        ({"planned_users": 1}, "planned_users"),
    ],
)
def test_a_plan_with_a_mistake_is_refused(
    changes: dict[str, Any], field: str, campaign: Campaign, make: Factory
) -> None:
    wrong = made(post(client_of(make, "carol"), **PLAN | changes), 422)["errors"]
    assert field in wrong[0]["loc"] and not campaign.ab_tests.exists()
