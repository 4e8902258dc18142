"""How a campaign is judged."""

from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from assess.overlap import OVERLAPS
from assess.queue import POLICIES
from pooling.models import Campaign


class JudgingPlan(models.Model):
    """How a campaign is judged: in which order, how much of it twice, and what the screen does.

    A pool with a live strategy brings its own order. Order and seed are fixed with the first label, so that
    nobody's queue is ever shuffled anew.
    """

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
        help_text="So many documents from all parts of the pool come first: several grades early.",
    )
    overlap = models.CharField(
        max_length=12,
        default="all",
        choices=[(overlap.name, overlap.title) for overlap in OVERLAPS.values()],
        help_text="Which of a topic's documents its second judges get.",
    )
    overlap_share = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    overlap_count = models.PositiveSmallIntegerField(default=25, validators=[MinValueValidator(1)])
    repeat_share = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(20)],
        help_text="Per cent of a judge's documents that come once more, unannounced, for self-agreement.",
    )
    highlighting = models.BooleanField(
        default=True, help_text="Mark the topic's words in documents. It may bias."
    )
    breaks = models.BooleanField(default=True, help_text="Suggest a break after 50 documents or 45 minutes.")
    reasons_required = models.BooleanField(
        default=False, help_text="Adjudicators must say why they settle a document as they do."
    )

    def __str__(self) -> str:
        return f"plan of {self.campaign}"
