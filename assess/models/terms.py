"""Words that a judge wants to see highlighted."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from pooling.models import Topic


class OwnTerms(models.Model):
    """Words and phrases that one judge added to the highlighted terms of one topic, in this order."""

    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="own_terms")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="own_terms")
    terms = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judge", "topic"], name="one_list_of_terms_a_judge_and_topic")
        ]
        ordering = ["pk"]
        verbose_name_plural = "own terms"

    def __str__(self) -> str:
        return f"terms of {self.judge} on {self.topic}"
