"""Programs that compare the answers of battles. Their votes are never counted among those of people."""

from __future__ import annotations

from django.db import models

from assess.models.answers import Answer
from assess.models.battles import BattleSet, BattleVote
from assess.models.programs import Program, ProgramLoad
from pooling.models import Campaign


class BattleProgram(Program):
    """A program that compares the pairs of a set of battles. It never changes: a change is a new program.

    prompt: with placeholders, as of `assess.battle_programs.prompt`. model: as it is sent. salt: random; keys
    of requests are computed with it, so that nobody else can tell which systems a request is about.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="battle_programs")
    battle_set = models.ForeignKey(BattleSet, on_delete=models.CASCADE, related_name="programs")

    class Meta(Program.Meta):
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_battle_program_a_number")
        ]

    @property
    def about(self) -> BattleSet:
        return self.battle_set


class BattleProgramLoad(ProgramLoad):
    """A file of results of a program. A withdrawn one stays stored and counts nowhere.

    sha256: of the text, after unpacking. form: "batch results" or "votes".
    """

    program = models.ForeignKey(BattleProgram, on_delete=models.PROTECT, related_name="loads")

    class Meta(ProgramLoad.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["program", "sha256"],
                condition=models.Q(withdrawn_at=None),
                name="one_battle_program_load_a_file",
            )
        ]


class BattleProgramVote(models.Model):
    """What a program said of two answers in one order. It never changes.

    left, right: the first and the second answer that the program read. choice: as of BattleVote; "" without a
    readable one, and `problem` then says why. line: in the file, from 1.
    """

    load = models.ForeignKey(BattleProgramLoad, on_delete=models.CASCADE, related_name="votes")
    line = models.PositiveIntegerField()
    left = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="+")
    right = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="+")
    choice = models.CharField(max_length=8, choices=BattleVote.Choice, blank=True)
    problem = models.CharField(max_length=200, blank=True)
    reply = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["load", "left", "right"], name="one_program_vote_an_order"),
            models.CheckConstraint(
                condition=~models.Q(left=models.F("right")), name="a_program_vote_on_two_answers"
            ),
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.load}, line {self.line}: {self.choice or self.problem}"
