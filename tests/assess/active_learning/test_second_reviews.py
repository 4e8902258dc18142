"""Another review of a topic after a stopped one: its labels are seeds, and both are stated."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client

from assess.active_learning.queries.releases import review_reasons, review_sample
from assess.active_learning.queries.reviews import pools_of, progress_of, why_not_discarded
from assess.active_learning.services.batches import freeze_batches
from assess.active_learning.services.reviews import (
    PlannedReviews,
    ReviewRefused,
    begin_reviews,
    discard_review,
    stop_review,
)
from assess.models import Review
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.assess.active_learning.test_reviews import RELEVANT, freeze_next, fresh, label, label_at_once
from tests.assess.active_learning.test_reviews import campaign as campaign
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/high-recall/"


def stopped(campaign: Campaign, make: Factory) -> Review:
    review = make.make_review(campaign, first_batch=15, sample_size=10)
    review.campaign = campaign
    label(campaign, make)
    stop_review(review, make.make_user("carol"), "", None)
    return review


def begun_again(campaign: Campaign, make: Factory, seed: int = 8) -> Review:
    carol, alice = make.make_user("carol"), make.make_user("alice")
    topics = [campaign.topics.get(number="1")]
    planned = PlannedReviews(campaign.review_collections.get(), topics, [alice], 5, 12, seed)
    (review,) = begin_reviews(campaign, carol, planned)
    freeze_batches(campaign, {review.pk: 1}, carol)
    found = fresh(review)
    found.campaign = campaign
    return found


def test_the_labels_of_the_first_review_are_seeds_of_the_second(campaign: Campaign, make: Factory) -> None:
    first = stopped(campaign, make)
    labelled = set(first.documents.values_list("row", flat=True))
    second = begun_again(campaign, make)
    seeds = set(second.documents.filter(round=0).values_list("row", flat=True))
    assert seeds == labelled and second.documents.filter(round=1).count() == 5
    progress = progress_of(second)
    assert progress.reviewed == len(seeds) and progress.found == sum(
        f"D{row:03}" in RELEVANT for row in seeds
    )
    call_command("audit", "tiny", stdout=None)


def test_one_review_of_a_topic_goes_on_and_no_seed_serves_twice(campaign: Campaign, make: Factory) -> None:
    make.make_review(campaign, first_batch=15, sample_size=10)
    with pytest.raises(ReviewRefused, match="There is a review of topic 1 that goes on"):
        begun_again(campaign, make)
    stop_review(fresh(Review.objects.get()), make.make_user("carol"), "", None)
    with pytest.raises(ReviewRefused, match="earlier review of topic 1 has this seed"):
        begun_again(campaign, make, seed=7)
    assert Review.objects.count() == 1


def test_a_second_review_can_be_discarded_and_leaves_the_first(campaign: Campaign, make: Factory) -> None:
    first = stopped(campaign, make)
    second = begun_again(campaign, make)
    assert why_not_discarded(second) == "" and not set(pools_of(second)) & set(pools_of(first))
    assert "documents of it are judged" in why_not_discarded(first)
    discard_review(second, make.make_user("carol"))
    assert Review.objects.get() == first and campaign.pools.count() == 1


def test_the_release_states_both_and_the_first_reason_counts(campaign: Campaign, make: Factory) -> None:
    first = stopped(campaign, make)
    before = dict(review_reasons(campaign, "1"))
    second = begun_again(campaign, make)
    label(campaign, make)
    (statement,) = release_qrels(campaign, make.make_user("carol")).manifest["selection"]
    (earlier,) = statement["earlier"]
    assert (earlier["seed"], statement["seed"]) == (first.seed, second.seed)
    assert earlier["stopped_at"] and not statement["stopped_at"]
    reasons = review_reasons(campaign, "1")
    assert {docno: reasons[docno] for docno in before} == before and len(reasons) > len(before)


def test_the_pages_of_a_topic_with_two_reviews(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    stopped(campaign, make)
    assert "begin another" in markup(client.get(f"{PAGE}topics/1/"))
    asked = {"collection": 1, "topics": "1", "judges": [make.make_user("alice").pk], "first_batch": 5}
    again = client.post(PAGE, asked | {"sample_size": 10, "seed": 7})
    assert "has this seed" in markup(again)
    client.post(PAGE, asked | {"sample_size": 10, "seed": 9})
    second = Review.objects.last()
    assert second and second.seed == 9
    second.campaign = campaign
    page = " ".join(markup(client.get(f"{PAGE}topics/1/")).split())
    assert "Earlier reviews of the topic" in page and "Next batch now" in page
    label_at_once(fresh(second))
    assert freeze_next(second, make) is not None
    lines = client.get(f"{PAGE}topics/1/tsv/").content.decode().splitlines()
    assert lines[0].endswith("\treview")
    assert {line.split("\t")[-1] for line in lines[1:]} == {"1", "2"}
    assert markup(client.get(PAGE)).count("topics/1/") == 2


def test_the_sample_of_the_first_review_stands_until_the_second_is_one(
    campaign: Campaign, make: Factory
) -> None:
    review = make.make_review(campaign, first_batch=15, sample_size=10)
    review.campaign = campaign
    label(campaign, make)
    stop_review(review, make.make_user("carol"), "", None)
    before = review_sample(campaign, "1")
    assert len(before) == 120 and sum(place.stratum == 1 for place in before.values()) == 15
    begun_again(campaign, make)
    assert review_sample(campaign, "1") == before


def test_all_topics_are_those_that_had_no_review(campaign: Campaign, make: Factory) -> None:
    """A topic that was stopped is reviewed again by those who name it, not by those who choose all."""
    stopped(campaign, make)
    carol, alice = Client(), make.make_user("alice")
    carol.force_login(make.make_user("carol"))
    asked = {"collection": 1, "judges": [alice.pk], "first_batch": 5, "sample_size": 12, "seed": 8}
    carol.post(PAGE, {**asked, "topics": "all"})
    assert list(Review.objects.values_list("topic__number", flat=True)) == ["1", "2"]
    page = markup(carol.post(PAGE, {**asked, "topics": "all"}))
    assert "Every topic had a review or has one: name those to review again." in page
    carol.post(PAGE, {**asked, "topics": "1"})
    assert list(Review.objects.values_list("topic__number", flat=True)) == ["1", "1", "2"]
