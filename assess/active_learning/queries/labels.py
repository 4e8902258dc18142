"""The labels that topics have: seeds of reviews, and what simulations play."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from assess.active_learning.costs import LEAST_RELEVANT
from pooling.models import Campaign, PooledDocument, Topic

FIELDS = (  # of a pooled document: what decides whether it is relevant
    "adjudication__relevance",
    "probe__relevance",
    "label_summary__graders",
    "label_summary__refusals",
    "label_summary__highest",
)


def relevance_of(
    threshold: int,
    settled: int | None,
    known: int | None,
    graders: int | None,
    refusals: int | None,
    highest: int | None,
) -> bool | None:
    """Return whether a document counts as relevant in a review; None without a label of a person.

    The settled grade decides, or that of a gold or training document; without one, the highest grade: one
    judge who finds it relevant is enough. A document that no judge could judge counts as not relevant.
    """
    for grade in (settled, known, highest if graders else None):
        if grade is not None:
            return grade >= threshold
    return False if refusals else None


def labels_of(topic: Topic, threshold: int) -> dict[str, bool]:
    """Return docno -> whether it is relevant, of the documents of a topic with a label."""
    pooled = PooledDocument.objects.filter(topic=topic).order_by("docno").values_list("docno", *FIELDS)
    labels = {docno: relevance_of(threshold, *label) for docno, *label in pooled}
    return {docno: label for docno, label in labels.items() if label is not None}


def topics_to_simulate(campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics that have LEAST_RELEVANT relevant documents, in any collection."""
    relevant = Q(pooled__label_summary__highest__gte=campaign.threshold)
    topics = campaign.topics.annotate(relevant_count=Count("pooled", filter=relevant))
    return topics.filter(relevant_count__gte=LEAST_RELEVANT).order_by("place")
