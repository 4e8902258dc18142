"""The words and keys of assignments on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assess.nuggets.assignments import Assignment


class AssignmentWord(NamedTuple):
    """An assignment as judges choose it."""

    value: Assignment
    label: str
    key: str


WORDS = (
    AssignmentWord(Assignment.SUPPORT, "Support", "1"),
    AssignmentWord(Assignment.PARTIAL, "Partial", "2"),
    AssignmentWord(Assignment.NONE, "None", "0"),
    AssignmentWord(Assignment.CONTRADICTS, "Contradicts", "3"),
)
LABELS: Mapping[str, str] = {word.value: word.label.lower() for word in WORDS}


def words_of(contradicts: bool) -> list[AssignmentWord]:
    """Return the words of a matching. contradicts: whether judges may say so."""
    return [word for word in WORDS if contradicts or word.value != Assignment.CONTRADICTS]
