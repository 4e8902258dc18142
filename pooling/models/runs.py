"""What systems returned."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.formats.runs import BY_RANK, BY_SCORE, LOWEST_FIRST
from pooling.models.campaigns import WORD, Campaign


class RunQuerySet(models.QuerySet["Run"]):
    def annotate_pooled(self) -> RunQuerySet:
        """Add `pool_count`: in how many frozen pools the run takes part."""
        return self.annotate(pool_count=models.Count("pools"))

    def active(self) -> RunQuerySet:
        """Leave out withdrawn runs: they are kept as evidence, and are neither pooled nor scored."""
        return self.filter(withdrawn_at=None)

    def ranked(self) -> RunQuerySet:
        """Leave out withdrawn and hidden runs, which leaderboards and public pages do not show."""
        return self.active().filter(is_hidden=False)


class Run(models.Model):
    """What a system returned. The submitted bytes are the evidence: kept compressed, never changed."""

    class Kind(models.TextChoices):
        AUTOMATIC = "automatic", "automatic"
        MANUAL = "manual", "manual"

    class Order(models.TextChoices):
        SCORE = BY_SCORE, "by score, highest first (as trec_eval)"
        RANK = BY_RANK, "by the rank column"
        LOWEST = LOWEST_FIRST, "lowest score first (distances)"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="runs")
    tag = models.CharField(max_length=120, validators=[WORD])
    group = models.CharField(max_length=60, blank=True)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.AUTOMATIC)
    priority = models.PositiveSmallIntegerField(default=1, help_text="1 is pooled first of a group's runs.")
    description = models.TextField(blank=True)
    order = models.CharField(max_length=6, choices=Order, default=Order.SCORE)
    fields = models.JSONField(
        default=dict, help_text="Field -> meaning of a table, where a person chose them."
    )
    topic_numbers = models.JSONField(
        default=dict, help_text="Topic in the file -> its number in the campaign, where they differ."
    )
    file_tag = models.CharField(max_length=255, help_text="What stands in the file's last column.")
    file_name = models.CharField(max_length=255)
    original = models.FileField()
    sha256 = models.CharField(max_length=64, help_text="Of the run as text, after unpacking.")
    line_count = models.PositiveIntegerField()
    topic_count = models.PositiveIntegerField()
    warnings = models.JSONField(default=list)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(default=timezone.now)
    is_late = models.BooleanField(default=False, help_text="Submitted after the deadline.")
    is_hidden = models.BooleanField(
        default=False, help_text="Not on leaderboards and public pages; its group sees its scores."
    )
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawal_reason = models.TextField(blank=True)
    former_tag = models.CharField(
        max_length=120, blank=True, help_text="The tag that it had until a newer version took it."
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "tag"], name="one_run_a_tag")]
        ordering = ["tag"]

    def __str__(self) -> str:
        return self.tag

    @property
    def name_by_checksum(self) -> str:
        """The name under which the file is stored."""
        return f"runs/{self.sha256}.gz"


class RunColumns(models.Model):
    """The parsed run, one blob for each array (`pooling.formats.run_columns`), derived from the original."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="columns")
    topics = models.BinaryField()
    offsets = models.BinaryField()
    ids = models.BinaryField()
    scores = models.BinaryField()
    scoring = models.BinaryField()

    def __str__(self) -> str:
        return f"columns of {self.run}"


class DocnoBlock(models.Model):
    """A stretch of the campaign's docno dictionary: a docno's place in it, over all blocks, is its number.

    Append-only, a block for every run that brought new docnos, so the dictionary grows by what is new.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="docno_blocks")
    start = models.PositiveIntegerField(help_text="The number of the first docno.")
    docnos = models.BinaryField(help_text="Sorted docnos, a line each, compressed with zlib.")
    checksum = models.CharField(max_length=64, help_text="SHA-256 of docnos, as stored.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "start"], name="one_docno_a_number")]
        ordering = ["start"]

    def __str__(self) -> str:
        return f"docnos of {self.campaign} from {self.start}"
