"""A/B tests, snippets and confusion of classes in the API: the figures of their pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from accounts.services import create_token
from assess.services.imports import load_judgments
from metrics.snippets.queries import found_result
from pooling.models import Campaign
from pooling.scale import BINARY
from tests.flows.test_lectures import TWO_CLASSES
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"


def client_of(make: Factory, name: str = "carol") -> Client:
    token = create_token(make.make_user(name), "test", "read")
    return Client(headers={"authorization": f"Bearer {token}"})


def got(client: Client, path: str) -> Any:
    answer = client.get(HOME + path)
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.fixture
def classes(make: Factory) -> Campaign:
    """The lecture's two classes, as two topics, a tenth of its documents."""
    campaign = make.make_campaign(grades=BINARY, threshold=1)
    for number in TWO_CLASSES:
        make.make_topic(campaign, number, f"class {number}")
    make.make_run(campaign, "\n".join(f"{number} D0 1" for number in TWO_CLASSES))
    make.make_pool(campaign, depth=1)
    for judge, yes in (("expert", "pn"), ("system", "pf")):
        lines = [
            f"{topic} 0 D{place} {int(kind in yes)}\n"
            for topic, counts in TWO_CLASSES.items()
            for place, kind in enumerate("".join(k * n for k, n in zip("pfnt", counts, strict=True)))
        ]
        content = "".join(lines).encode()
        load_judgments(campaign, make.make_user("carol"), content, f"{judge}.qrels", judge, extend_pool=True)
    return campaign


def test_the_confusion_of_the_lecture(classes: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    sources = got(client, "label-sources/")
    keys = {source["name"]: source["key"] for source in sources}
    asked = f"expert={keys['expert']}&system={keys['system']}"
    found = got(client, f"confusion/?{asked}&classes=topics")
    assert [row["precision"] for row in found["scores"]] == [0.5, 0.9]
    assert found["macro"]["precision"] == 0.7 and found["macro"]["tp"] is None
    assert round(found["micro"]["precision"], 4) == 0.8333 and found["micro"]["tp"] == 10
    assert (found["documents"], found["right"], found["matrix"], found["auc"]) == (200, 196, [], None)
    grades = got(client, f"confusion/?{asked}")
    assert grades["matrix"] == [[186, 2], [2, 10]] and round(grades["auc"], 4) == 0.9113
    assert grades["expert"] == {"key": keys["expert"], "name": "expert", "is_program": False}


def test_unknown_sources_and_missing_ones_are_not_found(make: Factory) -> None:
    make.make_campaign()
    client = client_of(make)
    assert client.get(f"{HOME}confusion/").status_code == 404
    assert client.get(f"{HOME}confusion/?expert=judge:nobody").status_code == 404
    assert client.get(f"{HOME}confusion/?classes=words").status_code == 422


def test_an_ab_test_is_the_file_of_its_page(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    client = client_of(make)
    test = make.make_ab_test(campaign)
    (listed,) = got(client, "ab-tests/")["items"]
    assert (listed["number"], listed["shares"], listed["files"]) == (test.number, test.parts, 1)
    carol = Client()
    carol.force_login(make.make_user("carol"))
    file = carol.get(f"/campaigns/tiny/ab-tests/{test.number}/json/")
    assert got(client, "ab-tests/1/results/") == json.loads(file.content)
    test.files.all().delete()
    assert client.get(f"{HOME}ab-tests/1/results/").status_code == 404


def test_snippets_have_the_figures_of_their_page(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    about = make.make_snippets(campaign, depth=1)
    about.campaign = campaign
    for task in about.tasks.select_related("result", "judge"):
        task.snippet_set.campaign = campaign
        make.make_snippet_grade(task, 3 if task.step == "document" else 0)
    client, figures = client_of(make), found_result(about).figures
    (listed,) = got(client, "snippets/")["items"]
    assert (listed["number"], listed["run"], listed["depth"]) == (1, about.run.tag, 1)
    found = got(client, "snippets/1/results/")
    assert (found["both"], found["table"]) == (figures.both, figures.table)
    assert found["missed"]["value"] == figures.missed.value == 1.0
    assert [each["name"] for each in found["agreement"]][0] == "Percent agreement"
    grades = got(client, "snippets/1/grades/")
    assert {(each["step"], each["grade"]) for each in grades} == {("snippet", 0), ("document", 3)}
    assert all((each["answers"] is None) == (each["step"] == "document") for each in grades)
