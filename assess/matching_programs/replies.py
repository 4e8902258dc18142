"""Read the label in a reply of a language model, strictly: a reply in another form is no label."""

from __future__ import annotations

from typing import NamedTuple

from assess.machines.final_marks import read_final_mark
from assess.nuggets.assignments import Assignment

ASSIGNMENT_OF = {
    "support": Assignment.SUPPORT,
    "partial": Assignment.PARTIAL,
    "none": Assignment.NONE,
    "contradicts": Assignment.CONTRADICTS,
}
MEANINGS = {
    "support": "the answer holds the whole nugget",
    "partial": "the answer holds a part of it",
    "none": "the answer does not hold it",
    "contradicts": "the answer says the opposite",
}


class Reply(NamedTuple):
    """assignment: a value of Assignment; "" without one, and `problem` is the sentence that says why."""

    assignment: str
    problem: str = ""


def marks_in(contradicts: bool) -> tuple[str, ...]:
    """Return the names of the marks that are allowed. contradicts: whether one of them says so."""
    return tuple(name for name in ASSIGNMENT_OF if contradicts or name != "contradicts")


def read_label(text: str, finish_reason: str = "stop", contradicts: bool = False) -> Reply:
    """Return the label of a reply.

    The last line that is not blank must be [[support]], [[partial]], [[none]] or, where it is allowed,
    [[contradicts]], and nothing else; no other line may be another one of them. Never raises.

    >>> read_label("It says so.\\n[[support]]")
    Reply(assignment='support', problem='')
    >>> read_label("Support.").problem
    'The last line of the reply is not one of [[support]], [[partial]] or [[none]].'
    """
    mark = read_final_mark(text, finish_reason, marks_in(contradicts))
    return Reply(ASSIGNMENT_OF[mark.name].value if mark.name else "", mark.problem)
