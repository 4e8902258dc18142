"""The stopping rule of S-CAL: what it advises, and that it holds what it promises."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from django.test import Client

from assess.active_learning.queries.reviews import advisers_of, progress_of, strata_of
from assess.active_learning.ranking import batch_sizes
from assess.active_learning.scal import Strata, Stratum
from assess.active_learning.services.reviews import ReviewRefused, stop_review
from assess.active_learning.stopping import RandomSample
from assess.active_learning.strata_advice import advise_strata, share_in_batches
from pooling.models import Campaign
from tests.assess.active_learning.test_reviews import campaign as campaign
from tests.assess.active_learning.test_reviews import freeze_next, fresh, label, label_at_once
from tests.support.factory import Factory
from tests.support.markup import markup

BATCHES = Strata((Stratum(100, 20, 16), Stratum(200, 20, 2)))


def test_the_documents_in_no_batch_are_a_stratum_more() -> None:
    """Worked: 80 + 20 in the batches; of 1,000 others 310 are judged, 1 is relevant: 3.23 are estimated."""
    sample = RandomSample(400, 33, 90, 32)
    assert share_in_batches(BATCHES, 1300, sample).value == pytest.approx(100 / (100 + 1000 / 310))
    assert (
        advise_strata(BATCHES, 1300, sample, 0.8).stop and not advise_strata(BATCHES, 1300, sample, 0.95).stop
    )
    assert advise_strata(BATCHES, 300, None, 0.95).stop  # the batches hold the whole collection
    for strata, known, why in (
        (Strata(()), sample, "no batch is judged"),
        (BATCHES, None, "needs judged random documents"),
        (BATCHES, RandomSample(90, 32, 90, 32), "needs judged random documents"),
        (Strata((Stratum(300, 20, 0),)), RandomSample(310, 0, 0, 0), "no relevant document"),
    ):
        advice = advise_strata(strata, 1300, known, 0.8)
        assert not advice.stop and why in advice.because


def test_the_rule_holds_what_it_promises() -> None:
    """Where the true share is just below the target, it stops in 10 of 100 draws at most."""
    random = np.random.default_rng(5)
    sizes = list(islice(batch_sizes(), 25))
    relevant = [round(size * 0.8 * 0.85**place) for place, size in enumerate(sizes)]
    outside, hidden = 2_000, round(sum(relevant) / 3.9)  # a share of 0.796
    failures = 0
    for _ in range(1_000):
        strata = [
            Stratum(size, min(10, size), int(random.hypergeometric(hits, size - hits, min(10, size))))
            for size, hits in zip(sizes, relevant, strict=True)
        ]
        drawn = int(random.hypergeometric(hidden, outside - hidden, 500))
        sample = RandomSample(500, drawn, 0, 0)
        failures += advise_strata(Strata(tuple(strata)), sum(sizes) + outside, sample, 0.8).stop
    assert failures <= 100


def test_a_review_by_s_cal_is_stopped_by_its_rule(campaign: Campaign, make: Factory) -> None:
    review = make.make_review(campaign, judges=["alice"], first_batch=20, sample_size=60, cap=10)
    review.campaign = campaign
    carol = make.make_user("carol")
    label(campaign, make)
    client = Client()
    client.force_login(carol)
    place = "/campaigns/tiny/judging/high-recall/topics/1/"
    page = " ".join(markup(client.get(place)).split())
    assert "Strata 0.8" in page and "needs the whole random sample: " in page
    with pytest.raises(ReviewRefused, match="does not advise to stop now"):
        stop_review(fresh(review), carol, "qbcb", 0.8)
    while not any(each.advice.stop for each in advisers_of(review, progress_of(review))):
        assert freeze_next(review, make)
        label_at_once(review)
        review = fresh(review)
        review.campaign = campaign
    progress = progress_of(review)
    share = share_in_batches(strata_of(review).strata, 120, progress.sample)
    assert share.low is not None and share.low >= 0.8
    page = " ".join(
        markup(client.post(f"{place}stop/", {"rule": "strata 0.8", "confirmed": "yes"}, follow=True)).split()
    )
    stopped = fresh(review)
    assert (stopped.rule, stopped.target) == ("strata", 0.8)
    assert "0.8 of all relevant documents or more lie in the judged batches" in stopped.promise
    assert "lie in the judged batches, 90 % interval" in stopped.because and stopped.promise in page


def test_documents_aside_of_a_batch_without_labels_are_not_reached(campaign: Campaign, make: Factory) -> None:
    """They are in no judged batch yet, so the sample has them among the others."""
    review = make.make_review(campaign, judges=["alice"], first_batch=50, sample_size=120, cap=5)
    review.campaign = campaign
    assert progress_of(review).sample_at(0).reached == 0
    label_at_once(review)
    assert progress_of(review).sample.reached > 5
