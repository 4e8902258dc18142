"""Snippets of results: what a result page shows of a document, and the grades of judges for both."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models

from assess.models.judged_sets import JudgedSet, JudgesLabel
from pooling.models import Campaign, Run, Topic
from pooling.scale import Grade, scale_from_json


class RunSnippet(models.Model):
    """A snippet that a run brought. topic: None for one that is the same for every topic."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="snippets")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, null=True, related_name="+")
    docno = models.CharField(max_length=200)
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "topic", "docno"], name="one_snippet_of_a_run"),
            models.UniqueConstraint(
                fields=["run", "docno"], condition=models.Q(topic=None), name="one_snippet_for_every_topic"
            ),
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.run}, {self.docno}"


class SnippetSet(JudgedSet):
    """The first results of a run for topics, which judges grade twice: the snippet, then the document.

    depth: results of a topic. origin: where the snippets are from. scale, threshold: of the campaign when the
    set was made, so that no later change of the scale changes a figure.
    """

    class Origin(models.TextChoices):
        DOCUMENT = "document", "Passages of the document around the words of the topic"
        RUN = "run", "The snippets that the run brought"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="snippet_sets")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="snippet_sets")
    origin = models.CharField(max_length=10, choices=Origin)
    depth = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    scale = models.JSONField()
    threshold = models.PositiveSmallIntegerField()
    instructions = models.TextField(blank=True)
    double = models.PositiveSmallIntegerField(help_text="Per cent of the topics that have two judges.")
    seed = models.PositiveIntegerField(help_text="Decides judges and the order of each judge.")

    class Meta(JudgedSet.Meta):
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_snippet_set_a_number")
        ]

    def __str__(self) -> str:
        return f"Snippets {self.number}"

    @property
    def grades(self) -> tuple[Grade, ...]:
        return scale_from_json(self.scale)


class SnippetResult(models.Model):
    """A result as all judges of a set see it: title, snippet and address were stored with the set.

    text_hash: of the document from which they were taken.
    """

    snippet_set = models.ForeignKey(SnippetSet, on_delete=models.CASCADE, related_name="results")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    rank = models.PositiveIntegerField()
    docno = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    address = models.TextField(blank=True)
    snippet = models.TextField(blank=True)
    text_hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["snippet_set", "topic", "docno"], name="one_snippet_result")
        ]
        ordering = ["snippet_set", "topic", "rank"]

    def __str__(self) -> str:
        return f"{self.snippet_set}, {self.docno}"


class SnippetTask(models.Model):
    """A snippet, or the document behind it, for a judge. place: in the order of this judge, from 1.

    The document of a result comes directly after its snippet.
    """

    class Step(models.TextChoices):
        SNIPPET = "snippet", "Snippet"
        DOCUMENT = "document", "Document"

    snippet_set = models.ForeignKey(SnippetSet, on_delete=models.CASCADE, related_name="tasks")
    result = models.ForeignKey(SnippetResult, on_delete=models.CASCADE, related_name="tasks")
    step = models.CharField(max_length=8, choices=Step)
    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="snippet_tasks"
    )
    place = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["result", "step", "judge"], name="one_snippet_task"),
            models.UniqueConstraint(fields=["snippet_set", "judge", "place"], name="one_snippet_place"),
        ]
        ordering = ["snippet_set", "judge", "place"]

    def __str__(self) -> str:
        return f"{self.result}, {self.step}, {self.judge}"


class SnippetGrade(JudgesLabel):
    """What a judge says of a snippet or a document. Append-only: the last one counts.

    grade: on the scale of the campaign; null for taken back. answers: whether the snippet alone answers the
    topic, so that nobody would open the document; False for a document. text_hash: of the document read.
    """

    uuid = models.UUIDField(unique=True, help_text="Generated by the client, so that a retry is the same.")
    task = models.ForeignKey(SnippetTask, on_delete=models.PROTECT, related_name="given")
    grade = models.PositiveSmallIntegerField(null=True)
    answers = models.BooleanField(default=False)
    text_hash = models.CharField(max_length=64, blank=True)
    reason = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.task}: {'no grade' if self.grade is None else self.grade}"
