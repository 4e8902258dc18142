"""The texts that judges read."""

from __future__ import annotations

from django.db import models

from pooling.models.campaigns import Campaign


class Document(models.Model):
    """The text that judges see. By default only pooled documents are kept."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)
    url = models.TextField(blank=True)
    facts = models.JSONField(
        default=list, blank=True, help_text="What else the file says, [name, value] each: date, author ..."
    )
    text_hash = models.CharField(max_length=64, help_text="SHA-256 of title and text.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "docno"], name="one_document_a_docno")]

    def __str__(self) -> str:
        return self.docno
