"""A random sample that is enlarged: the estimates stay unbiased, and the promise of two looks is kept."""

from __future__ import annotations

import numpy as np
import pytest
from django.test import Client

from assess.active_learning.batches import sample_rows
from assess.active_learning.progress import ReviewProgress, ReviewRow, title_of
from assess.active_learning.queries.reviews import progress_of
from assess.active_learning.services.batches import freeze_batches
from assess.active_learning.services.reviews import ReviewRefused, enlarge_sample, stop_review
from assess.active_learning.simulation import KnownSample, first_stops
from assess.models import LabelSummary, Review
from pooling.arrays import Flags
from pooling.models import Campaign
from tests.assess.active_learning.labelled_texts import review_of
from tests.support.factory import Factory
from tests.support.markup import markup

DOCUMENTS, RELEVANT, REACHED = 500, 80, 150
PAGE = "/campaigns/tiny/judging/high-recall/topics/1/"


def labels_in_order(seed: int) -> Flags:
    """Return labels in an order that finds relevant documents earlier, as a model does."""
    random = np.random.default_rng([seed, 42])
    labels = np.zeros(DOCUMENTS, dtype=bool)
    labels[:RELEVANT] = True
    return labels[np.argsort(-(random.normal(size=DOCUMENTS) + 1.5 * labels))]


def test_estimates_of_an_enlarged_sample_are_unbiased_and_their_intervals_hold() -> None:
    """The sample of 50 is enlarged to 120 after the model has reached documents, many of them relevant."""
    labels = labels_in_order(1)
    recall = labels[:REACHED].sum() / RELEVANT
    recalls, totals, held = [], [], []
    for seed in range(1_000):
        sample = sample_rows(seed, DOCUMENTS, 120)
        assert sample[:50].tolist() == sample_rows(seed, DOCUMENTS, 50).tolist()
        drawn = set(sample.tolist())
        rows = [
            ReviewRow(row, row + 1 if row < REACHED else None, 1 if row < REACHED else None, bool(label))
            for row, label in enumerate(labels)
            if row < REACHED or row in drawn
        ]
        found = ReviewProgress(rows, DOCUMENTS, sample, {}, looks=2)
        estimate, (value, low, high, _) = found.recall, found.relevant
        assert estimate.value is not None and estimate.low is not None and estimate.high is not None
        assert value is not None and low is not None and high is not None
        recalls.append(estimate.value)
        totals.append(found.sample.relevant * DOCUMENTS / found.sample.size)
        held.append((estimate.low <= recall <= estimate.high, low <= RELEVANT <= high))
    for values, truth in ((recalls, recall), (totals, RELEVANT)):
        assert abs(np.mean(values) - truth) < 3 * np.std(values) / np.sqrt(len(values))
    assert (np.mean(held, axis=0) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 1_000)).all()


def test_qbcb_at_two_sizes_of_a_sample_fails_in_at_most_10_of_100_reviews() -> None:
    """The sample is enlarged exactly where the rule has not stopped before 400 documents."""
    failures = looked_again = 0
    for seed in range(300):
        labels, order = labels_in_order(seed), sample_rows(seed, DOCUMENTS, 250)
        for size in (100, 250):
            sample = KnownSample(order[:size], labels[order[:size]])
            stop = first_stops(review_of(labels), DOCUMENTS, sample, 0.8, ["qbcb"])["qbcb"]
            if stop.has_stopped and stop.reviewed < 400:
                break
            looked_again += size == 100
        failures += stop.found < 0.8 * RELEVANT
    assert looked_again > 20
    assert 0 < failures <= 0.1 * 300


def test_a_promise_says_what_two_looks_cost() -> None:
    assert title_of("qbcb", 0.8, 2)[1] == (
        "recall at least 0.8 in 90 of 100 samples, however often one looks"
    )
    assert title_of("target", 0.7, 3)[1] == "recall at least 0.7 with 85 % confidence"
    assert title_of("knee", 0.7, 3) == title_of("knee", 0.7)


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail and mast")
    return campaign


def label_all(review: Review) -> None:
    for pooled in review.topic.pooled.all():
        summary = {"campaign": review.campaign, "graders": 1, "lowest": 0, "highest": 0}
        LabelSummary.objects.update_or_create(pooled=pooled, defaults=summary)


def fresh(review: Review) -> Review:
    return Review.objects.select_related("topic", "collection", "campaign").get(pk=review.pk)


def test_more_random_documents_come_with_the_next_batch(campaign: Campaign, make: Factory) -> None:
    review, carol = make.make_review(campaign, sample_size=2), make.make_user("carol")
    assert enlarge_sample(review, carol, 1, 2) == 1
    assert fresh(review).sample_looks == 1  # nothing was known of the sample
    label_all(review)
    assert enlarge_sample(review, carol, 3, 3) == 3
    assert (fresh(review).sample_size, fresh(review).sample_looks) == (6, 2)
    freeze_batches(campaign, {review.pk: 2}, carol)
    freeze_batches(campaign, {review.pk: 3}, carol)
    rows = set(fresh(review).documents.values_list("row", flat=True))
    assert set(sample_rows(7, 12, 6).tolist()) <= rows
    label_all(review)
    progress = progress_of(fresh(review))
    assert progress.is_sample_complete and progress.sample.size == 6
    last = campaign.audit_log.get(verb="enlarged a random sample", details__sample=6)
    assert last.sentence == "Topic 1: 3 documents, 6 in all" and last.details["seed"] == 7


def test_a_sample_is_not_enlarged_twice_nor_without_end(campaign: Campaign, make: Factory) -> None:
    review, carol = make.make_review(campaign, sample_size=2), make.make_user("carol")
    label_all(review)
    enlarge_sample(review, carol, 1, 2)
    with pytest.raises(ReviewRefused, match="enlarged in the meantime, to 3 documents"):
        enlarge_sample(review, carol, 1, 2)
    for drawn in (3, 4):
        enlarge_sample(review, carol, 1, drawn)
    with pytest.raises(ReviewRefused, match="enlarged 3 times after labels were known"):
        enlarge_sample(review, carol, 1, 5)
    Review.objects.update(sample_looks=1)
    assert enlarge_sample(review, carol, 99, 5) == 7
    with pytest.raises(ReviewRefused, match="every document"):
        enlarge_sample(review, carol, 1, 12)
    stop_review(fresh(review), carol, "", None)
    with pytest.raises(ReviewRefused, match="stopped"):
        enlarge_sample(review, carol, 1, 12)


def test_the_page_draws_more_once(campaign: Campaign, make: Factory) -> None:
    make.make_review(campaign)
    client = Client()
    client.force_login(make.make_user("carol"))

    def said(**posted: str) -> str:
        return " ".join(markup(client.post(f"{PAGE}sample/", posted, follow=True)).split())

    assert "Draw more random documents" in markup(client.get(PAGE))
    assert "2 random documents drawn." in said(documents="2", drawn="3")
    assert "enlarged in the meantime, to 5 documents" in said(documents="2", drawn="3")
    assert "greater than or equal to 1" in said(documents="0", drawn="5")
    assert "7 random documents drawn." in said(documents="99", drawn="5")
    assert "Draw more random documents" not in markup(client.get(PAGE))
    assert Review.objects.get().sample_size == 12
