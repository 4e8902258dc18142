"""Releases of qrels, and their files."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.release.citation import machine_sentences
from pooling.models import Campaign, Role

INTERNAL_ROLES = frozenset({Role.ORGANISER, Role.ADJUDICATOR})


class QrelsReleaseQuerySet(models.QuerySet["QrelsRelease"]):
    def visible_to(self, campaign: Campaign) -> QrelsReleaseQuerySet:
        """Return the releases that a person with the roles `campaign.my_roles` may see, newest first."""
        if campaign.my_roles & INTERNAL_ROLES:
            return self.all()
        if campaign.my_roles:
            return self.exclude(state=QrelsRelease.State.INTERNAL)
        return self.public()

    def public(self) -> QrelsReleaseQuerySet:
        """Return the releases that anyone may see."""
        return self.filter(state=QrelsRelease.State.PUBLIC)

    def standing(self) -> QrelsReleaseQuerySet:
        """Leave out withdrawn releases: they stay readable, but no page shows one by default."""
        return self.filter(withdrawn_at=None)


class QrelsRelease(models.Model):
    """A numbered release of the agreed qrels. Its files are immutable: a correction is a new release.

    Its state says who may see it. An organiser takes each step; a later release never inherits it.
    """

    class State(models.TextChoices):
        INTERNAL = "internal", "Internal: organisers and adjudicators"
        SHARED = "shared", "Shared: all members of the campaign"
        PUBLIC = "public", "Public: anyone on the internet"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="releases")
    number = models.PositiveSmallIntegerField()
    rule = models.CharField(max_length=40)
    parameters = models.JSONField(
        default=dict, help_text="The plan: rule, scope, threshold (assess.release.plan)."
    )
    manifest = models.JSONField()
    agreement = models.JSONField(
        null=True,
        help_text="Agreement of the people whose labels it uses; null for releases of early versions.",
    )
    sha256 = models.CharField(max_length=64)
    file = models.FileField()
    line_count = models.PositiveIntegerField()
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=8, choices=State, default=State.INTERNAL)
    shared_at = models.DateTimeField(null=True, help_text="When participants could first see it.")
    published_at = models.DateTimeField(null=True, help_text="When the public could first see it.")
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawal_reason = models.TextField(blank=True)

    objects = QrelsReleaseQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_release_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Qrels v{self.number}"

    @property
    def is_public(self) -> bool:
        return self.state == self.State.PUBLIC

    @property
    def is_withdrawn(self) -> bool:
        return self.withdrawn_at is not None

    @property
    def machine_sentences(self) -> list[str]:
        """How many labels of machine judges it uses, and what their audits said of this use."""
        return machine_sentences(self.manifest)

    @property
    def has_labels_of_programs(self) -> bool:
        """Whether a label of a machine judge is among those that it uses."""
        return any(machine.get("labels", 1) for machine in self.manifest.get("machines", []))

    @property
    def unjudged(self) -> int:
        """Pooled documents in its scope that are not in the qrels; 0 for releases of early versions."""
        return int(self.manifest.get("pooled_without_a_grade", 0))

    @property
    def pooled(self) -> int:
        """Pooled documents in its scope."""
        return self.line_count + self.unjudged


class ReleaseFile(models.Model):
    """One file of a release, stored under a name made from its checksum. It never changes."""

    release = models.ForeignKey(QrelsRelease, on_delete=models.CASCADE, related_name="files")
    kind = models.CharField(max_length=20, help_text="A name in assess.release.formats.")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    line_count = models.PositiveIntegerField()
    file = models.FileField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "kind"], name="one_release_file_a_kind")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.release}"
