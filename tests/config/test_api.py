"""The API of every app gives the same values as the pages."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.services import create_token
from pooling.formats.run_header import read_header
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/api/campaigns/tiny/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D2 2\n2 D1 1", tag="other", group="otherlab")
    for judge, relevance in (("alice", 3), ("bob", 2)):
        make.make_judgment(campaign, judge, "1", "D1", relevance)
        make.make_judgment(campaign, judge, "1", "D2", 0)
    make.make_machine(campaign, "1 0 D1 3\n")
    make.make_release(campaign)
    return campaign


def client_of(make: Factory, name: str, scope: str = "read") -> Client:
    token = create_token(make.make_user(name), "test", scope)
    return Client(headers={"Authorization": f"Bearer {token}"})


def got(client: Client, url: str) -> Any:
    answer = client.get(url)
    assert answer.status_code == 200, answer.content
    return answer.json()


def walked(client: Client, url: str) -> list[dict[str, Any]]:
    """Return the items of every page, the next one where each says."""
    items: list[dict[str, Any]] = []
    while url:
        page = got(client, url)
        items, url = items + page["items"], page["next"]
    return items


def test_a_campaign_tells_its_scale_and_your_roles(campaign: Campaign, make: Factory) -> None:
    found = got(client_of(make, "alice"), HOME)
    assert [grade["value"] for grade in found["scale"]] == [0, 1, 2, 3]
    assert (found["slug"], found["threshold"], found["roles"]) == ("tiny", 2, ["judge"])
    (listed,) = walked(client_of(make, "alice"), "/api/campaigns/")
    assert listed == found


def test_pages_by_key_lose_and_repeat_nothing(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    for number in range(3, 12):
        make.make_topic(campaign, str(number))
    topics = walked(client, f"{HOME}topics/?limit=2")
    assert [topic["number"] for topic in topics] == sorted(str(n) for n in range(1, 12))
    first = got(client, f"{HOME}runs/?limit=1")
    make.make_run(campaign, "1 D1 1", tag="added-before-the-rest")  # sorts before what was read
    rest = walked(client, first["next"])
    assert [run["tag"] for run in [*first["items"], *rest]] == ["other", "run"]
    make.make_release(campaign)
    assert [each["number"] for each in walked(client, f"{HOME}releases/?limit=1")] == [1, 2]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=501",
        "limit=x",
        "after=%00",
        "after=a%00b",
        "before=1",
        "measures=nDGC@10",
        "measures=AP(x=1",
    ],
)
def test_a_wrong_question_is_answered_with_what_was_expected(
    campaign: Campaign, make: Factory, query: str
) -> None:
    answer = client_of(make, "carol").get(f"{HOME}releases/1/scores/?{query}")
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert any(word in str(answer.json()) for word in ("xpected", "should", "did you mean", "Unknown"))


def test_a_method_that_an_address_does_not_take_is_a_problem(campaign: Campaign, make: Factory) -> None:
    answer = client_of(make, "carol").delete(f"{HOME}runs/")
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")
    assert {*answer["Allow"].split(", ")} == {"GET", "POST"}
    assert answer.json()["title"] == f"Expected {answer['Allow']}, found DELETE"


def test_addresses_have_the_name_and_the_port_of_the_site(
    campaign: Campaign, make: Factory, settings: Settings
) -> None:
    settings.SITE = "https://pool.example.org:8443"
    page = got(client_of(make, "carol"), f"{HOME}runs/?limit=1")
    assert page["next"] == f"https://pool.example.org:8443{HOME}runs/?limit=1&after=other"


def test_the_document_names_the_site_as_its_server(settings: Settings) -> None:
    assert Client().get("/api/openapi.json").json()["servers"] == [{"url": "/"}]
    settings.SITE = "https://pool.example.org:8443"
    document = Client().get("/api/openapi.json").json()
    assert document["servers"] == [{"url": "https://pool.example.org:8443"}]
    assert "Retry-After" in document["paths"]["/api/campaigns/"]["get"]["responses"]["429"]["headers"]


def test_measures_may_be_separated_by_commas(campaign: Campaign, make: Factory) -> None:
    client, address = client_of(make, "carol"), f"{HOME}releases/1/scores/?measures="
    assert got(client, f"{address}nDCG@10,AP(rel=2),P.5,10") == got(
        client, f"{address}nDCG@10 AP(rel=2) P.5,10"
    )


def test_the_scores_are_those_of_the_leaderboard(campaign: Campaign, make: Factory) -> None:
    reader = Client()
    reader.force_login(make.make_user("rita"))
    board = csv.DictReader(io.StringIO(markup(reader.get("/campaigns/tiny/scores/1/csv/"))))
    rows = {row["run"]: row for row in board}
    client = client_of(make, "rita")
    for item in walked(client, f"{HOME}releases/1/scores/"):
        means = {name: float(rows[item["run"]][name]) for name in item["means"]}
        assert item["means"] == means
        one = got(client, f"{HOME}releases/1/scores/{item['run']}/")
        assert one["means"] == means and set(one["topics"]) == {"1"}
        assert one["profile"] == "trec_eval-9" and len(one["run_sha256"]) == 64


def test_a_participant_reads_the_scores_of_own_runs_alone(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 1", tag="mine", group="davelab")
    client = client_of(make, "dave")
    assert [item["run"] for item in walked(client, f"{HOME}releases/1/scores/")] == ["mine"]
    assert client.get(f"{HOME}releases/1/scores/run/").status_code == 404


def test_labels_come_a_line_each(campaign: Campaign, make: Factory) -> None:
    answer = client_of(make, "ada").get(f"{HOME}labels/")
    assert answer.streaming and answer["Content-Type"].startswith("application/jsonl")
    labels = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert [(each["judge"], each["docno"], each["relevance"], each["machine"]) for each in labels] == [
        ("alice", "D1", 3, False),
        ("bob", "D1", 2, False),
        ("tiny/robot", "D1", 3, True),
        ("alice", "D2", 0, False),
        ("bob", "D2", 0, False),
    ]


def test_agreement_is_of_people_and_pairs_say_where_a_machine_is(campaign: Campaign, make: Factory) -> None:
    found = got(client_of(make, "rita"), f"{HOME}agreement/")
    named = {each["name"]: each for each in found["coefficients"]}
    assert (named["Percent agreement"]["value"], named["Percent agreement"]["n"]) == (0.5, 2)
    assert all((each["value"] is None) == bool(each["reason"]) for each in found["coefficients"])
    assert [(pair["first"], pair["second"], pair["machine"]) for pair in found["pairs"]] == [
        ("judge 1", "judge 2", False),
        ("judge 1", "machine 1", True),
        ("judge 2", "machine 1", True),
    ]


def test_a_pool_can_be_read_and_made_again(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    (pool,) = walked(client, f"{HOME}pools/")
    found = got(client, f"{HOME}pools/1/")
    assert (pool["documents"], found["runs"], found["manifest"]["parameters"]["k"]) == (4, ["run"], 10)
    assert client.get(f"{HOME}pools/1/documents/").getvalue() == b"1 D1\n1 D2\n1 D3\n2 D1\n"


def test_a_file_of_a_release_comes_whole_in_part_or_not_at_all(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "rita")
    release = got(client, f"{HOME}releases/1/")
    sums = {file["kind"]: file["sha256"] for file in release["files"]}
    place = f"{HOME}releases/1/files/qrels/"
    whole = client.get(place)
    assert whole.getvalue() == b"1 0 D1 2\n1 0 D2 0\n"
    assert client.get(place, headers={"If-None-Match": f'"{sums["qrels"]}"'}).status_code == 304
    part = client.get(place, headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.getvalue()) == (206, b"1 0 ")


def test_the_whole_collection_and_scores_in_a_form(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "rita")
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"{HOME}releases/1/collection/").getvalue()))
    assert "tiny-v1/runs/run.gz" in archive.namelist()
    table = client.get(f"{HOME}releases/1/scores/files/csv/?measures=P@1").getvalue().decode()
    assert {row["measure"] for row in csv.DictReader(io.StringIO(table))} == {"P@1", "Unjudged@10"}
    assert client.get(f"{HOME}releases/1/scores/files/xml/").status_code == 404


def test_without_a_token_or_an_address_there_is_a_problem(campaign: Campaign) -> None:
    answer = Client().get(HOME)
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert answer["Content-Type"] == "application/problem+json"
    nowhere = Client().get("/api/nothing/here/")
    assert (nowhere.status_code, nowhere["Content-Type"]) == (404, "application/problem+json")


def test_a_form_that_cannot_be_read_is_a_problem(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol", "submit")
    answer = client.post(f"{HOME}runs/", b"--x", content_type="multipart/form-data")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert campaign.runs.count() == 2


def test_a_run_file_comes_as_submitted_or_with_a_header(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "rita")
    plain, described = (
        gzip.decompress(client.get(f"{HOME}runs/other/file/{query}").getvalue())
        for query in ("", "?metadata=true")
    )
    header, body = read_header(described)
    assert (header.tag, header.group, header.kind) == ("other", "otherlab", "automatic")
    assert body == plain and plain.startswith(b"1 Q0 D2 ")
    page = Client()
    page.force_login(make.make_user("rita"))
    sent = page.get("/campaigns/tiny/runs/other/file/?format=ir_metadata")
    assert gzip.decompress(sent.getvalue()) == described
    assert client_of(make, "dave").get(f"{HOME}runs/other/file/").status_code == 404  # of another group
