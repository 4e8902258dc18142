"""The words and keys of assignments on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assess.nuggets.assignments import Assignment


class AssignmentWord(NamedTuple):
    """An assignment as judges choose it. definition: what it says of the answer."""

    value: Assignment
    label: str
    key: str
    definition: str


WORDS = (
    AssignmentWord(Assignment.SUPPORT, "Support", "1", "the answer says all of it"),
    AssignmentWord(Assignment.PARTIAL, "Partial", "2", "it says a part of it"),
    AssignmentWord(Assignment.NONE, "None", "0", "it does not say it"),
    AssignmentWord(Assignment.CONTRADICTS, "Contradicts", "3", "it says the opposite"),
)
LABELS: Mapping[str, str] = {word.value: word.label.lower() for word in WORDS}


def words_of(contradicts: bool) -> list[AssignmentWord]:
    """Return the words of a matching. contradicts: whether judges may say so."""
    return [word for word in WORDS if contradicts or word.value != Assignment.CONTRADICTS]
