"""A published campaign is open to strangers, and nothing of it that is not theirs to know."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.services import create_token
from assess.models import QrelsRelease
from assess.release.plan import ReleasePlan
from assess.release.public_manifest import public_manifest
from assess.services.imports import load_judgments
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/public/tiny/"
SECRETS = ("alice", "bob", "robot", "the words of a document", "a note of the judge", "why it was settled")


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "the words of a document")
    make.make_run(campaign, "1 D2 2\n2 D1 1", tag="other", group="otherlab")
    for judge, relevance in (("alice", 3), ("bob", 2)):
        make.make_judgment(campaign, judge, "1", "D1", relevance)
        make.make_judgment(campaign, judge, "1", "D2", 0)
    make.make_judgment(campaign, "alice", "2", "D1", 1)
    make.make_machine(campaign, "1 0 D1 3\n")
    make.make_release(campaign)
    make.publish(campaign)
    return campaign


def places(client: Client) -> list[str]:
    """Return every address that the page leads to under /public/, and the page."""
    page = markup(client.get(PAGE))
    return sorted({PAGE, "/public/", *re.findall(r'href="(/public/tiny/[^"]+)"', page)})


@pytest.mark.parametrize("name", ["", "mallory", "alice"])
def test_everybody_may_read_all_of_it(campaign: Campaign, make: Factory, name: str) -> None:
    client = Client()
    if name:
        client.force_login(make.make_user(name))
    found = places(client)
    assert len(found) == 16
    for place in found:
        answer = client.get(place)
        list(answer)  # a download is read to its end, which closes its file
        assert answer.status_code == 200, place


def test_nothing_public_names_a_judge_or_holds_a_text_or_a_run(campaign: Campaign) -> None:
    client = Client()
    for place in places(client):
        answer = client.get(place)
        content = answer.getvalue()
        for secret in SECRETS:
            assert secret.encode() not in content and secret not in str(answer.headers), (place, secret)
    with zipfile.ZipFile(io.BytesIO(client.get(f"{PAGE}1/collection/").getvalue())) as archive:
        names = [name.removeprefix("tiny-v1/") for name in archive.namelist()]
    assert {"qrels.txt", "scores/scores.csv"} < {*names}
    assert not [name for name in names if name.startswith(("runs/", "labels", "provenance", "release"))]


@pytest.mark.parametrize("kind", ["labels", "labels-numbered", "provenance", "manifest", "nothing"])
def test_a_file_that_names_judges_is_not_public(campaign: Campaign, kind: str) -> None:
    assert Client().get(f"{PAGE}1/files/{kind}/").status_code == 404


def test_the_page_says_what_it_is_how_far_judges_agree_and_how_to_cite_it(campaign: Campaign) -> None:
    page = markup(Client().get(PAGE))
    for words in (
        "<h2>Judging</h2>",
        "Pooled: 4 documents from 1 run. Depth 10.",
        "2 people labelled the documents, without seeing runs, ranks or the labels of other",
        "Fleiss&#x27; kappa",
        "@misc{tiny-qrels-v1,",
        "otherlab",
    ):
        assert words in page, words


def test_only_people_are_said_to_have_labelled_blind(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    load_judgments(campaign, carol, b"1 0 D1 3\n", "expert.qrels", "Expert")
    release_qrels(campaign, carol, ReleasePlan(machines=("tiny/robot",)))
    make.publish(campaign)
    client = Client()
    client.force_login(carol)
    with zipfile.ZipFile(io.BytesIO(client.get(f"{PAGE}2/collection/").getvalue())) as archive:
        sheet = archive.read("tiny-v2/DATASHEET.md").decode()
    public, page = markup(client.get(PAGE)), markup(client.get(reverse("assess:release", args=["tiny", 2])))
    for text in (public, sheet):
        assert "2 people labelled" in text and "4 judges" not in text
        assert "Labels of 1 file judged elsewhere are included" in text and "model-1" in text
    for text in (public, page):
        assert "<dd>2 people, 1 file judged elsewhere, 1 program</dd>" in text
    assert "tiny/Expert (judged elsewhere)" in page
    assert (
        "robot"
        not in page[page.index("<dt>Judges</dt>", page.index("Provenance")) : page.index("<dt>Judgments by")]
    )


def test_no_manifest_has_a_program_among_the_judges(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    load_judgments(campaign, carol, b"1 0 D1 3\n", "expert.qrels", "Expert")
    release = release_qrels(campaign, carol, ReleasePlan(machines=("tiny/robot",)))
    make.publish(campaign)
    api = Client(headers={"Authorization": f"Bearer {create_token(carol, 'test')}"})
    named = api.get("/api/campaigns/tiny/releases/2/").json()["manifest"]
    assert named["judges"].keys() == {"alice", "bob", "tiny/Expert"}
    assert named["judged_elsewhere"] == ["tiny/Expert"]
    public = json.loads(Client().get(f"{PAGE}2/manifest/").content)
    assert public["judges"].keys() == {"judge 1", "judge 2", "judge 3"}
    assert public["judged_elsewhere"] == ["judge 3"]
    early = named | {"judges": named["judges"] | {"tiny/robot": 1}}  # as earlier versions wrote it
    assert public_manifest(early, named["judge_numbers"])["judges"] == public["judges"]
    for manifest, name in ((named, "tiny/robot"), (public, "machine 1")):
        assert [(machine["judge"], machine["labels"]) for machine in manifest["machines"]] == [(name, 1)]
    with release.files.get(kind="citation").file.open("rb") as file:
        text = file.read().decode()
    assert (
        "1 machine label (model-1) in 3 judgments, counted like labels of people; no audit" in text
        and "judges" not in text
    )


def test_the_manifest_counts_judges_and_names_none(campaign: Campaign) -> None:
    manifest = json.loads(Client().get(f"{PAGE}1/manifest/").content)
    assert manifest["judges"] == {"judge 1": 3, "judge 2": 2}
    assert set(manifest["files"]) == {"qrels", "beir", "sources", "citation"}
    assert "released_by" not in manifest and manifest["organisers"] == ["carol"]


def test_a_machine_is_known_by_a_number_and_its_model() -> None:
    found = public_manifest(
        {"machines": [{"judge": "robot", "model": "m"}], "plan": {"judge": "robot"}, "x": 1},
        {"robot": "machine 1"},
    )
    assert (
        found["machines"] == [{"judge": "machine 1", "model": "m"}]
        and found["plan"] == {}
        and "x" not in found
    )


def test_the_scores_are_those_of_every_run(campaign: Campaign) -> None:
    said = json.loads(Client().get(f"{PAGE}1/scores/json/").getvalue())
    assert [run["run"] for run in said["runs"]] == ["other", "run"]


def test_a_stranger_chooses_no_measures(campaign: Campaign) -> None:
    said = json.loads(Client().get(f"{PAGE}1/scores/json/?measures=RBP").getvalue())
    assert "RBP" not in str(said["measures"])


def test_an_older_release_stays_where_it_was(campaign: Campaign, make: Factory) -> None:
    client = Client()
    before = client.get(f"{PAGE}1/files/qrels/").getvalue()
    make.make_judgment(campaign, "alice", "1", "D3", 1)
    make.make_release(campaign)
    assert "release 1 of" in markup(client.get(PAGE))  # a later release is not public by itself
    make.publish(campaign)
    assert "release 2 of" in markup(client.get(PAGE))
    assert "release 1 of" in markup(client.get(f"{PAGE}1/"))
    assert client.get(f"{PAGE}1/files/qrels/").getvalue() == before
    assert client.get(f"{PAGE}3/").status_code == 404


def test_a_private_campaign_is_nowhere(campaign: Campaign) -> None:
    client = Client()
    found = places(client)
    QrelsRelease.objects.update(state=QrelsRelease.State.SHARED)
    for place in found:
        assert client.get(place).status_code == (200 if place == "/public/" else 404)
    assert "Tiny" not in markup(client.get("/public/"))


def test_before_the_first_public_release_there_is_no_page(make: Factory) -> None:
    make.make_campaign()
    assert Client().get(PAGE).status_code == 404


def test_nothing_public_is_changed_by_a_post(campaign: Campaign) -> None:
    client = Client()
    for place in places(client):
        assert client.post(place).status_code == 405, place
    assert User.objects.count()
