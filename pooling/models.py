from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone

from pooling.scale import Grade, scale_from_json

WORD = RegexValidator(
    r"^[^\s/]+\Z", "Expected no blanks and no slash: this name stands in files and in URLs."
)


class Role(models.TextChoices):
    ORGANISER = "organiser", "Organiser"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    JUDGE = "judge", "Judge"
    PARTICIPANT = "participant", "Participant"
    READER = "reader", "Reader"


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def of(self, user: Any) -> CampaignQuerySet:
        """Return the campaigns that this person is a member of, whatever the role."""
        return self.filter(memberships__user=user).distinct()


class Campaign(models.Model):
    """One effort that ends in a test collection."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True, help_text="Its place in URLs; cannot change later.")
    description = models.TextField(blank=True)
    guidelines = models.TextField(blank=True, help_text="Markdown; every judge can open it while judging.")
    scale = models.JSONField()
    threshold = models.PositiveSmallIntegerField(help_text="The lowest grade that counts as relevant.")
    collection_size = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    run_depth = models.PositiveIntegerField(
        default=1000, help_text="The most documents a run may have for a topic."
    )
    created_at = models.DateTimeField(default=timezone.now)

    objects = CampaignQuerySet.as_manager()
    my_roles: frozenset[str] = frozenset()  # of the person who asks; `campaign_or_404` sets it

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("assess:overview", args=[self.slug])

    @property
    def grades(self) -> tuple[Grade, ...]:
        return scale_from_json(self.scale)


class Membership(models.Model):
    """What a person may do in a campaign. One row a role; removing it removes no label."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    group = models.CharField(max_length=60, blank=True, help_text="The group that a participant submits for.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "user", "role"], name="one_row_a_role")]
        ordering = ["role", "user__username"]

    def __str__(self) -> str:
        return f"{self.user}, {self.get_role_display().lower()}"


class Invitation(models.Model):
    """A link that makes whoever opens it a member, once. The link itself is never stored, only its hash."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role)
    group = models.CharField(max_length=60, blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["expires_at"]

    def __str__(self) -> str:
        return f"{self.get_role_display()} of {self.campaign}"


class Topic(models.Model):
    number = models.CharField(
        max_length=60, validators=[WORD], help_text='Text, as in run files: "401", "A-7".'
    )
    title = models.TextField()
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    place = models.PositiveIntegerField(
        help_text="Order of the pages: the order in which topics were loaded."
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="topics")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_topic_a_number")]
        ordering = ["place"]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


class Document(models.Model):
    """The text that judges see. By default only pooled documents are kept."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)
    url = models.TextField(blank=True)
    text_hash = models.CharField(max_length=64, help_text="SHA-256 of title and text.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "docno"], name="one_document_a_docno")]

    def __str__(self) -> str:
        return self.docno


class RunQuerySet(models.QuerySet["Run"]):
    def annotate_pooled(self) -> RunQuerySet:
        """Add `pool_count`: in how many frozen pools the run takes part."""
        return self.annotate(pool_count=models.Count("pools"))


class Run(models.Model):
    """What a system returned. The submitted bytes are the evidence: kept compressed, never changed."""

    class Kind(models.TextChoices):
        AUTOMATIC = "automatic", "automatic"
        MANUAL = "manual", "manual"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="runs")
    tag = models.CharField(max_length=120, validators=[WORD])
    group = models.CharField(max_length=60, blank=True)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.AUTOMATIC)
    priority = models.PositiveSmallIntegerField(default=1, help_text="1 is pooled first of a group's runs.")
    description = models.TextField(blank=True)
    file_tag = models.CharField(max_length=255, help_text="What stands in the file's last column.")
    file_name = models.CharField(max_length=255)
    original = models.FileField()
    sha256 = models.CharField(max_length=64, help_text="Of the run as text, after unpacking.")
    line_count = models.PositiveIntegerField()
    topic_count = models.PositiveIntegerField()
    warnings = models.JSONField(default=list)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(default=timezone.now)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "tag"], name="one_run_a_tag")]
        ordering = ["tag"]

    def __str__(self) -> str:
        return self.tag


class RunColumns(models.Model):
    """The parsed run, a blob an array (`pooling.stored`); can be made again from the original."""

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


class Pool(models.Model):
    """Which documents are to be judged, and why these. Frozen as it is made: the manifest never changes."""

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
