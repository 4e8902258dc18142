"""Pooled documents, their texts, and which texts are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from pooling.checksum import NO_TEXT
from pooling.models import Campaign, Document, Job, PooledDocument


def pool_keys(campaign: Campaign) -> list[int]:
    """Return the keys of the pools, by number.

    They are a version of the pools: a discarded pool and its successor have the same number, never the key.
    """
    return list(campaign.pools.order_by("number").values_list("pk", flat=True))


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
IMAGES_ACTION = "imported images"
IMPORT_TASK = "pooling.tasks.import_documents"  # the path of its task


def unfinished_imports(campaign: Campaign) -> QuerySet[Job]:
    """Return the jobs that are to load documents: held until a pool is frozen, waiting, or running."""
    return campaign.jobs.filter(task=IMPORT_TASK, state__in=Job.UNFINISHED)


def docnos_without_text(campaign: Campaign) -> list[str]:
    """Return the pooled docnos of which no title, text or image was loaded, sorted."""
    return sorted(set(without_text(campaign, pooled_in(campaign)).values_list("docno", flat=True)))


def without_text(campaign: Campaign, pooled: QuerySet[PooledDocument]) -> QuerySet[PooledDocument]:
    """Return those of these pooled documents of which no title, text or image was loaded."""
    with_text = campaign.documents.exclude(text_hash=NO_TEXT)
    return pooled.exclude(docno__in=with_text.values("docno")).order_by()


def with_title_only(campaign: Campaign, pooled: QuerySet[PooledDocument]) -> QuerySet[PooledDocument]:
    """Return those of these pooled documents that have a title, but neither a text nor an image."""
    titles = campaign.documents.filter(text="").exclude(title="")
    with_image = campaign.images.filter(topic=None).values("docno")
    return pooled.filter(docno__in=titles.exclude(docno__in=with_image).values("docno")).order_by()


class TextCounts(NamedTuple):
    """Distinct documents of the pools. pairs: of a topic and a document, which is what judges label.

    missing: documents without a text or a title. title_only: documents with a title alone.
    """

    pairs: int
    documents: int
    missing: int
    title_only: int

    @property
    def loaded(self) -> int:
        """The documents with a text or an image."""
        return self.documents - self.missing - self.title_only


def count_texts(campaign: Campaign, pools: Collection[int], pairs: int) -> TextCounts:
    """Count the documents of these pools and those without a text. pairs: the number of pooled documents."""
    pooled = PooledDocument.objects.filter(pool__in=pools).order_by()
    missing = without_text(campaign, pooled).values("docno").distinct().count()
    title_only = with_title_only(campaign, pooled).values("docno").distinct().count()
    return TextCounts(pairs, pooled.values("docno").distinct().count(), missing, title_only)


def newest_document(campaign: Campaign) -> int:
    """Return the key of the document that was stored last, which grows with every new docno; 0 for none."""
    newest = Document.objects.filter(campaign=campaign).order_by("-pk").values_list("pk", flat=True).first()
    return newest or 0


CHUNK = 500  # docnos of a query


def count_loaded(campaign: Campaign, docnos: Sequence[str]) -> int:
    """Return how many of these distinct docnos have a document."""
    return len(loaded_docnos(campaign, docnos))


def loaded_docnos(campaign: Campaign, docnos: Sequence[str]) -> set[str]:
    """Return those of these docnos that have a document."""
    parts = (docnos[start : start + CHUNK] for start in range(0, len(docnos), CHUNK))
    rows = (campaign.documents.filter(docno__in=part).values_list("docno", flat=True) for part in parts)
    return set().union(*rows)


def is_any_loaded(campaign: Campaign, docnos: Iterable[bytes]) -> bool:
    """Whether any of these docnos has a document; stops at the first query that has one."""
    distinct = iter(dict.fromkeys(docnos))
    while part := [docno.decode() for docno in islice(distinct, CHUNK)]:
        if campaign.documents.filter(docno__in=part).exists():
            return True
    return False


def count_labels_of_texts(campaign: Campaign, docnos: Sequence[str]) -> int:
    """Return how many labels people gave here to documents with these docnos."""
    labels = Count("judgments", filter=~Q(judgments__event__source="import"))
    parts = (docnos[start : start + CHUNK] for start in range(0, len(docnos), CHUNK))
    rows = (pooled_in(campaign).filter(docno__in=part).aggregate(labels=labels) for part in parts)
    return sum(row["labels"] for row in rows)


def document_of(pooled: PooledDocument) -> Document | None:
    """Return the text that belongs to a pooled document, if it was loaded."""
    return Document.objects.filter(campaign=pooled.pool.campaign_id, docno=pooled.docno).first()


def import_version(campaign: Campaign) -> tuple[str, list[tuple[int, dict[str, int]]]]:
    """Return a version of the texts, which changes with every import of documents or images: the hash of the
    last import in the audit log, and the cursor of each import job."""
    hashes = (
        campaign.audit_log.filter(verb__in=(IMPORT_ACTION, IMAGES_ACTION))
        .order_by("-number")
        .values_list("chain_hash", flat=True)
    )
    jobs = campaign.jobs.filter(task=IMPORT_TASK).order_by("pk").values_list("pk", "cursor")
    return hashes.first() or "", list(jobs)
