from __future__ import annotations

import gzip
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import ApiToken
from accounts.services import create_token, token_of_secret
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/api/campaigns/tiny/runs/"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def client_of(make: Factory, name: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {create_token(make.make_user(name), 'test')}"})


def submit(client: Client, content: bytes, **said: Any) -> Any:
    return client.post(URL, {"file": SimpleUploadedFile("new.run.gz", gzip.compress(content)), **said})


def test_a_run_goes_in_and_its_report_comes_out(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "dave")
    response = submit(client, b"1 Q0 D7 1 2.0 new\n", priority=2)
    assert response.status_code == 201
    answer = response.json()
    assert (answer["tag"], answer["group"], answer["priority"], answer["pooled"]) == (
        "new",
        "davelab",
        2,
        False,
    )
    assert answer["warnings"][0]["what"] == "no line for 1 of 2 topics (2)"
    assert client.get(f"{URL}new/").json() == answer
    assert [run["tag"] for run in client.get(URL).json()["items"]] == ["new"]


def test_the_list_asks_the_database_the_same_for_any_number_of_runs(
    campaign: Campaign, make: Factory, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = client_of(make, "carol")
    for number in range(5):
        make.make_run(campaign, f"1 D{number} 1", tag=f"r{number}")
    with django_assert_max_num_queries(6):
        runs = client.get(URL).json()["items"]
    assert {run["tag"]: run["pooled"] for run in runs} == {"run": True} | {f"r{n}": False for n in range(5)}


def test_a_refusal_is_a_problem_with_every_line(campaign: Campaign, make: Factory) -> None:
    response = submit(client_of(make, "carol"), b"1 Q0 D7 1 2.0\n9 Q0 D1 2 1.0 t\n")
    assert response.status_code == 422
    assert response["Content-Type"] == "application/problem+json"
    assert [(error["line"], error["what"]) for error in response.json()["errors"]] == [
        (1, "expected 6 fields (topic Q0 docno rank score tag), found 5"),
        (2, "topic 9 is not in this campaign"),
    ]
    assert campaign.runs.count() == 1


@pytest.mark.parametrize(("name", "status"), [("mallory", 404), ("alice", 403), ("rita", 403)])
def test_who_may_not_submit_submits_nothing(
    campaign: Campaign, make: Factory, name: str, status: int
) -> None:
    assert submit(client_of(make, name), b"1 Q0 D7 1 2.0 t\n").status_code == status
    assert campaign.runs.count() == 1


@pytest.mark.parametrize("said", [{"priority": 0}, {"kind": "clairvoyant"}, {"priority": "high"}])
def test_what_is_said_of_a_run_is_checked(campaign: Campaign, make: Factory, said: dict[str, Any]) -> None:
    response = submit(client_of(make, "carol"), b"1 Q0 D7 1 2.0 t\n", **said)
    assert (response.status_code, response.json()["status"]) == (422, 422)
    assert campaign.runs.count() == 1


def test_a_token_is_shown_once_used_and_revoked(make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("dave"))
    page = markup(client.post("/tokens/", {"name": "my script", "scope": "read"}))
    token = page.split('<code class="link">')[1].split("</code>")[0]
    assert token not in str(ApiToken.objects.values())
    assert token not in markup(client.get("/tokens/"))
    found = token_of_secret(token)
    assert found and found.user == make.make_user("dave")
    assert ApiToken.objects.get().last_used_at
    client.post(f"/tokens/{ApiToken.objects.get().pk}/revoke/")
    assert token_of_secret(token) is None


def test_the_token_of_somebody_who_left_opens_nothing(make: Factory) -> None:
    dave = make.make_user("dave")
    token = create_token(dave, "test")
    dave.is_active = False
    dave.save()
    assert token_of_secret(token) is None
