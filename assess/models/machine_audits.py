"""Audits of machine judges by people: the random sample, with its design."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.sources import Source
from pooling.models import Campaign, PooledDocument


class MachineAudit(models.Model):
    """A stratified random sample of documents that a machine judge labelled, for people to judge.

    design: seed, allocation, and for each stratum its name, documents and sampled documents
    (metrics.machine_audits.sample). It never changes: a second sample is another audit.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="machine_audits")
    machine = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="audits")
    number = models.PositiveSmallIntegerField()
    design = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_audit_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Audit {self.number} of {self.machine.user}"


class AuditedDocument(models.Model):
    """A sampled document. probability: of its inclusion in the sample.

    judges: who is to judge it because of the audit. An existing label of another person counts, too.
    """

    audit = models.ForeignKey(MachineAudit, on_delete=models.CASCADE, related_name="documents")
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="audited")
    stratum = models.PositiveSmallIntegerField(help_text="Place in the strata of the design.")
    machine_grade = models.PositiveSmallIntegerField()
    probability = models.FloatField()
    judges = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="audited")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["audit", "pooled"], name="one_audited_document_an_audit")
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.pooled} in {self.audit}"
