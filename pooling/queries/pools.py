"""Pooled documents."""

from __future__ import annotations

from django.db.models import QuerySet

from pooling.models import Campaign, PooledDocument


def pooled_before(campaign: Campaign) -> dict[str, set[str]]:
    """Return topic -> docnos of every pool so far."""
    before: dict[str, set[str]] = {}
    for topic, docno in pooled_in(campaign).values_list("topic__number", "docno"):
        before.setdefault(topic, set()).add(docno)
    return before


def pooled_in(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return every pooled document of the campaign, over all its pools."""
    return PooledDocument.objects.filter(pool__campaign=campaign)
