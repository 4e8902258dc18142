"""Reviews without labels are discarded, and collections that no review uses are removed."""

from __future__ import annotations

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client

from assess.active_learning import tasks
from assess.active_learning.collection_files import FILES
from assess.active_learning.queries.reviews import progress_of
from assess.active_learning.services.batches import freeze_batches
from assess.active_learning.services.collections import RemovalRefused, remove_collection
from assess.active_learning.services.reviews import (
    PlannedReviews,
    ReviewRefused,
    begin_reviews,
    discard_review,
)
from assess.models import Assignment, QueueEntry, Review, ReviewCollection, ReviewSimulation
from assess.services.assignments import assign
from assess.services.pools import DiscardRefused, discard_pool
from assess.services.queues import next_documents
from pooling.models import Campaign, Job, Pool
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/high-recall/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail and mast")
    make.make_topic(campaign, "2", "flour and oven")
    return campaign


def two_reviews(campaign: Campaign, make: Factory) -> list[Review]:
    """Reviews of both topics, with one pool."""
    people, carol = [make.make_user("alice")], make.make_user("carol")
    planned = PlannedReviews(make.make_collection(campaign), list(campaign.topics.all()), people, 2, 3, 7)
    reviews = begin_reviews(campaign, carol, planned)
    freeze_batches(campaign, {review.pk: 1 for review in reviews}, carol)
    return list(Review.objects.select_related("topic", "collection", "campaign"))


def test_a_pool_of_a_review_is_not_discarded_without_it(campaign: Campaign, make: Factory) -> None:
    make.make_review(campaign)
    with pytest.raises(DiscardRefused, match=r"belong to other work \(Review of topic 1: "):
        discard_pool(campaign, 1, make.make_user("carol"))
    assert Pool.objects.exists()


def test_a_review_is_discarded_with_its_pool_and_can_be_begun_again(
    campaign: Campaign, make: Factory
) -> None:
    review, carol = make.make_review(campaign), make.make_user("carol")
    next_documents(make.make_user("alice"), review.topic, want=3)
    assert discard_review(review, carol) == 4
    assert not Review.objects.exists() and not Pool.objects.exists()
    assert not QueueEntry.objects.exists() and not Assignment.objects.exists()
    verbs = list(campaign.audit_log.order_by("-number").values_list("verb", flat=True)[:2])
    assert verbs == ["discarded a pool", "discarded a review"]
    with pytest.raises(ReviewRefused, match="discarded already"):
        discard_review(Review(pk=0, campaign=campaign, topic=review.topic), carol)
    again = make.make_review(campaign)
    assert len(next_documents(make.make_user("alice"), again.topic, want=9)) == 4
    call_command("audit", campaign.slug)


def test_a_pool_of_two_reviews_stays_and_its_documents_come_back_with_the_next_review(
    campaign: Campaign, make: Factory
) -> None:
    first, second = two_reviews(campaign, make)
    alice, carol = make.make_user("alice"), make.make_user("carol")
    given = {entry.pooled.docno for entry in next_documents(alice, first.topic, want=9)}
    discard_review(first, carol)
    assert Pool.objects.get().documents.filter(topic=first.topic).count() == len(given)
    assert not next_documents(alice, first.topic, want=9)
    assert next_documents(alice, second.topic, want=9)
    again = make.make_review(campaign, "1", judges=["alice"])  # the same seed, so the same documents
    assert Pool.objects.count() == 1
    assert {entry.pooled.docno for entry in next_documents(alice, first.topic, want=9)} == given
    make.make_judgment(campaign, "alice", "1", min(given), 3)
    with pytest.raises(ReviewRefused, match="documents of it are judged. Every label stays. Stop it instead"):
        discard_review(Review.objects.select_related("topic", "campaign").get(pk=again.pk), carol)
    discard_review(second, carol)
    assert Pool.objects.count() == 1  # with a label
    call_command("audit", campaign.slug)


