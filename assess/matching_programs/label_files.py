"""Files of labels from programs that were run elsewhere, in the form of AutoNuggetizer: an answer a line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from assess.nuggets.assignments import AssignedAnswer, Assignment, read_assignments
from assess.nuggets.banks import NuggetBank
from assess.nuggets.rows import Rows
from pooling.formats.files import BadLine

FAILED = "The file gives no assignment: failed."


class FileLabel(NamedTuple):
    """A label of a file. tag: of the answer's run. assignment: "" where the program could give none."""

    line: int
    topic: str
    tag: str
    nugget: str
    assignment: str


def read_program_labels(
    content: bytes,
    banks: Mapping[str, NuggetBank],
    known: Collection[tuple[str, str]],
    contradicts: bool,
    name: str = "",
) -> list[FileLabel]:
    """Return the labels of an unpacked file.

    banks: topic -> nuggets; an answer must have all nuggets of its topic, with their importance, and no
    others. known: (topic, tag) of the answers that may have labels. contradicts: whether that is allowed.
    Raises BadFile with the line: as `read_assignments`, and for an answer that is not known and an assignment
    that is not allowed.
    """
    answers = read_assignments(content, name, banks)
    rows = Rows(content, name)
    lines = [rows.number for _ in rows]
    return [
        label
        for line, answer in zip(lines, answers, strict=True)
        for label in _labels(line, answer, known, contradicts, name)
    ]


def _labels(
    line: int, answer: AssignedAnswer, known: Collection[tuple[str, str]], contradicts: bool, name: str
) -> Iterator[FileLabel]:
    if (answer.topic, answer.tag) not in known:
        message = f"expected an answer of this matching, found run {answer.tag} on topic {answer.topic}"
        raise BadLine(line, message, name)
    for place, nugget in enumerate(answer.nuggets, start=1):
        if nugget.assignment == Assignment.CONTRADICTS and not contradicts:
            allowed = ", ".join(each for each in Assignment if each != Assignment.CONTRADICTS)
            message = f"nugget {place}: expected {allowed} or failed, found {nugget.assignment}"
            raise BadLine(line, message, name)
        yield FileLabel(line, answer.topic, answer.tag, nugget.text, nugget.assignment or "")
