"""The judging plan of a campaign."""

from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from assess.document_order import POLICIES
from assess.double_judging import OVERLAP_RULES
from assess.models.sources import Source
from pooling.models import Campaign


class JudgingPlan(models.Model):
    """How a campaign is judged: the order, the share that is judged twice, and options of the screen.

    A pool with a live strategy has its own order. Order and seed are fixed with the first label, so that a
    queue is never shuffled again.
    """

    class PassageFirst(models.TextChoices):
        NEVER = "never", "Whole text"
        HALF = "half", "Passage first for half of the documents"
        ALWAYS = "always", "Passage first"

    campaign = models.OneToOneField(
        Campaign, on_delete=models.CASCADE, primary_key=True, related_name="judging_plan"
    )
    order = models.CharField(
        max_length=12,
        default="random-own",
        choices=[(policy.name, policy.title) for policy in POLICIES.values() if policy.order],
    )
    seed = models.PositiveIntegerField(default=0)
    burn_in = models.PositiveSmallIntegerField(
        default=0,
        help_text="Number of first documents, drawn from all parts of the pool: several grades early.",
    )
    overlap = models.CharField(
        max_length=12,
        default="all",
        choices=[(overlap.name, overlap.title) for overlap in OVERLAP_RULES.values()],
        help_text="Which of a topic's documents its second judges get.",
    )
    overlap_share = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    overlap_count = models.PositiveSmallIntegerField(default=25, validators=[MinValueValidator(1)])
    repeat_share = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(20)],
        help_text="Percentage of a judge's documents that are repeated, unannounced, for self-agreement.",
    )
    highlighting = models.BooleanField(
        default=True, help_text="Highlight the topic's words in documents. This may bias judges."
    )
    passage_first = models.CharField(
        max_length=6,
        choices=PassageFirst,
        default=PassageFirst.NEVER,
        help_text="Which documents a judge sees first as their densest passage alone.",
    )
    breaks = models.BooleanField(default=True, help_text="Suggest a break after 50 documents or 45 minutes.")
    idle_seconds = models.PositiveSmallIntegerField(
        default=60,
        validators=[MinValueValidator(5), MaxValueValidator(3600)],
        help_text="Seconds without an event after which a judge does not work: the idle limit.",
    )
    idle_per_1000 = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(600)],
        help_text="Seconds added to the idle limit for every 1,000 characters of the document.",
    )
    reasons_required = models.BooleanField(
        default=False, help_text="Adjudicators must give a reason for each settled grade."
    )

    triage_machine = models.ForeignKey(
        Source,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The machine judge whose uncertainty decides the order by triage.",
    )
    shown_machine = models.ForeignKey(
        Source,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The machine judge whose grade judges see while they judge. Their labels are then not "
        "independent of it.",
    )

    def __str__(self) -> str:
        return f"plan of {self.campaign}"

    def idle_limit(self, characters: int) -> int:
        """Return the idle limit of a document of this length, in seconds."""
        return self.idle_seconds + self.idle_per_1000 * characters // 1000
