"""Files of votes on battles from programs that were run elsewhere: topic, left, right, choice."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from assess.battle_programs.replies import CHOICE_OF
from pooling.formats.files import BadFile
from pooling.formats.text import replace_unstorable
from pooling.intake.fields import InputKind
from pooling.intake.tables import number_text, read_table

FIELDS = ("topic", "left", "right", "choice")
VOTES = InputKind("votes", {field: ((field,),) for field in FIELDS}, FIELDS)
CHOICES = tuple(CHOICE_OF.values())


class FileVote(NamedTuple):
    """A vote of a file. left, right: tags of answer runs, in the order in which the program read them."""

    line: int
    topic: str
    left: str
    right: str
    choice: str


def read_votes(content: bytes, known: Collection[tuple[str, str, str]], name: str = "") -> list[FileVote]:
    """Return the votes of a file: CSV or tab-separated lines with a header, JSON Lines, or JSON.

    known: topic, left and right of every pair that may have a vote, in both orders. Raises BadFile, with the
    line, for a file without one of the fields or without a vote, an empty cell, a choice that is none, a pair
    that is not known, and a second vote on a pair in one order.
    """
    table = read_table(content, name, VOTES)
    if table is None:
        expected = f"expected a first line that names the fields {', '.join(FIELDS)}, or JSON Lines"
        raise BadFile(expected, name=name)
    votes: dict[tuple[str, str, str], FileVote] = {}
    for number, row in table:
        vote = FileVote(number, *(replace_unstorable(number_text(row[field])) for field in FIELDS))
        key = vote.topic, vote.left, vote.right
        if fault := _fault(vote, known):
            raise table.refusal(number, fault)
        if key in votes:
            place = table.place(votes[key].line)
            message = f"expected one vote on two answers in one order, found another on {place}"
            raise table.refusal(number, message)
        votes[key] = vote
    if not votes:
        raise BadFile("expected votes, found none", name=name)
    return list(votes.values())


def _fault(vote: FileVote, known: Collection[tuple[str, str, str]]) -> str:
    """Return what was expected of a vote that cannot be taken, "" for one that can."""
    if empty := next((field for field, text in zip(FIELDS, vote[1:], strict=True) if not text), ""):
        return f"expected a {empty}, found nothing"
    if vote.choice not in CHOICES:
        expected = f"{', '.join(CHOICES[:-1])} or {CHOICES[-1]}"
        return f"expected {expected} as the choice, found {vote.choice[:40]!r}"
    if vote[1:4] not in known:
        shown_vote = f"{vote.left[:120]} and {vote.right[:120]} on topic {vote.topic[:120]}"
        return f"expected two answer runs that meet on a topic of these battles, found {shown_vote}"
    return ""
