"""What a stopped review leaves without a label is given to nobody, unless another review asks for it."""

from __future__ import annotations

from django.test import Client

from assess.active_learning.queries.reviews import progress_of
from assess.active_learning.services.reviews import PlannedReviews, begin_reviews, stop_review
from assess.models import QueueEntry, Review
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from assess.services.queues import next_documents
from pooling.models import Campaign
from tests.assess.active_learning.test_reviews import begun, freeze_next, fresh, label
from tests.assess.active_learning.test_reviews import campaign as campaign
from tests.support.factory import Factory
from tests.support.markup import markup


def open_documents(campaign: Campaign, make: Factory, name: str = "alice") -> list[str]:
    topic = campaign.topics.get(number="1")
    return [entry.pooled.docno for entry in next_documents(make.make_user(name), topic, want=100)]


def left_and_unassigned(campaign: Campaign) -> tuple[int, int]:
    grid = progress_grid(CampaignReads(campaign))
    return grid.of("left"), grid.unassigned


def test_a_stop_takes_the_unlabelled_documents_from_judges(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    label(campaign, make)
    assert freeze_next(review, make)
    waiting = open_documents(campaign, make)
    assert progress_of(fresh(review)).ahead == 0
    chosen = review.documents.filter(round=2).values_list("pooled__docno", flat=True)
    label(campaign, make, [next(docno for docno in waiting if docno in chosen)])
    waiting = open_documents(campaign, make)
    progress = progress_of(fresh(review))
    assert progress.ahead == 1
    assert progress.judged == progress.reviewed + progress.by_sample_only + progress.ahead
    assert waiting and left_and_unassigned(campaign)[0] == len(waiting)
    labelled = QueueEntry.objects.filter(state=QueueEntry.State.DONE).count()
    stop_review(fresh(review), make.make_user("carol"), "", None)
    assert open_documents(campaign, make) == open_documents(campaign, make, "bob") == []
    assert not QueueEntry.objects.filter(state=QueueEntry.State.OPEN).exists()
    assert QueueEntry.objects.filter(state=QueueEntry.State.DONE).count() == labelled
    assert left_and_unassigned(campaign) == (0, 0)  # nothing waits for the organiser either
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get("/campaigns/tiny/judging/high-recall/topics/1/"))
    assert "given to judges and not" in " ".join(page.split())


def test_a_label_of_a_document_on_the_screen_counts_after_the_stop(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    docno = open_documents(campaign, make)[0]
    stop_review(review, make.make_user("carol"), "", None)
    make.make_judgment(campaign, "alice", "1", docno, 3)
    assert Review.objects.get().documents.get(pooled__docno=docno).pooled.judgments.count() == 1


def test_the_next_review_of_the_topic_gives_them_to_judges(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    before = set(open_documents(campaign, make))
    stop_review(review, make.make_user("carol"), "", None)
    assert open_documents(campaign, make) == []
    judges = [make.make_user("alice"), make.make_user("bob")]
    plan = PlannedReviews(review.collection, [review.topic], judges, first_batch=5, sample_size=60, seed=8)
    (second,) = begin_reviews(campaign, make.make_user("carol"), plan)
    assert freeze_next(second, make)
    chosen = set(second.documents.values_list("pooled__docno", flat=True))
    assert set(open_documents(campaign, make)) == chosen
    assert before & chosen  # some are of the first review; the others of it are left out
    assert before - chosen
