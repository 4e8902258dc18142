"""Begin reviews, start their next batches, stop them, and discard those without labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.active_learning import tasks
from assess.active_learning.progress import Adviser
from assess.active_learning.queries.reviews import (
    advisers_of,
    pools_of,
    progress_of,
    ready_reviews,
    why_not_discarded,
)
from assess.active_learning.queries.withheld import withheld_after_stop
from assess.models import Assignment, QueueEntry, Review, ReviewCollection, ReviewedDocument
from assess.services.pools import DiscardRefused, discard_pool
from pooling.campaign_states import check_writable
from pooling.models import Campaign, Job, PooledDocument, Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.jobs import start_job
from pooling.words import counted, enumeration

MOST_LOOKS = 4  # sizes of a random sample at which somebody could look: together they may fail in 20 of 100


class ReviewRefused(Refused):
    """A review was not begun, enlarged, stopped or discarded; the message says why."""


class PlannedReviews(NamedTuple):
    """Reviews of topics: over which collection, by whom, how large the first batch and the sample are.

    cap: of S-CAL, how many random documents of a batch are judged at most; None for CAL.
    """

    collection: ReviewCollection
    topics: Sequence[Topic]
    judges: Sequence[User]
    first_batch: int
    sample_size: int
    seed: int
    cap: int | None = None


@transaction.atomic
def begin_reviews(campaign: Campaign, user: User, asked: PlannedReviews) -> list[Review]:
    """Store a review of each topic. Their first batches are frozen by a job, see `start_batches`.

    Labels of a stopped review of a topic are seeds of the next, as all labels are. Raises ReviewRefused if a
    review of a topic goes on or has had the seed, the collection was removed, and StateRefused.
    """
    check_writable(campaign.state)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if not campaign.review_collections.filter(pk=asked.collection.pk).exists():
        raise ReviewRefused(f"{asked.collection} was removed in the meantime.")
    if not asked.collection.has_files:
        raise ReviewRefused(f"The documents of {asked.collection} are not on this server.")
    earlier = Review.objects.filter(topic__in=asked.topics).order_by("topic__place")
    if taken := list(earlier.going_on().values_list("topic__number", flat=True)):
        raise ReviewRefused(f"There is a review of topic {enumeration(taken)} that goes on.")
    if used := list(earlier.filter(seed=asked.seed).values_list("topic__number", flat=True)):
        raise ReviewRefused(
            f"An earlier review of topic {enumeration(used)} has this seed: its random sample is labelled"
            " already and would say nothing. Give another seed."
        )
    reviews = Review.objects.bulk_create(
        Review(
            campaign=campaign,
            collection=asked.collection,
            topic=topic,
            seed=asked.seed,
            first_batch=asked.first_batch,
            cap=asked.cap,
            sample_size=min(asked.sample_size, asked.collection.document_count),
            begun_by=user,
        )
        for topic in asked.topics
    )
    for review in reviews:
        review.judges.set(asked.judges)
    numbers = [topic.number for topic in asked.topics]
    log_change(
        campaign,
        user,
        "began reviews",
        f"{counted(len(numbers), 'topic')} over {asked.collection}",
        collection=asked.collection.number,
        topics=numbers,
        judges=sorted(judge.username for judge in asked.judges),
        first_batch=asked.first_batch,
        cap=asked.cap,
        sample=asked.sample_size,
        seed=asked.seed,
    )
    return reviews


def start_batches(
    campaign: Campaign, user: User, reviews: Collection[Review], is_sample_only: bool = False
) -> Job:
    """Start the job that freezes the next batches of these reviews; the unfinished one if there is one.

    is_sample_only: they have the rest of the random sample, and nothing that the model chooses.
    """
    rounds = {f"{review.pk}": review.rounds + 1 for review in sorted(reviews, key=lambda each: each.pk)}
    title = f"{'Random documents' if is_sample_only else 'Next batch'} of {counted(len(rounds), 'review')}"
    arguments = {"rounds": rounds} | ({"is_sample_only": True} if is_sample_only else {})
    return start_job(campaign, user, tasks.freeze_batches, title, arguments)


def start_next_batch(review: Review, user: User, number: int, is_sample_only: bool = False) -> Job:
    """Start the job that freezes the next batch of a review, although labels of the last one are missing.

    number: of the batch that the user asks for. is_sample_only: see `start_batches`; no batch comes by itself
    after such a one. Raises ReviewRefused if it is not the next one, the review is
    stopped, or its documents are not on this server; and StateRefused.
    """
    if number != review.rounds + 1:
        raise ReviewRefused(f"The next batch is number {review.rounds + 1}.")
    if review.stopped_at:
        raise ReviewRefused(f"{review} is stopped: judges get no more batches.")
    if not review.collection.has_files:
        raise ReviewRefused(f"{review.collection} has no files here. Load the same documents again first.")
    return start_batches(review.campaign, user, [review], is_sample_only)


def start_ready_batches() -> Iterator[str]:
    """Start the next batches of all reviews whose last one is labelled; yield a line for each campaign."""
    with_reviews = Review.objects.going_on().order_by().values("campaign")
    for campaign in Campaign.objects.filter(pk__in=with_reviews, state=Campaign.State.OPEN).order_by("pk"):
        unfinished = campaign.jobs.filter(task=tasks.freeze_batches.module_path, state__in=Job.UNFINISHED)
        if (ready := ready_reviews(campaign)) and not unfinished.exists():
            start_batches(campaign, ready[0].begun_by, ready)
            yield f"{campaign.slug}: next batch of {counted(len(ready), 'review')}"


@transaction.atomic
def enlarge_sample(review: Review, user: User, documents: int, drawn: int) -> int:
    """Add documents to the random sample of a review; return how many. Judges get them with the next batches.

    drawn: the size of the sample that the user knows. The sample is the first part of a random order of the
    collection, which the seed gives, so that the larger one is a random sample as well. Raises ReviewRefused
    if the review is stopped, the sample has another size by now or cannot be enlarged, and StateRefused.
    """
    campaign = review.campaign
    check_writable(campaign.state)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    current = Review.objects.going_on().select_related("collection", "topic").filter(pk=review.pk).first()
    if current is None:
        raise ReviewRefused(f"{review} is stopped: judges get no more documents.")
    if current.sample_size != drawn:
        raise ReviewRefused(
            f"The random sample was enlarged in the meantime, to {current.sample_size:,} documents."
        )
    added = min(documents, current.collection.document_count - drawn)
    if not added:
        raise ReviewRefused("The random sample has every document of the collection.")
    current.campaign = campaign
    is_look = progress_of(current).sample_judged > 0
    if is_look and current.sample_looks == MOST_LOOKS:
        raise ReviewRefused(
            f"The random sample was enlarged {counted(MOST_LOOKS - 1, 'time')} after labels were known. Each"
            " time weakens what rules promise, so it is not enlarged again."
        )
    looks = current.sample_looks + is_look
    Review.objects.filter(pk=current.pk).update(sample_size=drawn + added, sample_looks=looks)
    log_change(
        campaign,
        user,
        "enlarged a random sample",
        f"Topic {current.topic.number}: {counted(added, 'document')}, {drawn + added:,} in all",
        topic=current.topic.number,
        documents=added,
        sample=drawn + added,
        seed=current.seed,
    )
    return added


def advisers_that_stop(review: Review) -> list[Adviser]:
    """Return the rules that advise to stop a review now."""
    return [adviser for adviser in advisers_of(review, progress_of(review)) if adviser.advice.stop]


@transaction.atomic
def stop_review(review: Review, user: User, rule: str, target: float | None) -> None:
    """Stop a review for good: judges get no more batches, and not what they have not labelled yet.

    A document that a judge has on the screen can still be labelled.

    rule, target: what the organiser relies on, "" for no rule. Raises ReviewRefused if the review is stopped,
    or the rule does not advise to stop now; its promise would not hold.
    """
    campaign = review.campaign
    check_writable(campaign.state)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if not Review.objects.going_on().filter(pk=review.pk).exists():
        raise ReviewRefused(f"{review} is stopped already.")
    chosen = None
    if rule:
        chosen_rules = [
            each for each in advisers_that_stop(review) if (each.key, each.target) == (rule, target)
        ]
        if not chosen_rules:
            raise ReviewRefused("This rule does not advise to stop now, so its promise does not hold.")
        chosen = chosen_rules[0]
    review.stopped_by, review.stopped_at = user, timezone.now()
    if chosen:
        review.rule, review.target = chosen.key, chosen.target
        review.promise, review.because = chosen.promise, chosen.advice.because
    review.save(update_fields=["stopped_by", "stopped_at", "rule", "target", "promise", "because"])
    left = QueueEntry.objects.filter(
        withheld_after_stop("pooled"), topic=review.topic_id, kind=QueueEntry.Kind.JUDGING
    )
    left.filter(state=QueueEntry.State.OPEN).update(state=QueueEntry.State.AWAY)
    said = f"{chosen.title}: {chosen.promise}" if chosen else "no rule, no promise"
    log_change(
        campaign, user, "stopped a review", f"Topic {review.topic.number}, {said}", topic=review.topic.number
    )


@transaction.atomic
def delete_reviews(campaign: Campaign) -> None:
    """Delete the reviews of a campaign that is being deleted: their documents protect those of pools."""
    campaign.reviews.all().delete()


def discard_review(review: Review, user: User) -> int:
    """Delete a review without labels, and its documents from the queues; return how many it had.

    A pool that only this review used is discarded as well, if it can be: see `discard_pool`. Another one is
    frozen and stays, without judges for the topic; the next review of the topic gives its documents to
    judges. Raises ReviewRefused if it has labels or was discarded, and StateRefused.
    """
    campaign, topic = review.campaign, review.topic
    check_writable(campaign.state)
    Campaign.objects.select_for_update().get(pk=campaign.pk)  # no batch is frozen meanwhile
    if not Review.objects.filter(pk=review.pk).exists():
        raise ReviewRefused(f"{review} was discarded already.")
    pools = list(pools_of(review).order_by("-number"))
    pooled = PooledDocument.objects.filter(topic=topic, pool__in=pools)
    list(pooled.select_for_update().order_by("pk").values_list("pk"))  # no label is stored meanwhile
    if reason := why_not_discarded(review):
        raise ReviewRefused(reason)
    documents = review.documents.count()
    log_change(
        campaign,
        user,
        "discarded a review",
        f"Topic {topic.number}: {counted(documents, 'document')} over {review.collection}",
        topic=topic.number,
        documents=documents,
        pools=sorted(pool.number for pool in pools),
        seed=review.seed,
    )
    QueueEntry.objects.filter(pooled__in=pooled).delete()
    Assignment.objects.filter(topic=topic, pool__in=pools).delete()
    review.delete()
    for pool in pools:
        if ReviewedDocument.objects.filter(pooled__pool=pool).exists():
            continue
        with suppress(DiscardRefused):  # a later pool leaves out its documents: it stays
            discard_pool(campaign, pool.number, user)
    return documents
