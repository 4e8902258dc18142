"""What a release says of reviewed topics: the promise, the recall, and why each document was judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from assess.active_learning.batches import sample_rows
from assess.active_learning.progress import title_of
from assess.active_learning.queries.collections import opened
from assess.active_learning.queries.reviews import earlier_reviews, progress_of, reason_of, strata_of
from assess.active_learning.recall import CONFIDENCE, SampleEstimate
from assess.active_learning.scal import STRATA_CONFIDENCE, StrataSummary
from assess.active_learning.statements import ReviewFacts, review_sentence
from assess.models import Review, ReviewedDocument
from assess.queries.extensions import Selector
from pooling.models import Campaign
from pooling.strategies.strata import SamplePlace

DIGITS = 4  # of figures in a manifest
MOST_LISTED = 200_000  # documents of a collection that a file of sampled judgments lists for a topic


def reviewed_topics(campaign: Campaign) -> Collection[str]:
    return set(Review.objects.filter(campaign=campaign).values_list("topic__number", flat=True))


def last_review(campaign: Campaign, number: str) -> Review:
    """Return the last review of a topic that has one, with the campaign."""
    reviews = Review.objects.filter(campaign=campaign, topic__number=number).order_by("-pk")
    review = reviews.select_related("topic", "collection")[0]
    review.campaign = campaign
    return review


def review_facts(review: Review) -> ReviewFacts:
    """Return what is known of a review now, for a sentence."""
    progress = progress_of(review)
    return ReviewFacts(
        review.topic.number,
        progress.collection,
        review.rounds,
        progress.judged,
        review.stopped_at is not None,
        title_of(review.rule, review.target or 0)[0] if review.rule else "",
        review.promise,
        progress.sample_judged,
        progress.sample_size,
        progress.recall,
        progress.sample.relevant,
        progress.sample.found,
        None if review.cap is None else strata_of(review),
        progress.relevant_known,
        progress.relevant,
        progress.waiting,
    )


def review_statement(campaign: Campaign, number: str) -> Mapping[str, Any]:
    """Return what is known of a reviewed topic now: figures of its last review, and a sentence that has them
    all. earlier: the same of the reviews before, if there are any."""
    review = last_review(campaign, number)
    earlier = [_statement(each) for each in earlier_reviews(review)]
    return _statement(review) | ({"earlier": earlier} if earlier else {})


def _statement(review: Review) -> dict[str, Any]:
    facts = review_facts(review)
    by_sample = _by_sample(facts)
    method = "continuous active learning" if facts.strata is None else "scalable continuous active learning"
    return {
        "topic": facts.topic,
        "sentence": review_sentence(facts),
        "method": method,
        "collection": review.collection.checksums["texts"],
        "documents": facts.documents,
        "batches": review.rounds,
        "judged": facts.judged,
        "seed": review.seed,
        "stopped_at": review.stopped_at.isoformat() if review.stopped_at else None,
        "rule": facts.rule or None,
        "promise": review.promise or None,
        "because": review.because or None,
        "sample": {"size": facts.sample_size, "judged": facts.sample_judged},
        "recall": by_sample,
        "relevant_labelled": facts.relevant_known,
        "relevant": _relevant_in_all(facts),
        **({} if facts.strata is None else _of_strata(review, facts.strata, by_sample)),
    }


def _by_sample(facts: ReviewFacts) -> dict[str, Any]:
    """Return the recall that the random sample gives; without an interval once it is known exactly."""
    known = facts.recall.value
    if facts.is_all_labelled and known is not None:
        return {"value": round(known, DIGITS), "interval": "none: every document has a label"}
    return _estimate(facts.recall, CONFIDENCE, "Clopper-Pearson")


def _relevant_in_all(facts: ReviewFacts) -> dict[str, Any]:
    """Return the estimate of all relevant documents: those that the model found, and of the rest."""
    if facts.is_all_labelled:
        return {"value": facts.relevant_known, "interval": "none: every document has a label"}
    return _estimate(facts.relevant, CONFIDENCE, "hypergeometric, of the documents not reached")


def _of_strata(review: Review, summary: StrataSummary, by_sample: dict[str, Any]) -> dict[str, Any]:
    """Return what the strata say. Of the random sample S-CAL has the share that lies in the batches."""
    strata = [(each.size, each.judged, each.relevant) for each in summary.strata.strata]
    return {
        "cap": review.cap,
        "strata": [dict(zip(("documents", "judged", "relevant"), each, strict=True)) for each in strata],
        "relevant": _estimate(summary.strata.relevant, STRATA_CONFIDENCE, "exact limits of strata"),
        "recall": _estimate(summary.recall, STRATA_CONFIDENCE, "exact limits of strata"),
        "in_batches": by_sample,
    }


def _estimate(estimate: SampleEstimate, confidence: float, interval: str) -> dict[str, Any]:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return {"value": None, "why": estimate.reason}
    value, low, high = (round(each, DIGITS) for each in (estimate.value, estimate.low, estimate.high))
    return {"value": value, "low": low, "high": high, "confidence": confidence, "interval": interval}


def review_reasons(campaign: Campaign, number: str) -> Mapping[str, Mapping[str, Any]]:
    """Return docno -> why it was judged, and in which round. Who searched for it, and how, is not said.

    A document of several reviews has the reason of the first one.
    """
    last = last_review(campaign, number)
    reasons: dict[str, Mapping[str, Any]] = {}
    for review in [last, *reversed(earlier_reviews(last))]:
        reasons |= _reasons(review)
    return reasons


def _reasons(review: Review) -> Mapping[str, Mapping[str, Any]]:
    rows = ReviewedDocument.objects.filter(review=review)
    fields = "pooled__docno", "place", "round", "score", "sample_round"
    return {
        docno: {
            "reason": (reason := reason_of(place, of_round, score, drawn)),
            "round": drawn if reason == "sample" else of_round,
        }
        for docno, place, of_round, score, drawn in rows.order_by().values_list(*fields).iterator()
    }


def review_sample(campaign: Campaign, number: str) -> Mapping[str, SamplePlace]:
    """Return docno -> its stratum, of a topic whose documents were judged as a sample with known strata.

    S-CAL: each batch is a stratum, labels from before the first one. CAL with a random sample whose documents
    are all judged: the documents that the model has chosen, all judged, and all others, of which the sample
    is judged. Batches count whose documents all have a label. Empty for other reviews, and for CAL over more
    than MOST_LISTED documents. Of several reviews of a topic the last one that is a sample.
    """
    last = last_review(campaign, number)
    for review in [last, *reversed(earlier_reviews(last))]:
        if sample := _sample_of(review):
            return sample
    return {}


def _sample_of(review: Review) -> Mapping[str, SamplePlace]:
    progress = progress_of(review)
    last = max(progress.ends, default=-1)
    rows = ReviewedDocument.objects.filter(review=review, place__isnull=False, round__lte=last).order_by()
    placed = dict(rows.values_list("pooled__docno", "round"))
    if review.cap is not None:
        stratum = {of_round: place for place, of_round in enumerate(sorted(progress.ends), start=1)}
        sample = {docno: SamplePlace(stratum[of_round or 0], True) for docno, of_round in placed.items()}
        for number_of_round, aside in review.frozen_rounds.filter(number__lte=last).values_list(
            "number", "aside"
        ):
            sample |= {docno: SamplePlace(stratum[number_of_round], False) for docno in aside}
        return sample
    collection = review.collection
    if not collection.has_files or collection.document_count > MOST_LISTED:
        return {}
    if not progress.is_sample_complete:
        return {}
    docnos = opened(collection).docnos
    drawn = {docnos[row] for row in sample_rows(review.seed, len(docnos), review.sample_size).tolist()}
    return {
        docno: SamplePlace(1, True) if docno in placed else SamplePlace(2, docno in drawn) for docno in docnos
    }


SELECTOR = Selector(reviewed_topics, review_statement, review_reasons, review_sample)
