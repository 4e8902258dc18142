"""Reviews through the API: from the file of documents to the stop, with the figures of the page."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from assess.active_learning.queries.reviews import progress_of, strata_of
from assess.models import Review
from pooling.models import Campaign
from tests.assess.active_learning.test_pages import FILE, LINES, label_all
from tests.assess.active_learning.test_pages import build_campaign as build_campaign
from tests.assess.active_learning.test_strata import judged_to_the_end
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"


def made(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(HOME + path, body, content_type="application/json")


def load(client: Client, content: bytes = FILE) -> Any:
    return client.post(f"{HOME}review-collections/", {"file": SimpleUploadedFile("boats.jsonl", content)})


def test_from_the_file_to_the_stop(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    stored = made(load(client), 201)
    assert (stored["number"], stored["documents"], stored["has_files"]) == (1, 60, True)
    asked = {"collection": 1, "judges": ["alice"], "first_batch": 10, "sample_size": 20, "seed": 7}
    begun = made(post(client, "reviews/", **asked), 201)
    assert [each["topic"] for each in begun["reviews"]] == ["1"]
    job = made(client.get(f"{HOME}jobs/{begun['job']['id']}/"))
    assert job["state"] == "done", job
    state = made(client.get(f"{HOME}reviews/1/"))
    assert (state["batches"], state["judged"], state["advisers"], state["strata"]) == (1, 0, [], None)
    assert state["recall"] == {
        "value": None, "low": None, "high": None, "reason": "no relevant document in the sample",
    }  # fmt: skip
    label_all(campaign, make)
    made(post(client, "reviews/1/batches/", number=3), 422)
    made(post(client, "reviews/1/batches/", number=2), 202)
    label_all(campaign, make)
    state, progress = made(client.get(f"{HOME}reviews/1/")), progress_of(Review.objects.get())
    for name in ("recall", "relevant_in_all"):
        figures = progress.recall if name == "recall" else progress.relevant
        assert state[name] == figures._asdict() and figures.value is not None
    counts = state["reviewed"], state["found"], state["judged"], state["relevant"]
    assert counts == (progress.reviewed, progress.found, progress.judged, progress.relevant_known)
    assert [each["stop"] for each in state["advisers"]] == [each.advice.stop for each in progress.advisers()]
    going_on = next(each for each in state["advisers"] if not each["stop"])
    refused = post(client, "reviews/1/stop/", rule=going_on["rule"], target=going_on["target"])
    assert "does not advise to stop now" in made(refused, 422)["detail"]
    assert made(post(client, "reviews/1/stop/"))["stopped_at"]
    (listed,) = made(client.get(f"{HOME}reviews/"))["items"]
    assert (listed["batches"], listed["rule"], listed["promise"]) == (2, "", "")
    file = client.get(f"{HOME}reviews/1/documents/")
    assert file["Content-Type"].startswith("text/tab-separated-values")
    assert len(file.content.decode().splitlines()) == 1 + Review.objects.get().documents.count()
    assert "uses it" in made(client.delete(f"{HOME}review-collections/1/"), 422)["detail"]


def test_the_strata_of_s_cal_are_those_of_the_page(campaign: Campaign, make: Factory) -> None:
    review = judged_to_the_end(campaign, make)
    state, strata = made(client_of(make, "carol").get(f"{HOME}reviews/1/")), strata_of(review)
    assert state["cap"] == 4 and {each["rule"] for each in state["advisers"]} == {"strata"}
    assert state["recall"] == strata.recall._asdict()
    assert state["relevant_in_all"] == strata.strata.relevant._asdict()
    assert state["relevant_in_all"]["high"] >= state["relevant"]
    rows = [(each.number, each.stratum.size, each.stratum.judged) for each in strata.rows]
    assert [(each["batch"], each["documents"], each["judged"]) for each in state["strata"]] == rows


def test_files_and_topics_that_cannot_be_used_are_named(
    campaign: Campaign, make: Factory, settings: Settings
) -> None:
    client = client_of(make, "carol")
    assert "line 2" in made(load(client, LINES[0].encode() + b'\n{"text": "b"}\n'), 422)["detail"]
    settings.BACKGROUND_BYTES = 100
    job = made(load(client), 202)
    assert made(client.get(f"{HOME}jobs/{job['id']}/"))["message"] == "Collection 1: 60 documents, 30 terms."
    wrong = post(client, "reviews/", collection=2, topics=["9"], judges=["rosa"])
    faults = {fault["loc"][-1] for fault in made(wrong, 422)["errors"]}
    assert {"collection", "topics", "judges"} <= faults
    assert made(client.get(f"{HOME}reviews/1/"), 404)
    assert client.delete(f"{HOME}review-collections/1/").status_code == 204


def test_a_sample_is_enlarged_once(campaign: Campaign, make: Factory) -> None:
    make.make_review(campaign)
    client = client_of(make, "carol")
    assert made(post(client, "reviews/1/sample/", documents=2, drawn=3)) == {"added": 2}
    assert "in the meantime" in made(post(client, "reviews/1/sample/", documents=2, drawn=3), 422)["detail"]
    assert made(post(client, "reviews/1/discard/"))["documents"] == 4
    made(post(client, "reviews/1/discard/"), 404)


def test_a_simulation_is_a_job(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    load(client)
    job = made(post(client, "review-simulations/", collection=1, sample_size=10, seed=3), 202)
    assert made(client.get(f"{HOME}jobs/{job['id']}/"))["state"] == "failed"  # no topic has labels
    assert made(client.get(f"{HOME}review-simulations/"))["items"] == []
