"""Reviews on the way to another server: with their collection, or with what releases state of it."""

from __future__ import annotations

import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from assess.active_learning.queries.releases import review_reasons, review_statement
from assess.active_learning.queries.reviews import provenance_of, ready_reviews
from assess.active_learning.services.batches import freeze_batches, plan_batch
from assess.active_learning.services.reviews import (
    PlannedReviews,
    ReviewRefused,
    begin_reviews,
    enlarge_sample,
)
from assess.active_learning.services.searches import add_found_documents
from assess.models import Review, ReviewCollection, ReviewSimulation
from assess.services.releases import release_qrels
from config.archives.campaigns import export_campaign, import_campaign
from config.archives.zip_file import BadArchive
from pooling.models import Campaign
from tests.assess.active_learning.test_release_statements import TEXTS, label_all
from tests.config.test_archives import assert_clean, wipe
from tests.config.test_hostile_archives import changed
from tests.support.factory import Factory
from tests.support.markup import markup

LINES = "\n".join(json.dumps({"docno": docno, "text": text}) for docno, text in TEXTS.items())


def build_campaign(make: Factory) -> Campaign:
    """A campaign with a review that goes on, a search, a simulation and a release."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail and mast")
    make.make_topic(campaign, "2", "flour and oven")
    make.make_collection(campaign, TEXTS)
    review = make.make_review(campaign, judges=["alice"], first_batch=4, sample_size=5)
    review.campaign = campaign
    add_found_documents(review, make.make_user("alice"), [19], "oven")
    label_all(campaign, make)
    release_qrels(campaign, make.make_user("carol"))
    ReviewSimulation.objects.create(
        campaign=campaign, collection=review.collection, sample_size=3, seed=1,
        topics={"1": 5}, costs=[], made_by=make.make_user("carol"),
    )  # fmt: skip
    return campaign


def review_of(campaign: Campaign) -> Review:
    review = Review.objects.select_related("topic", "collection").get(campaign=campaign)
    review.campaign = campaign
    return review


def known_of(campaign: Campaign) -> tuple[object, ...]:
    review = review_of(campaign)
    return (
        list(provenance_of(review)),
        review_statement(campaign, "1"),
        review_reasons(campaign, "1"),
        sorted(judge.username for judge in review.judges.all()),
        list(campaign.review_simulations.values_list("topics", "sample_size")),
        list(review.frozen_rounds.values_list("number", "labels", "rest_sum", "pool__number")),
    )


def arrived(campaign: Campaign, settings: Settings, path: Path, make: Factory) -> Campaign:
    """The campaign on an empty server, by its archive."""
    export_campaign(campaign, path)
    wipe(settings)
    make.make_user("zoe")  # so that numbers differ
    return import_campaign(path, {}).campaign


def test_reviews_arrive_with_their_collection_and_go_on(
    campaign: Campaign, settings: Settings, tmp_path: Path, make: Factory
) -> None:
    before, planned = known_of(campaign), plan_batch(review_of(campaign), 2)
    assert planned.model is not None
    campaign = arrived(campaign, settings, tmp_path / "tiny.zip", make)
    assert known_of(campaign) == before
    again = plan_batch(review_of(campaign), 2)
    assert again.model is not None
    assert again.model.rows.tolist() == planned.model.rows.tolist() and again.sample == planned.sample
    freeze_batches(campaign, {review_of(campaign).pk: 2}, make.make_user("carol"))
    assert review_of(campaign).rounds == 2
    assert_clean("tiny")


@pytest.fixture
def without(
    campaign: Campaign, settings: Settings, tmp_path: Path, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> tuple[Campaign, tuple[object, ...]]:
    """The campaign without its collection, which was too large, and what was known of the review before."""
    monkeypatch.setattr(ReviewCollection, "MOST_EXPORTED_BYTES", 100)
    before = known_of(campaign)
    return arrived(campaign, settings, tmp_path / "tiny.zip", make), before


def test_a_large_collection_is_left_out_and_the_archive_says_so(campaign: Campaign, tmp_path: Path) -> None:
    collection = campaign.review_collections.get()
    size = sum(default_storage.size(getattr(collection, name).name) for name in collection.checksums)
    path, said = tmp_path / "tiny.zip", StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ReviewCollection, "MOST_EXPORTED_BYTES", size - 1)
        call_command("export_campaign", "tiny", path, stdout=said)
    assert f"Collection 1: its files have {size:,} bytes and are left out" in said.getvalue()
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["left_out"] == [{"row": "Collection 1", "bytes": size}]
    assert not any(name.startswith("collections/") for name in manifest["files"])
    call_command("export_campaign", "tiny", tmp_path / "whole.zip", stdout=(whole := StringIO()))
    assert "left out" not in whole.getvalue()


def test_without_its_collection_a_review_states_the_same_and_waits(
    without: tuple[Campaign, tuple[object, ...]], make: Factory
) -> None:
    campaign, before = without
    assert known_of(campaign) == before
    carol, review = make.make_user("carol"), review_of(campaign)
    assert release_qrels(campaign, carol).manifest["selection"] == [before[1]]
    assert ready_reviews(campaign) == [] and freeze_batches(campaign, {review.pk: 2}, carol) is None
    assert enlarge_sample(review, carol, 2, drawn=5) == 2
    client = Client()
    client.force_login(carol)
    page = " ".join(markup(client.get("/campaigns/tiny/judging/high-recall/topics/1/")).split())
    assert "came in an archive without its documents" in page
    client.post("/campaigns/tiny/judging/high-recall/topics/1/next/", {"number": 2})
    assert campaign.jobs.count() == 0
    page = " ".join(markup(client.get("/campaigns/tiny/judging/high-recall/")).split())
    assert "load the same file again" in page and "<button>Begin reviews" not in page
    client.force_login(make.make_user("alice"))
    assert client.get("/campaigns/tiny/judge/topics/1/search/").status_code == 404
    assert_clean("tiny")


def test_the_same_documents_give_a_collection_its_files_back(
    without: tuple[Campaign, tuple[object, ...]], make: Factory
) -> None:
    campaign, _ = without
    client = Client()
    client.force_login(make.make_user("carol"))
    address = "/campaigns/tiny/judging/high-recall/collections/"
    client.post(
        address,
        {"file": SimpleUploadedFile("other.jsonl", LINES.encode() + b'\n{"docno": "X", "text": "keel"}')},
    )
    assert [each.has_files for each in campaign.review_collections.all()] == [False, True]
    client.post(address, {"file": SimpleUploadedFile("boats.jsonl", LINES.encode())})
    assert [each.has_files for each in campaign.review_collections.all()] == [True, True]
    review = review_of(campaign)
    freeze_batches(campaign, {review.pk: 2}, make.make_user("carol"))
    assert review_of(campaign).rounds == 2
    assert_clean("tiny")


def test_a_review_does_not_begin_over_a_collection_without_files(
    without: tuple[Campaign, tuple[object, ...]], make: Factory
) -> None:
    campaign, _ = without
    planned = PlannedReviews(
        campaign.review_collections.get(), [campaign.topics.get(number="2")], [], 2, 3, 7
    )
    with pytest.raises(ReviewRefused, match="not on this server"):
        begin_reviews(campaign, make.make_user("carol"), planned)


@pytest.mark.parametrize(
    ("field", "name", "message"),
    [
        ("weights", "runs/weights", "expected the file name collections/"),
        ("texts", "collections/../texts.jsonl", r"expected the file name collections/\[32"),
        ("weights", "", "expected all files, found none of weights"),
        ("checksums", "", "has another SHA-256|expected a row"),
    ],
)
def test_a_collection_that_does_not_fit_is_refused(
    campaign: Campaign, settings: Settings, tmp_path: Path, field: str, name: str, message: str
) -> None:
    path = tmp_path / "tiny.zip"
    export_campaign(campaign, path)
    wipe(settings)

    def spoil(tables: dict[str, list[dict[str, object]]], files: dict[str, bytes], about: object) -> None:
        row = tables["assess.ReviewCollection"][0]
        if not name:
            files.pop(str(row[field]), None)
        row[field] = name

    with pytest.raises(BadArchive, match=message):
        import_campaign(changed(path, spoil), {})
    assert not Campaign.objects.exists()
