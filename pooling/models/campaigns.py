"""Campaigns, who is in them, and their topics."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone

from pooling.languages import MAX_TAG
from pooling.limits import MAX_TOPIC_BYTES, NAME_PATTERN, TOPIC_PATTERN
from pooling.scale import Grade, scale_from_json

TOPIC_NUMBER = RegexValidator(
    TOPIC_PATTERN.pattern,
    "Expected no blanks, no # at the beginning and not . or ..: this number stands in files and in URLs.",
)
WORD = RegexValidator(
    NAME_PATTERN.pattern,
    "Expected no blanks, no slash and not . or ..: this name stands in files and in URLs.",
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

    class State(models.TextChoices):
        """Draft: only organisers add anything. Closed: no runs and labels are added. Archived: read-only."""

        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"
        ARCHIVED = "archived", "Archived"

    class LateRuns(models.TextChoices):
        REFUSE = "refuse", "are refused"
        MARK = "mark", "are accepted and marked as late"

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True, help_text="Its place in URLs; cannot change later.")
    description = models.TextField(blank=True)
    guidelines = models.TextField(blank=True, help_text="Markdown; every judge can open it while judging.")
    language = models.CharField(
        max_length=MAX_TAG,
        blank=True,
        help_text="Of topics and documents: a BCP 47 tag, such as ar or zh-Hant.",
    )
    joins_lines = models.BooleanField(
        default=False,
        help_text="Judges see documents with their lines joined: the texts come from PDF files with a line"
        " break after every line.",
    )
    scale = models.JSONField()
    threshold = models.PositiveSmallIntegerField(help_text="The lowest grade that counts as relevant.")
    collection_size = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    run_depth = models.PositiveIntegerField(
        default=1000, help_text="The most documents a run may have for a topic."
    )
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    time_zone = models.CharField(max_length=60, default="UTC", help_text="IANA name, such as Europe/Berlin.")
    accepts_runs = models.BooleanField(
        default=True, help_text="The switch of submission; the dates below limit it further."
    )
    accepts_judge_runs = models.BooleanField(
        default=False,
        help_text="Participants see the list of pooled documents, and may submit runs of machine judges.",
    )
    runs_per_group = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="The most runs of a group that are not withdrawn; null: no limit.",
    )
    runs_per_day = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="The most runs that a group submits on a day; null: no limit. Refused files do not count.",
    )
    submission_opens_at = models.DateTimeField(null=True, blank=True)
    submission_closes_at = models.DateTimeField(null=True, blank=True)
    late_runs = models.CharField(max_length=6, choices=LateRuns, default=LateRuns.REFUSE)
    judging_ends_at = models.DateTimeField(null=True, blank=True)
    release_planned_at = models.DateTimeField(null=True, blank=True)
    rules = models.TextField(blank=True, help_text="Markdown: what participants must know and keep to.")
    licence = models.CharField(
        max_length=200, blank=True, help_text="Of topics and qrels, such as CC BY 4.0."
    )
    contact = models.CharField(max_length=200, blank=True, help_text="A mail address or a name.")
    home_page = models.URLField(blank=True)
    shows_topic_statistics = models.BooleanField(
        default=False,
        help_text="Participants see minimum, median and maximum of all runs per topic, without names.",
    )
    hourly_rate = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, default="EUR", help_text="ISO 4217, such as EUR.")
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

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def is_archived(self) -> bool:
        return self.state == self.State.ARCHIVED


class Membership(models.Model):
    """What a person may do in a campaign. One row a role; removing it removes no label."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    group = models.CharField(max_length=60, blank=True, help_text="The group that a participant submits for.")
    hourly_rate = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="Of a judge; null: the campaign's rate.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user", "role"], name="one_row_a_role"),
            models.CheckConstraint(
                condition=~models.Q(role=Role.PARTICIPANT) | ~models.Q(group=""),
                name="participant_has_a_group",
            ),
        ]
        ordering = ["role", "user__username"]

    def __str__(self) -> str:
        return f"{self.user}, {self.get_role_display().lower()}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> InvitationQuerySet:
        """Leave out invitations that were accepted or have expired."""
        return self.filter(used_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A link that makes one person a member. Only its hash is stored; revoking it deletes the row."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role)
    group = models.CharField(max_length=60, blank=True)
    recipient = models.CharField(max_length=120, blank=True, help_text="A note: for whom the link is.")
    email = models.EmailField(blank=True, help_text="The address to which the link was mailed.")
    token_hash = models.CharField(max_length=64, unique=True)
    is_mailed_only = models.BooleanField(
        default=False,
        help_text="The present link was mailed, and no page has shown it: it proves the address.",
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    used_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["expires_at"]

    def __str__(self) -> str:
        return f"{self.get_role_display()} of {self.campaign}"


class Topic(models.Model):
    number = models.CharField(
        max_length=MAX_TOPIC_BYTES,
        validators=[TOPIC_NUMBER],
        help_text='Text, as in run files: "401", "A-7", "enwiki:Jury/Duty".',
    )
    title = models.TextField()
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    terms = models.TextField(
        blank=True, help_text="Words and phrases to highlight besides those of the title, one on a line."
    )
    place = models.PositiveIntegerField(
        help_text="Order of the pages: the order in which topics were loaded."
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="topics")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_topic_a_number")]
        ordering = ["place"]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


class TopicRevision(models.Model):
    """The text of a topic before it was reworded. Judges who labelled earlier have read this text."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="revisions")
    title = models.TextField()
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    replaced_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    replaced_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.topic.number} until {self.replaced_at:%Y-%m-%d %H:%M}"
