"""Read the mark in the last line of a reply of a language model, strictly: another form is no answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

CUT, REFUSED = "length", ("content_filter", "refusal")


class FinalMark(NamedTuple):
    """name: of the mark, such as A for [[A]]; "" without one, and `problem` is the sentence that says why."""

    name: str
    problem: str = ""


def marks_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the marks as a reply has them.

    >>> marks_of(["A", "tie"])
    ('[[A]]', '[[tie]]')
    """
    return tuple(f"[[{name}]]" for name in names)


def read_final_mark(text: str, finish_reason: str, names: Sequence[str]) -> FinalMark:
    """Return the mark of a reply. names: of the marks that are allowed.

    The last line that is not blank must be one of the marks and nothing else; no other line may be another
    one of them. Never raises.

    >>> read_final_mark("It cites its sources.\\n[[A]]", "stop", ["A", "B"])
    FinalMark(name='A', problem='')
    >>> read_final_mark("I prefer [[A]].", "stop", ["A", "B"]).problem
    'The last line of the reply is not one of [[A]] or [[B]].'
    """
    if finish_reason in REFUSED:
        return FinalMark("", "The server or the model refused to answer.")
    if not text.strip():
        return FinalMark("", "The reply is empty.")
    marks = dict(zip(marks_of(names), names, strict=True))
    lines = [line.strip(" \t\r") for line in text.split("\n")]
    named = [marks[line] for line in lines if line in marks]
    is_cut = finish_reason == CUT and bool(lines[-1])  # more may have followed on the line
    last = next(line for line in reversed(lines) if line) if any(lines) else ""
    if is_cut or last not in marks:
        if finish_reason == CUT:
            return FinalMark("", "The reply was cut before its last line ended.")
        *others, final = marks
        return FinalMark("", f"The last line of the reply is not one of {', '.join(others)} or {final}.")
    if len(set(named)) > 1:
        return FinalMark("", "The reply has two answers.")
    return FinalMark(named[-1])
