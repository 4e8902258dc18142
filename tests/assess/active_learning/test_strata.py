"""Reviews by S-CAL: of each batch a random part is judged, the rest is set aside and estimated."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

import jurypool as jp
from assess.active_learning.queries.releases import review_sample, review_statement
from assess.active_learning.queries.reviews import progress_of, ready_reviews, rounds_aside, strata_of
from assess.active_learning.scal import (
    Strata,
    StrataSummary,
    Stratum,
    limits_of_share,
    limits_of_sum,
)
from assess.active_learning.services.batches import freeze_batches
from assess.models import QueueEntry, Review, ReviewRound
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.assess.active_learning.test_reviews import (
    RELEVANT,
    TEXTS,
    freeze_next,
    fresh,
    label,
    label_at_once,
)
from tests.assess.active_learning.test_reviews import campaign as campaign
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/high-recall/"


def judged_to_the_end(campaign: Campaign, make: Factory, **asked: object) -> Review:
    """A review by S-CAL, with at most 4 judged of a batch, whose batches hold the whole collection."""
    plan = {"judges": ["alice"], "first_batch": 4, "sample_size": 10, "cap": 4} | asked
    review = make.make_review(campaign, **plan)  # type: ignore[arg-type]
    review.campaign = campaign
    label_at_once(review)
    while review in ready_reviews(campaign):
        assert freeze_next(review, make)
        label_at_once(review)
    found = fresh(review)
    found.campaign = campaign
    return found


def test_the_batches_hold_the_collection_and_a_part_of_each_is_judged(
    campaign: Campaign, make: Factory
) -> None:
    review = judged_to_the_end(campaign, make)
    summary = strata_of(review)
    strata = summary.strata.strata
    sizes = [stratum.size for stratum in strata]
    assert sizes[:9] == [4, 5, 6, 7, 8, 9, 10, 11, 13] and sum(sizes) == 120 and summary.is_complete
    assert [stratum.judged for stratum in strata] == [4] * len(strata)
    aside = list(rounds_aside(review))
    placed = set(review.documents.exclude(place=None).values_list("pooled__docno", flat=True))
    assert len(aside) == len(set(aside)) == 120 - len(placed) and not placed & set(aside)
    assert summary.strata.total == pytest.approx(sum(each.relevant * each.size / 4 for each in strata))
    low, high = summary.strata.relevant.low, summary.strata.relevant.high
    assert low is not None and high is not None and low <= len(RELEVANT) <= high
    ends = [row.end for row in summary.rows]
    assert ends == np.cumsum(sizes).tolist()
    recalls = [row.recall for row in summary.rows]
    assert all(a.value <= b.value for a, b in pairwise(recalls)) and recalls[-1][:3] == (1, 1, 1)  # type: ignore[operator]
    assert freeze_next(review, make) is None or ReviewRound.objects.last().aside == []  # type: ignore[union-attr]


def test_judges_get_what_is_drawn_and_the_random_sample_and_nothing_else(
    campaign: Campaign, make: Factory
) -> None:
    review = make.make_review(campaign, judges=["alice"], first_batch=10, sample_size=6, cap=3)
    assert review.documents.exclude(place=None).count() == 3
    aside = list(rounds_aside(review))
    assert len(aside) == 7 and fresh(review).batch == 10
    assert (
        campaign.pools.get().manifest["reviews"][0] | {"cap": 3, "aside": 7}
        == campaign.pools.get().manifest["reviews"][0]
    )
    pooled = set(campaign.pools.get().documents.values_list("docno", flat=True))
    drawn = set(review.documents.filter(place=None).values_list("pooled__docno", flat=True))
    assert len(pooled) == 3 + len(drawn) and set(aside) & pooled <= drawn  # control documents may be aside
    assert not QueueEntry.objects.filter(pooled__docno__in=set(aside) - drawn).exists()


def test_the_same_seed_draws_the_same_documents(campaign: Campaign, make: Factory) -> None:
    review = make.make_review(campaign, judges=["alice"], first_batch=10, sample_size=0, cap=3)
    rows = set(review.documents.values_list("row", flat=True))
    number = ReviewRound.objects.get().number
    again = Review.objects.get()
    again.campaign = campaign
    ReviewRound.objects.all().delete()
    again.documents.all().delete()
    Review.objects.update(rounds=0, batch=0)
    freeze_batches(campaign, {again.pk: number}, make.make_user("carol"))
    assert set(again.documents.values_list("row", flat=True)) == rows


def test_a_batch_waits_for_its_drawn_documents_alone(campaign: Campaign, make: Factory) -> None:
    review = make.make_review(campaign, judges=["alice"], first_batch=50, sample_size=0, cap=5)
    assert ready_reviews(campaign) == []
    label_at_once(review)
    assert ready_reviews(campaign) == [review]


def test_the_release_states_recall_with_strata_and_has_the_sample(campaign: Campaign, make: Factory) -> None:
    review = make.make_review(campaign, first_batch=20, sample_size=10, cap=4)
    review.campaign = campaign
    label(campaign, make)
    while review in ready_reviews(campaign):
        freeze_next(review, make)
        label(campaign, make)
    release = release_qrels(campaign, make.make_user("carol"))
    (statement,) = release.manifest["selection"]
    assert statement == json.loads(json.dumps(review_statement(campaign, "1")))
    assert statement["method"] == "scalable continuous active learning" and statement["cap"] == 4
    assert sum(each["documents"] for each in statement["strata"]) == 120
    recall = statement["recall"]
    assert recall["confidence"] == 0.9 and recall["low"] <= recall["value"] <= recall["high"]
    assert "Recall of the labels" in statement["sentence"]
    with release.files.get(kind="prels-0").file.open("rb") as file:
        lines = [line.split() for line in file.read().decode().splitlines()]
    assert len(lines) == 120
    judged = [line for line in lines if line[4] != "-1"]
    strata = statement["strata"]
    assert len(judged) == sum(each["judged"] for each in strata)
    for number, each in enumerate(strata, start=1):
        assert sum(line[3] == str(number) for line in lines) == each["documents"]
    call_command("audit", "tiny", stdout=None)


def test_a_review_by_cal_with_its_random_sample_is_a_sample_of_two_strata(
    campaign: Campaign, make: Factory
) -> None:
    review = make.make_review(campaign, judges=["alice"], first_batch=12, sample_size=8)
    review.campaign = campaign
    assert review_sample(campaign, "1") == {}
    label_at_once(review)
    sample = review_sample(campaign, "1")
    assert progress_of(review).is_sample_complete and len(sample) == len(TEXTS)
    chosen = set(review.documents.exclude(place=None).values_list("pooled__docno", flat=True))
    assert {docno for docno, place in sample.items() if place.stratum == 1} == chosen
    others = set(review.documents.filter(place=None).values_list("pooled__docno", flat=True))
    assert {docno for docno, place in sample.items() if place == (2, True)} == others


def test_the_pages_of_a_review_by_scal(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    asked = {"collection": 1, "topics": "1", "judges": [make.make_user("alice").pk], "cap": 4}
    asked |= {"first_batch": 8, "sample_size": 10, "seed": 7}
    client.post(PAGE, asked)
    review = Review.objects.select_related("topic", "collection").get()
    assert review.cap == 4
    review.campaign = campaign
    page = " ".join(markup(client.get(f"{PAGE}topics/1/")).split())
    assert "at most 4 random documents" in page and "No batch is judged" in page
    label_at_once(review)
    page = " ".join(markup(client.get(f"{PAGE}topics/1/")).split())
    assert "the judged batches hold 8 of 120 documents" in page and "Strata of the review" in page
    assert "Strata 0.8" in page and "QBCB" not in page and "<polyline" not in page
    while review in ready_reviews(campaign):
        freeze_next(review, make)
        label_at_once(review)
    page = " ".join(markup(client.get(f"{PAGE}topics/1/")).split())
    assert "Recall of the labels" in page and "is reached after" in page
    stopped = client.post(f"{PAGE}topics/1/stop/", {"rule": "", "confirmed": "yes"}, follow=True)
    assert "stopped without a rule" in markup(stopped)


def test_limits_of_worked_strata() -> None:
    """127 documents, 10 judged, 4 relevant: the estimate of the reference, and exact limits."""
    one = limits_of_sum([Stratum(127, 10, 4)])
    assert one == (50.8, 17, 92, "")
    whole = limits_of_sum([Stratum(30, 30, 20)])
    assert whole[:3] == (20, 20, 20)
    both = limits_of_sum([Stratum(30, 30, 20), Stratum(127, 10, 4)])
    assert both[:3] == pytest.approx((70.8, 37, 112))
    share = limits_of_share([Stratum(30, 30, 20)], [Stratum(127, 10, 4)])
    assert share[:3] == pytest.approx((20 / 70.8, 20 / 112, 20 / 37), abs=1e-6)
    assert StrataSummary(Strata(()), 10, 0, 1).strata.relevant.reason == "no batch is judged"


def test_the_interval_holds_what_it_claims() -> None:
    """A review of 10 batches of falling richness, 10 judged of each: 90 of 100 intervals hold the truth."""
    random = np.random.default_rng(5)
    batches = [
        (20, 18),
        (26, 20),
        (34, 20),
        (45, 18),
        (58, 12),
        (76, 8),
        (98, 5),
        (128, 3),
        (166, 2),
        (217, 0),
    ]
    truth, held, share_held, count = sum(relevant for _, relevant in batches), 0, 0, 400
    for _ in range(count):
        strata = Strata(
            tuple(Stratum(size, 10, int(random.hypergeometric(r, size - r, 10))) for size, r in batches)
        )
        relevant, recall = strata.relevant, strata.recall_at(5)
        assert relevant.low is not None and relevant.high is not None
        held += relevant.low <= truth <= relevant.high
        assert recall.low is not None and recall.high is not None
        share_held += recall.low <= 88 / truth <= recall.high
    assert held / count >= 0.9 and share_held / count >= 0.9


def test_measures_of_sampled_judgments_read_the_sample(campaign: Campaign, make: Factory) -> None:
    """A run with the relevant documents first is perfect where all others are labelled."""
    make.make_review(campaign, first_batch=120, sample_size=5)
    label(campaign, make)
    release = release_qrels(campaign, make.make_user("carol"))
    ranked = sorted(TEXTS, key=lambda docno: docno not in RELEVANT)
    run = {"1": {docno: 1.0 / place for place, docno in enumerate(ranked, start=1)}}
    with release.files.get(kind="prels-0").file.open("rb") as file:
        path = Path(settings.MEDIA_ROOT, "v1-prels-0.prels")
        path.write_bytes(file.read())
    scores = jp.evaluate(run, path, ["xinfAP"])
    assert scores.means["xinfAP"] == pytest.approx(1, abs=1e-4)
