"""The texts of documents, and which are missing."""

from __future__ import annotations

from pooling.models import Campaign, Document, PooledDocument
from pooling.queries.pools import pooled_in

IMPORTED = "imported documents"  # the verb of the audit log for an import of documents
IMPORT = "pooling.tasks.import_documents"  # the path of its task


def docnos_without_text(campaign: Campaign) -> list[str]:
    """Return the pooled docnos for which no document was loaded, sorted."""
    loaded = campaign.documents.values("docno")
    return sorted(set(pooled_in(campaign).exclude(docno__in=loaded).values_list("docno", flat=True)))


def document_counts(campaign: Campaign) -> dict[str, int]:
    """Return the number of stored documents and of distinct pooled ones."""
    return {
        "kept": campaign.documents.count(),
        "pooled": pooled_in(campaign).values("docno").distinct().count(),
    }


def document_of(pooled: PooledDocument) -> Document | None:
    """Return the text that belongs to a pooled document, if it was loaded."""
    return Document.objects.filter(campaign=pooled.pool.campaign_id, docno=pooled.docno).first()


def imports_so_far(campaign: Campaign) -> tuple[str, list[tuple[int, dict[str, int]]]]:
    """Return a version of the texts, which changes with every import: the hash of the last import in the
    audit log, and the cursor of each import job."""
    seals = campaign.trail.filter(verb=IMPORTED).order_by("-number").values_list("seal", flat=True)
    jobs = campaign.jobs.filter(task=IMPORT).order_by("pk").values_list("pk", "cursor")
    return seals.first() or "", list(jobs)
