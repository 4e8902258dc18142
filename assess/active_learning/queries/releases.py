"""What a release says of reviewed topics: the promise, the recall, and why each document was judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from assess.active_learning.progress import title_of
from assess.active_learning.queries.reviews import progress_of, reason_of
from assess.active_learning.recall import CONFIDENCE, SampleEstimate
from assess.active_learning.statements import ReviewFacts, review_sentence
from assess.models import Review, ReviewedDocument
from assess.queries.extensions import Selector
from pooling.models import Campaign

DIGITS = 4  # of figures in a manifest


def reviewed_topics(campaign: Campaign) -> Collection[str]:
    return set(Review.objects.filter(campaign=campaign).values_list("topic__number", flat=True))


def review_statement(campaign: Campaign, number: str) -> Mapping[str, Any]:
    """Return what is known of a reviewed topic now: figures, and a sentence that has them all."""
    review = Review.objects.select_related("topic", "collection").get(campaign=campaign, topic__number=number)
    review.campaign = campaign
    progress = progress_of(review)
    rule = title_of(review.rule, review.target or 0)[0] if review.rule else ""
    facts = ReviewFacts(
        number,
        progress.collection,
        review.rounds,
        progress.judged,
        review.stopped_at is not None,
        rule,
        review.promise,
        progress.sample_judged,
        progress.sample_size,
        progress.recall,
    )
    return {
        "topic": number,
        "sentence": review_sentence(facts),
        "method": "continuous active learning",
        "collection": review.collection.checksums["texts"],
        "documents": progress.collection,
        "batches": review.rounds,
        "judged": progress.judged,
        "seed": review.seed,
        "stopped_at": review.stopped_at.isoformat() if review.stopped_at else None,
        "rule": rule or None,
        "promise": review.promise or None,
        "because": review.because or None,
        "sample": {"size": progress.sample_size, "judged": progress.sample_judged},
        "recall": _estimate(progress.recall),
    }


def _estimate(estimate: SampleEstimate) -> dict[str, Any]:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return {"value": None, "why": estimate.reason}
    value, low, high = (round(each, DIGITS) for each in (estimate.value, estimate.low, estimate.high))
    return {"value": value, "low": low, "high": high, "confidence": CONFIDENCE, "interval": "Clopper-Pearson"}


def review_reasons(campaign: Campaign, number: str) -> Mapping[str, Mapping[str, Any]]:
    """Return docno -> why it was judged, and in which round. Who searched for it, and how, is not said."""
    rows = ReviewedDocument.objects.filter(review__campaign=campaign, review__topic__number=number)
    fields = "pooled__docno", "place", "round", "score", "sample_round"
    return {
        docno: {
            "reason": (reason := reason_of(place, of_round, score, drawn)),
            "round": drawn if reason == "sample" else of_round,
        }
        for docno, place, of_round, score, drawn in rows.order_by().values_list(*fields).iterator()
    }


SELECTOR = Selector(reviewed_topics, review_statement, review_reasons)