def test_labels_from_before_the_review_do_not_prevent_it(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 1\n1 C00 0\n")
    make.make_pool(campaign)
    assign([make.make_user("alice")], [campaign.topics.get(number="1")])
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    review = make.make_review(campaign)
    assert progress_of(review).labels[:1] == [True]
    discard_review(review, make.make_user("carol"))
    assert campaign.pools.count() == 1 and not Review.objects.exists()


def test_a_batch_in_training_is_not_frozen_for_a_discarded_review(campaign: Campaign, make: Factory) -> None:
    review, carol = make.make_review(campaign), make.make_user("carol")
    key = review.pk
    discard_review(review, carol)
    assert freeze_batches(campaign, {key: 2}, carol) is None


def test_a_collection_is_removed_with_its_files(campaign: Campaign, make: Factory) -> None:
    review, carol = make.make_review(campaign), make.make_user("carol")
    collection = review.collection
    with pytest.raises(RemovalRefused, match="the review of topic 1 uses it"):
        remove_collection(collection, carol)
    discard_review(review, carol)
    about = {"collection": 1, "sample_size": 3, "seed": 7}
    job = make.make_job(campaign, task=tasks.simulate_reviews.module_path, arguments=about)
    with pytest.raises(RemovalRefused, match="Cancel that job first"):
        remove_collection(collection, carol)
    Job.objects.filter(pk=job.pk).update(state=Job.State.CANCELLED)
    ReviewSimulation.objects.create(
        campaign=campaign, collection=collection, sample_size=1, seed=7, topics={}, costs=[], made_by=carol
    )
    names = [getattr(collection, name).name for name in FILES]
    assert all(map(default_storage.exists, names))
    remove_collection(collection, carol)
    assert not any(map(default_storage.exists, names))
    assert not ReviewCollection.objects.exists() and not ReviewSimulation.objects.exists()
    last = campaign.audit_log.order_by("-number")[0]
    assert (last.verb, last.sentence) == (
        "removed a collection",
        "Collection 1: 12 documents from boats.jsonl",
    )


def test_a_review_begun_while_its_collection_is_removed_is_refused(campaign: Campaign, make: Factory) -> None:
    collection, carol = make.make_collection(campaign), make.make_user("carol")
    planned = PlannedReviews(collection, list(campaign.topics.all()), [make.make_user("alice")], 2, 3, 7)
    remove_collection(ReviewCollection.objects.get(), carol)
    with pytest.raises(ReviewRefused, match="Collection 1 was removed in the meantime"):
        begin_reviews(campaign, carol, planned)


def test_pages_ask_before_they_discard_and_remove(campaign: Campaign, make: Factory) -> None:
    make.make_review(campaign)
    client = Client()
    client.force_login(make.make_user("carol"))

    def said(address: str, **posted: str) -> str:
        return " ".join(markup(client.post(address, posted, follow=True)).split())

    discard, remove = f"{PAGE}topics/1/discard/", f"{PAGE}collections/1/remove/"
    assert "Discard this review" in markup(client.get(f"{PAGE}topics/1/"))
    assert "the review of topic 1 uses it" in said(remove)
    assert "Discard the review of topic 1?" in said(discard) and Review.objects.exists()
    assert "The topic can be reviewed again." in said(discard, confirmed="yes")
    assert client.post(discard, {"confirmed": "yes"}).status_code == 404
    assert 'aria-label="Remove Collection 1"' in markup(client.get(PAGE))
    assert "Remove collection 1?" in said(remove) and ReviewCollection.objects.exists()
    assert "Removed: Collection 1." in said(remove, confirmed="yes")
    assert client.post(remove, {"confirmed": "yes"}).status_code == 404


def test_a_review_with_labels_offers_no_discarding(campaign: Campaign, make: Factory) -> None:
    review = make.make_review(campaign, judges=["alice"])
    docno = next_documents(make.make_user("alice"), review.topic, want=1)[0].pooled.docno
    make.make_judgment(campaign, "alice", "1", docno, 3)
    client = Client()
    client.force_login(make.make_user("carol"))
    assert "Discard this review" not in markup(client.get(f"{PAGE}topics/1/"))
    assert "Every label stays" in markup(client.post(f"{PAGE}topics/1/discard/", follow=True))
    assert Review.objects.exists()
