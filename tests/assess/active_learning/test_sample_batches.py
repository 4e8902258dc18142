"""A batch of random documents only: the rest of the sample at once, and then the model waits."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from assess.active_learning.batches import sample_rows
from assess.active_learning.queries.releases import review_sample, review_statement
from assess.active_learning.queries.reviews import progress_of, ready_reviews, reviews_of
from assess.active_learning.queries.searches import topics_to_go_on
from assess.active_learning.services.batches import NOTHING_TO_FREEZE, freeze_batches
from assess.active_learning.services.reviews import advisers_that_stop, start_ready_batches
from assess.models import Review, ReviewRound
from pooling.models import Campaign
from tests.assess.active_learning.test_reviews import begun, freeze_next, fresh, label, label_at_once
from tests.assess.active_learning.test_reviews import campaign as campaign
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/high-recall/topics/1/"
LIST = "/campaigns/tiny/judging/high-recall/"


def give_sample(review: Review, make: Factory, number: int = 2) -> None:
    freeze_batches(review.campaign, {review.pk: number}, make.make_user("carol"), is_sample_only=True)


def chosen_of(campaign: Campaign) -> int:
    review: Any = reviews_of(campaign).get()
    return int(review.chosen)


def test_judges_get_the_rest_of_the_sample_and_nothing_of_the_model(
    campaign: Campaign, make: Factory
) -> None:
    review = begun(campaign, make)
    label(campaign, make)
    reached = progress_of(fresh(review)).reviewed
    left = progress_of(fresh(review)).sample_left
    assert 0 < left < 20
    give_sample(review, make)
    rows = review.documents.filter(sample_round=2)
    assert rows.count() == left and not rows.exclude(place=None).exists()
    assert set(sample_rows(7, 120, 20).tolist()) <= set(review.documents.values_list("row", flat=True))
    assert progress_of(fresh(review)).sample_left == 0
    counted: Any = reviews_of(campaign).get()
    assert (counted.given - counted.done, counted.open) == (left, left)  # though the model chose none of them
    label(campaign, make)  # by the judges' own queues
    progress = progress_of(fresh(review))
    assert progress.is_sample_complete and progress.reviewed == reached == 5 and not progress.waiting
    says = {each.title: each.advice.because for each in progress.advisers()}
    assert "random documents that are left" in says["CHM 0.8"]


def test_no_batch_comes_by_itself_until_the_organiser_asks(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    label_at_once(review)
    assert ready_reviews(campaign) == [review]
    assert topics_to_go_on(make.make_user("alice"), campaign) == ["1"]
    give_sample(review, make)
    label_at_once(review)
    assert ready_reviews(campaign) == [] == list(start_ready_batches())
    assert topics_to_go_on(make.make_user("alice"), campaign) == []
    assert chosen_of(campaign) == 0
    assert freeze_next(review, make)
    assert chosen_of(campaign) == 6  # a tenth more than the 5 before, as without the sample
    label_at_once(review)
    assert ready_reviews(campaign) == [review]


def test_a_batch_without_a_document_is_not_stored(campaign: Campaign, make: Factory) -> None:
    review, carol, said = begun(campaign, make), make.make_user("carol"), list[str]()
    give_sample(review, make)
    again = freeze_batches(campaign, {review.pk: 3}, carol, stored=said.append, is_sample_only=True)
    assert again is None and said == [NOTHING_TO_FREEZE]
    assert fresh(review).rounds == 2 == ReviewRound.objects.count()


def test_where_every_document_has_a_label_nothing_waits(campaign: Campaign, make: Factory) -> None:
    review, client = begun(campaign, make, first_batch=200), Client()
    client.force_login(make.make_user("carol"))
    label_at_once(review)
    Review.objects.update(rounds=0, batch=0)  # as if all labels were there before
    review.documents.all().delete()
    review.frozen_rounds.all().delete()
    freeze_next(review, make)
    assert fresh(review).rounds == 1 and chosen_of(campaign) == 0
    assert "the model waits" not in markup(client.get(PAGE))
    assert "only random documents" not in markup(client.get(LIST))


def test_the_strata_of_scal_are_numbered_without_a_gap(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make, first_batch=8, sample_size=30, cap=4)
    review.campaign = campaign
    label_at_once(review)
    give_sample(review, make)
    label_at_once(review)
    freeze_next(review, make)
    label_at_once(review)
    strata = review_statement(campaign, "1")["strata"]
    sample = review_sample(campaign, "1")
    assert [each["documents"] for each in strata] == [8, 9]
    for number, each in enumerate(strata, start=1):
        assert sum(place.stratum == number for place in sample.values()) == each["documents"]


def test_the_button_gives_them_once(campaign: Campaign, make: Factory) -> None:
    review, client = begun(campaign, make), Client()
    client.force_login(make.make_user("carol"))
    left = progress_of(fresh(review)).sample_left
    assert f"Only the {left} random documents left" in " ".join(markup(client.get(PAGE)).split())
    for _ in range(2):
        client.post(f"{PAGE}next/", {"number": 2, "is_sample_only": "yes"})
    assert fresh(review).rounds == 2 and review.documents.filter(sample_round=2).count() == left
    page = " ".join(markup(client.get(PAGE)).split())
    assert "the model waits until you ask for the next batch" in page and "random documents left" not in page
    assert "only random documents; ask for the next batch, or stop" in markup(client.get(LIST))
    client.post(f"{PAGE}next/", {"number": 3})
    assert "the model waits" not in markup(client.get(PAGE)) and fresh(review).rounds == 3


def test_a_stop_by_a_rule_that_may_be_asked_once_says_so(campaign: Campaign, make: Factory) -> None:
    review, client = begun(campaign, make, sample_size=100), Client()
    client.force_login(make.make_user("carol"))
    give_sample(review, make)
    label_at_once(review)
    while "CHM 0.8" not in {each.title for each in advisers_that_stop(fresh(review))}:
        assert freeze_next(review, make)
        label_at_once(review)
    page = " ".join(markup(client.post(f"{PAGE}stop/", {"rule": "chm 0.8"})).split())
    assert "This promise holds if you asked the rule once for each size" in page
    none = markup(client.post(f"{PAGE}stop/", {"rule": ""}))
    assert "Labelled relevant in all" in none and "This promise holds" not in none


def test_the_api_gives_them(campaign: Campaign, make: Factory) -> None:
    review, client = begun(campaign, make), client_of(make, "carol")
    body = json.dumps({"number": 2, "is_sample_only": True})
    answer = client.post("/api/campaigns/tiny/reviews/1/batches/", body, content_type="application/json")
    assert answer.status_code == 202
    assert progress_of(fresh(review)).sample_left == 0
