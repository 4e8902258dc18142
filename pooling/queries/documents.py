"""Documents, and which are missing."""

from __future__ import annotations

from pooling.models import Campaign, Document, PooledDocument
from pooling.queries.pools import pooled_in

IMPORTED = "imported documents"  # the deed by which texts come and are replaced
IMPORT = "pooling.tasks.import_documents"  # the task that does it, in steps


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


def imports_so_far(campaign: Campaign) -> tuple[str, list[tuple[int, dict[str, int]]]]:
    """Return what changes whenever a text comes or is replaced: the seal of the last import, and up to where
    each job of importing got."""
    seals = campaign.trail.filter(verb=IMPORTED).order_by("-number").values_list("seal", flat=True)
    jobs = campaign.jobs.filter(task=IMPORT).order_by("pk").values_list("pk", "cursor")
    return seals.first() or "", list(jobs)
