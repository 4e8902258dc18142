"""Programs that match nuggets with answers. Their labels are never counted among those of people."""

from __future__ import annotations

from django.db import models

from assess.models.answers import Answer
from assess.models.matchings import Matching
from assess.models.nuggets import BankNugget
from assess.models.programs import Program, ProgramLoad
from pooling.models import Campaign


class MatchingProgram(Program):
    """A program that matches the nuggets and answers of a matching. It never changes: a change is a new one.

    prompt: with placeholders, as of `assess.matching_programs.prompt`. prompt_version: from 1; programs of a
    campaign with the same prompt have the same one. prompt_sha256: of the prompt. model: as it is sent. salt:
    random; keys of requests are computed with it, so that nobody else can tell which system a request is
    about.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="matching_programs")
    matching = models.ForeignKey(Matching, on_delete=models.CASCADE, related_name="programs")
    prompt_version = models.PositiveIntegerField()
    prompt_sha256 = models.CharField(max_length=64)

    class Meta(Program.Meta):
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_matching_program_a_number")
        ]

    @property
    def about(self) -> Matching:
        return self.matching


class MatchingProgramLoad(ProgramLoad):
    """A file of results of a program. A withdrawn one stays stored and counts nowhere.

    sha256: of the text, after unpacking. form: "batch results" or "assignments".
    """

    program = models.ForeignKey(MatchingProgram, on_delete=models.PROTECT, related_name="loads")

    class Meta(ProgramLoad.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["program", "sha256"],
                condition=models.Q(withdrawn_at=None),
                name="one_matching_program_load_a_file",
            )
        ]


class ProgramNuggetLabel(models.Model):
    """What a program said of a nugget and an answer. It never changes.

    assignment: as of NuggetLabel; "" without a readable one, and `problem` then says why. line: in the file,
    from 1.
    """

    load = models.ForeignKey(MatchingProgramLoad, on_delete=models.CASCADE, related_name="labels")
    line = models.PositiveIntegerField()
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="+")
    nugget = models.ForeignKey(BankNugget, on_delete=models.PROTECT, related_name="+")
    assignment = models.CharField(max_length=16, blank=True)
    problem = models.CharField(max_length=200, blank=True)
    reply = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["load", "answer", "nugget"], name="one_program_label_a_nugget")
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.load}, line {self.line}: {self.assignment or self.problem}"
