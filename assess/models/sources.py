"""Sources of labels: whose they are, and the files that they came in."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import User
from pooling.models import Campaign, Pool


class Withdrawable(models.Model):
    """What was put in and can be taken out: while it is withdrawn it stays stored and counts nowhere."""

    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawal_reason = models.TextField(blank=True)

    class Meta:
        abstract = True

    def withdraw(self, by: User, reason: str) -> None:
        self.withdrawn_at, self.withdrawn_by, self.withdrawal_reason = timezone.now(), by, reason
        self.save(update_fields=WITHDRAWAL)

    def restore(self) -> None:
        self.withdrawn_at, self.withdrawn_by, self.withdrawal_reason = None, None, ""
        self.save(update_fields=WITHDRAWAL)


WITHDRAWAL = ("withdrawn_at", "withdrawn_by", "withdrawal_reason")


class SourceQuerySet(models.QuerySet["Source"]):
    def standing(self) -> SourceQuerySet:
        """Return the sources that are not withdrawn."""
        return self.filter(withdrawn_at=None)

    def withdrawn(self) -> SourceQuerySet:
        return self.filter(withdrawn_at__isnull=False)

    def programs(self) -> SourceQuerySet:
        """Return the machine judges."""
        return self.filter(kind__in=Source.PROGRAMS)


class Source(Withdrawable):
    """Whose labels they are: one row for every judge with labels in a campaign.

    A withdrawn source counts nowhere: its events stay, but none of them makes a judgment. It stays in the
    releases that were frozen before. People do not see the labels of programs while judging.
    """

    class Kind(models.TextChoices):
        PERSON = "person", "Person"
        ELSEWHERE = "elsewhere", "People elsewhere"
        FILE = "file", "Labels from a file"
        LANGUAGE_MODEL = "model", "Language model"
        CLICKS = "clicks", "Clicks of users"

    PROGRAMS = (Kind.FILE, Kind.LANGUAGE_MODEL, Kind.CLICKS)

    class Independence(models.TextChoices):
        UNKNOWN = "", "Not known"
        YES = "yes", "Yes"
        NO = "no", "No: they saw runs, or labels of others"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="sources")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sources")
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.PERSON)
    model = models.CharField(
        max_length=120, blank=True, help_text="Name and version of a program, as its maker writes them."
    )
    prompt_sha256 = models.CharField(max_length=64, blank=True, help_text="Empty where there is no prompt.")
    made_on = models.DateField(null=True, help_text="When the labels were made, if elsewhere.")
    independent = models.CharField(
        max_length=3,
        choices=Independence,
        blank=True,
        help_text="Whether the labels were made without knowing the runs and the labels of others.",
    )
    note = models.TextField(blank=True)
    left_out = models.PositiveIntegerField(default=0, help_text="Labels of documents in no pool.")
    loaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Null for people who judge here.",
    )
    loaded_at = models.DateTimeField(default=timezone.now)

    objects = SourceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="one_source_a_judge"),
        ]
        ordering = ["user__username"]

    def __str__(self) -> str:
        return f"{self.user} ({self.model})" if self.model else str(self.user)

    @property
    def is_from_file(self) -> bool:
        return self.kind in (self.Kind.FILE, self.Kind.ELSEWHERE)

    @property
    def is_program(self) -> bool:
        return self.kind in self.PROGRAMS


class Load(models.Model):
    """A file of labels that was stored. Its labels are withdrawn with their source.

    counts: labels, and what was left out. grades: (grade in the file, grade of the campaign) where they
    differ. pool: the pool of documents that were in no other when the file was stored.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="loads")
    number = models.PositiveIntegerField()
    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="load")
    name = models.CharField(max_length=255, help_text="Name of the file.")
    sha256 = models.CharField(max_length=64)
    counts = models.JSONField(default=dict)
    grades = models.JSONField(default=list)
    reading = models.JSONField(
        default=dict, help_text="What a person said about the file: fields, words, topics, docnos."
    )
    pool = models.OneToOneField(Pool, on_delete=models.SET_NULL, null=True, related_name="load")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_load_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Load {self.number}: {self.name}"
