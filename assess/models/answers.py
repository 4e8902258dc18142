"""Answer runs: generated answers with citations, submitted like runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils import timezone

from pooling.models import WORD, Campaign, Run, Topic


class AnswerRules(models.Model):
    """Whether participants submit answers, and what answers must be. Null: the limit of the form.

    form: a key of `assess.answers.answer_files.FORMS`; "" for any.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="answer_rules")
    accepts = models.BooleanField(default=False)
    form = models.CharField(max_length=20, blank=True)
    words = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    characters = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    citations = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    references = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])

    def __str__(self) -> str:
        return f"answer rules of {self.campaign}"


class AnswerRunQuerySet(models.QuerySet["AnswerRun"]):
    def active(self) -> AnswerRunQuerySet:
        """Leave out withdrawn runs: they stay as evidence, and nobody assesses them."""
        return self.filter(withdrawn_at=None)


class AnswerRun(models.Model):
    """The answers of one system. The submitted bytes stay compressed and never change.

    group: who submitted. form: as in AnswerRules. topic_numbers: topic in the file -> its number in the
    campaign, where they differ. sha256: of the text, after unpacking.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="answer_runs")
    tag = models.CharField(max_length=120, validators=[WORD])
    group = models.CharField(max_length=60, blank=True)
    kind = models.CharField(max_length=12, choices=Run.Kind, default=Run.Kind.AUTOMATIC)
    description = models.TextField(blank=True)
    form = models.CharField(max_length=20)
    topic_numbers = models.JSONField(default=dict)
    file_name = models.CharField(max_length=255)
    original = models.FileField()
    sha256 = models.CharField(max_length=64)
    answer_count = models.PositiveIntegerField()
    warnings = models.JSONField(default=list)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(default=timezone.now)
    is_late = models.BooleanField(default=False, help_text="Submitted after the deadline.")
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = AnswerRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "tag"],
                condition=models.Q(withdrawn_at=None),
                name="one_answer_run_a_tag",
            )
        ]
        ordering = ["tag", "pk"]

    def __str__(self) -> str:
        return self.tag

    @property
    def name_by_checksum(self) -> str:
        """The name under which the file is stored."""
        return f"runs/{self.sha256}.gz"


class StoredSentence(NamedTuple):
    """A sentence of an answer. citations: docnos in order. scores: of the citations, if the file had them."""

    text: str
    citations: Sequence[str]
    scores: Sequence[float] = ()


class Answer(models.Model):
    """The answer of a run to one topic.

    sentences: [text, [docno, ...]] or [text, [docno, ...], [score, ...]], in order. They are one value,
    because an answer is read whole and never changes; what is asked across answers, the cited documents, has
    rows of its own. references, metadata: as in the file. line: in the file, from 1. words, characters: of
    the text, as limits count them.
    """

    run = models.ForeignKey(AnswerRun, on_delete=models.CASCADE, related_name="answers")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="answers")
    line = models.PositiveIntegerField()
    sentences = models.JSONField()
    references = models.JSONField()
    metadata = models.JSONField()
    words = models.PositiveIntegerField()
    characters = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "topic"], name="one_answer_a_topic")]
        ordering = ["run", "topic__place"]

    def __str__(self) -> str:
        return f"{self.run} on {self.topic.number}"

    @property
    def stored_sentences(self) -> list[StoredSentence]:
        return [StoredSentence(*sentence) for sentence in self.sentences]


class CitedDocument(models.Model):
    """A document that an answer cites, derived from its sentences. place: the order of the first citation."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="cited")
    docno = models.CharField(max_length=200)
    place = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "docno"], name="one_cited_document_a_pair")]
        indexes = [models.Index(fields=["docno"], name="answers_that_cite")]
        ordering = ["answer", "place"]

    def __str__(self) -> str:
        return f"{self.answer} cites {self.docno}"
