"""Summaries of documents' labels, derived from current labels."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Max, Min, Q, QuerySet

from assess.models import Judgment, LabelSummary
from assess.queries.labels import judgments_in
from pooling.models import Campaign


class Summary(NamedTuple):
    """The fields of `LabelSummary` that can be derived."""

    graders: int = 0
    refusals: int = 0
    lowest: int | None = None
    highest: int | None = None
    distance: int = 0

    def __str__(self) -> str:
        return (
            f"{self.graders} grades from {self.lowest} to {self.highest}, {self.distance} apart,"
            f" {self.refusals} refusals"
        )


def summaries_of(labels: QuerySet[Judgment]) -> dict[int, Summary]:
    """Return pooled document -> summary of these current labels."""
    rows = labels.order_by().values_list("pooled")
    figures = rows.annotate(
        graders=Count("relevance"),
        refusals=Count("pk", filter=Q(relevance=None)),
        lowest=Min("relevance"),
        highest=Max("relevance"),
    )
    return {
        pooled: Summary(graders, refusals, lowest, highest, (highest or 0) - (lowest or 0))
        for pooled, graders, refusals, lowest, highest in figures.iterator(chunk_size=10_000)
    }


def derived_summaries(campaign: Campaign) -> dict[int, Summary]:
    """Return pooled document -> summary, for all documents with a label of a person."""
    return summaries_of(judgments_in(campaign))


def stored_summaries(campaign: Campaign) -> dict[int, Summary]:
    rows = LabelSummary.objects.filter(campaign=campaign).values_list("pooled", *Summary._fields)
    return {pooled: Summary(*fields) for pooled, *fields in rows.iterator(chunk_size=10_000)}
