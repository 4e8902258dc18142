"""Scores of runs against releases."""

from __future__ import annotations

from django.db import models

from assess.models import QrelsRelease
from pooling.models import Run


class Score(models.Model):
    """A run's score on a measure: per topic and aggregated.

    A pure function of the checksums of the run and the release; may be deleted and computed again.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores")
    release = models.ForeignKey(QrelsRelease, on_delete=models.CASCADE, related_name="scores")
    profile = models.CharField(max_length=20)
    measure = models.CharField(max_length=60)
    value = models.FloatField(help_text="The mean over all topics of the release (trec_eval -c).")
    by_topic = models.JSONField(help_text="topic number -> value")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "release", "profile", "measure"], name="one_score_a_measure"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.measure} {self.value:.4f}"
