"""What a judge writes down about the reading of a topic."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Topic


class TopicNote(models.Model):
    """One judge's own note on one topic: how the narrative is read, and what was decided on the way."""

    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="topic_notes")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "topic"], name="one_note_a_judge_and_topic")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"note of {self.judge} on {self.topic}"
