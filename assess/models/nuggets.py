"""Nugget banks: what answers to each topic should hold, how important it is, and which answers hold it."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.answers import Answer
from assess.models.loads import WithdrawableFile
from pooling.models import Campaign, Topic


class Bank(models.Model):
    """The nuggets of a campaign: a draft, or a version that never changes.

    number: of the version, from 1. grading: the kind of importance, in the words of
    `assess.nuggets.banks.grading_of`. frozen_at: null of the draft. sha256: of the frozen bank's file in the
    form of questions, "" of the draft. based_on: the number of the version that the draft was begun from.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="nugget_banks")
    number = models.PositiveIntegerField()
    grading = models.CharField(max_length=40, default="vital or okay")
    based_on = models.PositiveIntegerField(null=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    frozen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    frozen_at = models.DateTimeField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_nugget_bank_a_number"),
            models.UniqueConstraint(
                fields=["campaign"], condition=models.Q(frozen_at=None), name="one_draft_of_nuggets"
            ),
        ]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Nugget bank {self.number}"

    @property
    def is_draft(self) -> bool:
        return self.frozen_at is None


class BankNugget(models.Model):
    """A nugget of a bank, as `assess.nuggets.banks.Nugget` describes it.

    place: in its topic, from 1. importance: a word, a number or null. answers, references, creators, extra:
    as `assess.nuggets.records` writes and reads them. author: who made it here; null if it came by file. key:
    the same in all versions of the bank.
    """

    bank = models.ForeignKey(Bank, on_delete=models.CASCADE, related_name="nuggets")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    key = models.UUIDField(default=uuid.uuid4)
    place = models.PositiveIntegerField()
    text = models.TextField()
    importance = models.JSONField(null=True)
    aggregator = models.CharField(max_length=3, blank=True)
    answers = models.JSONField(default=list)
    references = models.JSONField(default=list)
    creators = models.JSONField(default=list)
    extra = models.JSONField(default=dict)
    is_suggestion = models.BooleanField(default=False, help_text="A program made it or had a part in it.")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bank", "topic", "place"], name="one_nugget_a_place"),
            models.UniqueConstraint(fields=["bank", "key"], name="one_nugget_a_key"),
        ]
        ordering = ["bank", "topic__place", "place"]

    def __str__(self) -> str:
        return self.text


class NuggetLoad(WithdrawableFile):
    """A file of nuggets that was loaded into a draft. A withdrawn one has given the draft nothing.

    new: nuggets that the draft got from it. known: those that the draft had already.
    """

    bank = models.ForeignKey(Bank, on_delete=models.CASCADE, related_name="loads")
    new = models.PositiveIntegerField(default=0)
    known = models.PositiveIntegerField(default=0)

    class Meta(WithdrawableFile.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "sha256"],
                condition=models.Q(withdrawn_at=None),
                name="one_standing_load_of_a_file",
            ),
        ]


class NuggetPart(models.Model):
    """What a load gave to a nugget, or what people had of it before: load null.

    record: the columns of the nugget at that time. A nugget of people that no file has anything to do with
    has no parts.
    """

    nugget = models.ForeignKey(BankNugget, on_delete=models.CASCADE, related_name="parts")
    load = models.ForeignKey(NuggetLoad, on_delete=models.CASCADE, null=True, related_name="parts")
    record = models.JSONField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.nugget}, {self.load or 'people'}"


class ImportanceVote(models.Model):
    """What a person says of the importance of a nugget of a draft. importance: a word or a number."""

    nugget = models.ForeignKey(BankNugget, on_delete=models.CASCADE, related_name="votes")
    voter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    importance = models.JSONField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["nugget", "voter"], name="one_importance_a_voter"),
        ]

    def __str__(self) -> str:
        return f"{self.nugget}, {self.voter}: {self.importance}"


class AnswerMark(models.Model):
    """Words of an answer that hold a nugget, as a judge says who read the answer blind.

    sentence: its place in the answer, from 1. start, end: of the words, in characters of the sentence's text
    from 0, the end excluded. text: the words, as they stand there. An answer without a mark may hold the
    nugget all the same.
    """

    nugget = models.ForeignKey(BankNugget, on_delete=models.CASCADE, related_name="marks")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    sentence = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["nugget", "answer", "author", "sentence", "start", "end"],
                name="one_answer_mark_of_words",
            ),
        ]
        ordering = ["nugget", "answer", "sentence", "start", "pk"]

    def __str__(self) -> str:
        return f"{self.nugget}: {self.text}"
