"""Documents, and which are missing."""

from __future__ import annotations

from pooling.models import Campaign, Document, PooledDocument
from pooling.queries.pools import pooled_in


def docnos_without_text(campaign: Campaign) -> list[str]:
    """Return the pooled docnos for which no document was loaded, sorted."""
    loaded = campaign.documents.values("docno")
    return sorted(set(pooled_in(campaign).exclude(docno__in=loaded).values_list("docno", flat=True)))


def document_counts(campaign: Campaign) -> dict[str, int]:
    """Return how many documents are kept and how many distinct ones are pooled."""
    return {
        "kept": campaign.documents.count(),
        "pooled": pooled_in(campaign).values("docno").distinct().count(),
    }


def document_of(pooled: PooledDocument) -> Document | None:
    """Return the text that belongs to a pooled document, if it was loaded."""
    return Document.objects.filter(campaign=pooled.pool.campaign_id, docno=pooled.docno).first()
