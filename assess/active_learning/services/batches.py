"""Freeze the next batches of reviews as a pool: train, choose, store.

A batch is frozen once: each names its number, and a review takes a batch only if it has the number after its
last one. Training is outside the transaction, so that no label waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.urls import reverse

from accounts.models import User
from assess.active_learning.batches import Batch, choose_batch, next_of_sample, sample_rows, size_after
from assess.active_learning.queries.collections import opened
from assess.active_learning.queries.labels import labels_of
from assess.active_learning.queries.reviews import judges_of, pooled_keys, rounds_aside, rows_of
from assess.active_learning.ranking import Judged
from assess.active_learning.scal import drawn_of_batch
from assess.models import Assignment, Review, ReviewedDocument, ReviewRound
from assess.services.assignments import store_assignments
from pooling.checksum import sha256_of, text_hash
from pooling.formats.documents.record import DocumentRecord
from pooling.manifest import pairs_text
from pooling.models import Campaign, Document, Job, Pool
from pooling.queries.documents import IMPORT_ACTION, loaded_docnos
from pooling.queries.images import image_hashes
from pooling.services.audit_log import log_change
from pooling.services.jobs import finish, report_progress
from pooling.services.pools import store_pool
from pooling.strategies.candidates import Pooled, PoolEntry
from pooling.words import counted, enumeration

NOTHING_TO_FREEZE = "These batches were frozen already, the reviews were stopped, or no document is left."


class PlannedBatch(NamedTuple):
    """What a review is to get next.

    number: of the round. seeds: rows of documents that had a label before the review began. model: what the
    model chose, and judges get; None where nothing is left, or it was not asked. aside: docnos of the batch
    that S-CAL sets aside. lowest: the lowest score of the batch. sample: rows of the random sample. records:
    row -> document, of all that judges get.
    """

    review: Review
    number: int
    seeds: Sequence[int]
    model: Batch | None
    aside: Sequence[str]
    lowest: float | None
    sample: Sequence[int]
    records: Mapping[int, DocumentRecord]

    @property
    def has_documents(self) -> bool:
        return bool(self.model or self.sample or self.seeds)


def plan_batch(review: Review, number: int, is_sample_only: bool = False) -> PlannedBatch:
    """Train the model of the next round of a review with the labels of now, and choose its documents.

    is_sample_only: the model is not asked, and the round has all that is left of the random sample.
    """
    collection = opened(review.collection)
    features = collection.features
    rows = rows_of(review)
    seeds = _seeds(review) if number == 1 else {}
    reached = {each.row: each.label for each in rows if each.place is not None} | seeds
    labelled = {row: label for row, label in reached.items() if label is not None}
    judged = Judged(np.array(list(labelled), dtype=np.int64), np.array(list(labelled.values()), dtype=bool))
    topic = features.vector_of(f"{review.topic.title} {review.topic.description}")
    size = size_after(review.first_batch, review.batch)
    set_aside = collection.rows_of(rounds_aside(review)).values()
    places = np.array(sorted({*reached, *set_aside}), dtype=np.int64)
    batch = None
    if not is_sample_only:
        batch = choose_batch(features.matrix, topic, judged, places, review.seed, number, size)
    lowest = None if batch is None or np.isnan(batch.scores[-1]) else float(batch.scores[-1])
    aside: list[str] = []
    if batch and review.cap is not None:
        drawn_places = drawn_of_batch(len(batch.rows), min(review.cap, len(batch.rows)), review.seed, number)
        aside = [collection.docnos[row] for row in np.delete(batch.rows, drawn_places).tolist()]
        batch = batch._replace(rows=batch.rows[drawn_places], scores=batch.scores[drawn_places])
    chosen = [] if batch is None else batch.rows.tolist()
    sample = sample_rows(review.seed, review.collection.document_count, review.sample_size)
    most = len(sample) if is_sample_only else size
    drawn = next_of_sample(sample, {*chosen, *seeds, *(each.row for each in rows)}, most)
    needed = [*seeds, *chosen, *drawn]
    records = dict(zip(needed, collection.records(needed), strict=True))
    return PlannedBatch(review, number, list(seeds), batch, aside, lowest, drawn, records)


def _seeds(review: Review) -> dict[int, bool]:
    """Return row -> label, of the documents of the collection that have a label for the topic."""
    labels = labels_of(review.topic, review.campaign.threshold)
    rows = opened(review.collection).rows_of(labels)
    return {row: labels[docno] for docno, row in sorted(rows.items())}


def freeze_batches(
    campaign: Campaign,
    rounds: Mapping[int, int],
    by: User,
    report: Callable[[int], None] = lambda reviews: None,
    stored: Callable[[str], None] = lambda sentence: None,
    is_sample_only: bool = False,
) -> Pool | None:
    """Freeze the next batches of reviews as one pool; None where there is nothing to freeze.

    rounds: key of a review -> the number of the batch. A review that is stopped, or has that batch, is left
    out. by: who froze the pool. report: called with the number of trained reviews. stored: called in the
    transaction that stores the pool, with what was stored. is_sample_only: see `plan_batch`. Raises
    StateRefused.
    """
    planned = []
    for count, review in enumerate(_going_on(campaign, rounds), start=1):
        planned.append(plan_batch(review, rounds[review.pk], is_sample_only))
        report(count)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one batch at a time
        current = {review.pk for review in _going_on(campaign, rounds)}
        batches = [each for each in planned if each.review.pk in current and each.has_documents]
        pool = _store(campaign, batches, by)
        stored(f"{counted(len(batches), 'batch', 'batches')} frozen." if batches else NOTHING_TO_FREEZE)
    return pool


def _going_on(campaign: Campaign, rounds: Mapping[int, int]) -> list[Review]:
    """Return the reviews that go on, have the files of their collection, and whose next batch has the number
    that is asked for."""
    reviews = Review.objects.going_on().filter(campaign=campaign, pk__in=rounds).exclude(collection__texts="")
    going_on = list(reviews.select_related("topic", "collection"))
    for review in going_on:
        review.campaign = campaign
    return [review for review in going_on if review.rounds + 1 == rounds[review.pk]]


def _store(campaign: Campaign, planned: Sequence[PlannedBatch], by: User) -> Pool | None:
    pooled: Pooled = {}
    for each in planned:
        known = _pooled_keys(each)
        new = sorted({record.docno for record in each.records.values()} - known.keys())
        if new:
            pooled[each.review.topic.number] = {docno: PoolEntry(None, 0) for docno in new}
    if not planned:
        return None
    store_texts(campaign, {row.docno: row for each in planned for row in each.records.values()}, by)
    pool = store_pool(campaign, by, _manifest(planned, pooled), pooled) if pooled else None
    for each in planned:
        _store_batch(each, pool if each.review.topic.number in pooled else None)
    return pool


def _pooled_keys(planned: PlannedBatch) -> dict[str, int]:
    return pooled_keys(planned.review, [record.docno for record in planned.records.values()])


def _manifest(planned: Sequence[PlannedBatch], pooled: Pooled) -> dict[str, object]:
    numbers = sorted({each.number for each in planned})
    return {
        "strategy": Pool.HIGH_RECALL,
        "parameters": {"round": enumeration(numbers)},
        "runs": [],
        "documents": sum(map(len, pooled.values())),
        "topics": len(pooled),
        "sha256": sha256_of(pairs_text(pooled)),
        "reviews": [
            {
                "topic": each.review.topic.number,
                "round": each.number,
                "seed": each.review.seed,
                "collection": each.review.collection.checksums["texts"],
                "labels": each.model.labels if each.model else 0,
                **({} if each.review.cap is None else {"cap": each.review.cap, "aside": len(each.aside)}),
            }
            for each in planned
        ],
    }


def store_texts(campaign: Campaign, records: Mapping[str, DocumentRecord], by: User) -> None:
    """Store the texts of documents that have none; judges read what is stored already.

    records: docno -> document.
    """
    missing = sorted(records.keys() - loaded_docnos(campaign, sorted(records)))
    if not missing:
        return
    images = image_hashes(campaign, missing)
    rows = [
        Document(
            campaign=campaign,
            text_hash=text_hash(records[docno].title, records[docno].text, images.get(docno, ())),
            **records[docno]._asdict(),
        )
        for docno in missing
    ]
    Document.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    log_change(campaign, by, IMPORT_ACTION, f"{len(rows):,} of a collection", kept=len(rows))


def _store_batch(planned: PlannedBatch, pool: Pool | None) -> None:
    """Store why each document is in the review, and give the batch to judges."""
    review, number, model = planned.review, planned.number, planned.model
    keys = _pooled_keys(planned)
    last = ReviewedDocument.objects.filter(review=review).aggregate(last=Max("place"))["last"] or 0
    reached: list[tuple[int, int, float | None]] = [(row, 0, None) for row in planned.seeds]
    if model:
        scores = [None if np.isnan(score) else float(score) for score in model.scores]
        reached += [(row, number, score) for row, score in zip(model.rows.tolist(), scores, strict=True)]
    known = dict(ReviewedDocument.objects.filter(review=review).values_list("row", "pk"))
    new = []
    for place, (row, of_round, score) in enumerate(reached, start=last + 1):
        position = {"place": place, "round": of_round, "score": score}
        if row in known:  # of the sample: the review has found it by itself
            ReviewedDocument.objects.filter(pk=known[row]).update(**position)
        else:
            pooled = keys[planned.records[row].docno]
            new.append(ReviewedDocument(review=review, pooled_id=pooled, row=row, **position))
    new += [
        ReviewedDocument(
            review=review, pooled_id=keys[planned.records[row].docno], row=row, sample_round=number
        )
        for row in planned.sample
    ]
    judges = list(judges_of(review))
    ReviewedDocument.objects.bulk_create(new, batch_size=500)
    sums = model.expected._asdict() if model and model.expected else {}
    ReviewRound.objects.create(
        review=review,
        number=number,
        pool=pool,
        labels=model.labels if model else 0,
        judged_sum=sums.get("judged"),
        rest_sum=sums.get("rest"),
        judged_variance=sums.get("judged_variance"),
        rest_variance=sums.get("rest_variance"),
        aside=list(planned.aside),
        aside_count=len(planned.aside),
        lowest=planned.lowest,
    )
    Review.objects.filter(pk=review.pk).update(
        rounds=number, batch=len(model.rows) + len(planned.aside) if model else review.batch
    )
    pools = _pools_without_judges(review, keys.values())
    shared = Assignment.Part.SHARED
    store_assignments(
        [
            Assignment(judge=judge, topic=review.topic, pool=each, part=shared)
            for judge in judges
            for each in pools
        ]
    )


def _pools_without_judges(review: Review, pooled: Collection[int]) -> list[Pool]:
    """Return the pools of reviews that have some of these documents and no judge of the topic.

    They are the new one, and those of a review that was discarded.
    """
    used = Pool.objects.filter(strategy=Pool.HIGH_RECALL, documents__in=list(pooled))
    return list(
        used.exclude(pk__in=Assignment.objects.filter(topic=review.topic_id).values("pool")).distinct()
    )


def freeze_batches_of_job(job: Job) -> None:
    """Freeze the batches of a job. Raises what `freeze_batches` raises, and Stopped."""
    rounds = {int(key): number for key, number in job.arguments["rounds"].items()}

    def report(reviews: int) -> None:
        report_progress(job, reviews, len(rounds), "Training")

    page = reverse("assess:review_list", args=[job.campaign.slug])
    freeze_batches(
        job.campaign,
        rounds,
        job.user,
        report,
        lambda sentence: finish(job, sentence, page),
        job.arguments.get("is_sample_only", False),
    )
