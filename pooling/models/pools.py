"""Pools, the documents in them, and the texts of documents."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models.campaigns import Campaign, Topic
from pooling.models.runs import Run


class Document(models.Model):
    """The text that judges see. By default only pooled documents are stored."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)
    url = models.TextField(blank=True)
    facts = models.JSONField(
        default=list, blank=True, help_text="What else the file says, [name, value] each: date, author ..."
    )
    text_hash = models.CharField(max_length=64, help_text="SHA-256 of title, text and images.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "docno"], name="one_document_a_docno")]

    def __str__(self) -> str:
        return self.docno


class Pool(models.Model):
    """Which documents are to be judged, and why these. Frozen as it is made: the manifest never changes."""

    PROBES = "probes"  # the strategy of documents that test judges: they are shown, and count for nothing
    UNJUDGED = "holes"  # the strategy of unjudged documents among the first k of every run
    HIGH_RECALL = "high recall"  # the strategy of batches that a model chose, with a part of a random sample

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pools")
    number = models.PositiveSmallIntegerField()
    strategy = models.CharField(max_length=40)
    parameters = models.JSONField()
    manifest = models.JSONField()
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(default=timezone.now)
    runs = models.ManyToManyField(Run, related_name="pools")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_pool_a_number")]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"Pool {self.number}"


class PooledDocument(models.Model):
    """One document to be judged for one topic. Rank and number of runs never reach a judge."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="documents")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="pooled")
    docno = models.CharField(max_length=200)
    best_rank = models.PositiveIntegerField(null=True)
    run_count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "docno"], name="one_pooled_document_a_pair")]
        ordering = ["topic", "docno"]

    def __str__(self) -> str:
        return f"{self.topic.number} {self.docno}"
