"""Read the choice in a reply of a language model, strictly: a reply in another form is no vote."""

from __future__ import annotations

import re
from typing import NamedTuple

CHOICE_OF = {"A": "left", "B": "right", "tie": "tie", "both bad": "both bad"}
MARKS = tuple(f"[[{mark}]]" for mark in CHOICE_OF)
FINAL = re.compile(rf"\[\[({'|'.join(CHOICE_OF)})\]\]")
CUT, REFUSED = "length", ("content_filter", "refusal")


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
    if finish_reason in REFUSED:
        return Reply("", "The server or the model refused to answer.")
    if not text.strip():
        return Reply("", "The reply is empty.")
    lines = [line.strip(" \t\r") for line in text.split("\n")]
    found = [match[1] for line in lines if (match := FINAL.fullmatch(line))]
    is_cut = finish_reason == CUT and bool(lines[-1])  # more may have followed on the line
    last = next(line for line in reversed(lines) if line) if any(lines) else ""
    if is_cut or not FINAL.fullmatch(last):
        if finish_reason == CUT:
            return Reply("", "The reply was cut before its last line ended.")
        expected = f"{', '.join(MARKS[:-1])} or {MARKS[-1]}"
        return Reply("", f"The last line of the reply is not one of {expected}.")
    if len(set(found)) > 1:
        return Reply("", "The reply has two answers.")
    return Reply(CHOICE_OF[found[-1]])
