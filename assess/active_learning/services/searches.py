"""Add documents that a judge found by search to the judge's own queue."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.db import transaction
from django.db.models import Max, Min

from accounts.models import User
from assess.active_learning.queries.collections import opened
from assess.active_learning.queries.reviews import pooled_keys
from assess.active_learning.queries.searches import searchable_reviews
from assess.active_learning.services.batches import store_texts
from assess.active_learning.services.reviews import ReviewRefused
from assess.models import Assignment, QueueEntry, Review, ReviewedDocument, SearchedDocument
from assess.queries.gold import not_gold_or_training
from assess.services.assignments import store_assignments
from assess.services.queue_entries import open_entries
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.manifest import pairs_text
from pooling.models import Campaign, Pool, PooledDocument, Topic
from pooling.services.audit_log import log_change
from pooling.services.pools import store_pool
from pooling.strategies.candidates import Pooled, PoolEntry
from pooling.words import counted


def add_found_documents(review: Review, judge: User, rows: Sequence[int], words: str) -> int:
    """Put documents of the collection at the head of a judge's queue of the topic; return how many are new.

    rows: in the collection. words: of the search. New documents are a pool that this judge alone has; one
    that is pooled for the topic already is only queued, whatever others have done with it. Gold and training
    documents keep their own places. A repeated request adds nothing. The random sample stays as it is, and
    the model learns from such a document only once it has chosen it by itself. Raises ReviewRefused if the
    review was stopped or the judge does not have the topic any more, and StateRefused.
    """
    campaign = review.campaign
    check_writable(campaign.state)
    records = dict(zip(rows, opened(review.collection).records(rows), strict=True))
    by_docno = {record.docno: record for record in records.values()}
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # one pool at a time
        Topic.objects.select_for_update().get(pk=review.topic_id)  # as `extend_queue`
        if not searchable_reviews(judge, campaign).filter(pk=review.pk).exists():
            raise ReviewRefused(f"{review} is stopped, or the topic is no longer yours. Nothing was added.")
        own = QueueEntry.objects.filter(judge=judge, topic=review.topic_id).exclude(
            state=QueueEntry.State.AWAY
        )
        have = set(own.filter(pooled__docno__in=by_docno).values_list("pooled__docno", flat=True))
        wanted = {docno: record for docno, record in by_docno.items() if docno not in have}
        if not wanted:
            return 0
        store_texts(campaign, wanted, judge)
        _store_pool(review, judge, wanted.keys() - pooled_keys(review, wanted).keys())
        keys = pooled_keys(review, wanted)
        row_of = {record.docno: row for row, record in records.items()}
        _store_search(review, judge, {row_of[docno]: keys[docno] for docno in wanted}, words)
        _queue_first(review, judge, [keys[docno] for docno in wanted])
        number = review.topic.number
        summary = f"Topic {number}: {counted(len(wanted), 'document')} by “{words}”"
        about = {"topic": number, "words": words, "docnos": sorted(wanted)}
        log_change(campaign, judge, "added documents by search", summary, **about)
    return len(wanted)


def _store_pool(review: Review, judge: User, docnos: Collection[str]) -> None:
    if not docnos:
        return
    topic = review.topic
    pooled: Pooled = {topic.number: {docno: PoolEntry(None, 0) for docno in sorted(docnos)}}
    manifest = {
        "strategy": Pool.HIGH_RECALL,
        "parameters": {"added": "by search"},  # the words are for organisers: data sheets show parameters
        "runs": [],
        "documents": len(docnos),
        "topics": 1,
        "sha256": sha256_of(pairs_text(pooled)),
        "search": {
            "topic": topic.number,
            "collection": review.collection.checksums["texts"],
        },
    }
    pool = store_pool(review.campaign, judge, manifest, pooled)
    store_assignments([Assignment(judge=judge, topic=topic, pool=pool, part=Assignment.Part.PRIMARY)])


def _store_search(review: Review, judge: User, pooled_of: Mapping[int, int], words: str) -> None:
    """Store where documents come from. pooled_of: row of the collection -> key of the pooled document."""
    here = dict(ReviewedDocument.objects.filter(review=review, row__in=pooled_of).values_list("row", "pk"))
    new = [
        ReviewedDocument(review=review, pooled_id=pooled, row=row)
        for row, pooled in pooled_of.items()
        if row not in here
    ]
    ReviewedDocument.objects.bulk_create(new)
    documents = ReviewedDocument.objects.filter(review=review, row__in=pooled_of).order_by("row")
    searches = [SearchedDocument(document=each, judge=judge, words=words) for each in documents]
    SearchedDocument.objects.bulk_create(searches, ignore_conflicts=True)


def _queue_first(review: Review, judge: User, pooled: Collection[int]) -> None:
    """Open entries at the head of a queue, where the judge expects what was just added."""
    queue = QueueEntry.objects.filter(judge=judge, topic=review.topic_id)
    first = queue.filter(state=QueueEntry.State.OPEN).aggregate(place=Min("place"))["place"]
    last = queue.aggregate(place=Max("place"))["place"] or 0
    place = last + 1 if first is None else max(first - 1, 0)
    judged = PooledDocument.objects.filter(not_gold_or_training("pk"), pk__in=pooled).values_list(
        "pk", flat=True
    )
    open_entries([QueueEntry(judge=judge, topic=review.topic, pooled_id=pk, place=place) for pk in judged])
