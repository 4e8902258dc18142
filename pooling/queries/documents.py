"""Pooled documents, their texts, and which texts are missing."""

from __future__ import annotations

from django.db.models import QuerySet

from pooling.models import Campaign, Document, PooledDocument


def pooled_before(campaign: Campaign) -> dict[str, set[str]]:
    """Return topic -> docnos of every pool so far."""
    before: dict[str, set[str]] = {}
    for topic, docno in pooled_in(campaign).values_list("topic__number", "docno"):
        before.setdefault(topic, set()).add(docno)
    return before


def pooled_in(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return every pooled document of the campaign, over all its pools."""
    return PooledDocument.objects.filter(pool__campaign=campaign)


IMPORT_ACTION = "imported documents"  # the verb of the audit log for an import of documents
IMPORT_TASK = "pooling.tasks.import_documents"  # the path of its task


def docnos_without_text(campaign: Campaign) -> list[str]:
    """Return the pooled docnos for which no document was loaded, sorted."""
    return sorted(set(_pooled_without_text(campaign).values_list("docno", flat=True)))


def count_documents_without_text(campaign: Campaign) -> int:
    return _pooled_without_text(campaign).values("docno").distinct().count()


def _pooled_without_text(campaign: Campaign) -> QuerySet[PooledDocument]:
    return pooled_in(campaign).exclude(docno__in=campaign.documents.values("docno"))


def document_counts(campaign: Campaign) -> dict[str, int]:
    """Return the number of stored documents and of distinct pooled ones."""
    return {
        "kept": campaign.documents.count(),
        "pooled": pooled_in(campaign).values("docno").distinct().count(),
    }


def document_of(pooled: PooledDocument) -> Document | None:
    """Return the text that belongs to a pooled document, if it was loaded."""
    return Document.objects.filter(campaign=pooled.pool.campaign_id, docno=pooled.docno).first()


def import_version(campaign: Campaign) -> tuple[str, list[tuple[int, dict[str, int]]]]:
    """Return a version of the texts, which changes with every import: the hash of the last import in the
    audit log, and the cursor of each import job."""
    hashes = (
        campaign.audit_log.filter(verb=IMPORT_ACTION).order_by("-number").values_list("chain_hash", flat=True)
    )
    jobs = campaign.jobs.filter(task=IMPORT_TASK).order_by("pk").values_list("pk", "cursor")
    return hashes.first() or "", list(jobs)
