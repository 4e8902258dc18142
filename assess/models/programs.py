"""What programs that label by files have in common: for battles, for matchings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.loads import WithdrawableFile

if TYPE_CHECKING:
    from pooling.models import Campaign


class Program(models.Model):
    """A program that labels a set of work beside people. It never changes: a change is a new program.

    number: in its campaign, from 1. prompt: with placeholders. model: as it is sent. salt: random; keys of
    requests are computed with it, so that nobody else can tell which systems a request is about.
    """

    if TYPE_CHECKING:
        campaign: models.ForeignKey[Campaign, Campaign]
        campaign_id: int

    number = models.PositiveIntegerField()
    name = models.CharField(max_length=60)
    model = models.CharField(max_length=120)
    prompt = models.TextField()
    salt = models.CharField(max_length=64)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Program {self.number}: {self.name}"


class ProgramLoad(WithdrawableFile):
    """A file of results of a program. A withdrawn one stays stored and counts nowhere.

    form: "batch results", or that of files of programs run elsewhere.
    """

    form = models.CharField(max_length=13)

    class Meta(WithdrawableFile.Meta):
        abstract = True
