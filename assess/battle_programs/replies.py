"""Read the choice in a reply of a language model, strictly: a reply in another form is no vote."""

from __future__ import annotations

from typing import NamedTuple

from assess.machines.final_marks import marks_of, read_final_mark

CHOICE_OF = {"A": "left", "B": "right", "tie": "tie", "both bad": "both bad"}
MARKS = marks_of(CHOICE_OF)


class Reply(NamedTuple):
    """choice: left, right, tie or both bad; "" without one, and `problem` is the sentence that says why."""

    choice: str
    problem: str = ""


def read_choice(text: str, finish_reason: str = "stop") -> Reply:
    """Return the choice of a reply. The first answer that the model read is A, and is on the left.

    The last line that is not blank must be [[A]], [[B]], [[tie]] or [[both bad]], and nothing else; no other
    line may be another one of them. Never raises.

    >>> read_choice("A cites its sources.\\n[[A]]")
    Reply(choice='left', problem='')
    >>> read_choice("I prefer [[A]].").problem
    'The last line of the reply is not one of [[A]], [[B]], [[tie]] or [[both bad]].'
    """
    mark = read_final_mark(text, finish_reason, tuple(CHOICE_OF))
    return Reply(CHOICE_OF[mark.name] if mark.name else "", mark.problem)
