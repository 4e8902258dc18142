"""The scale of a campaign: which grades a judge may give, what each means and what it is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pooling.refusals import Refused


class Grade(NamedTuple):
    """One step of a scale: `value` goes into the qrels, `gain` into DCG, the words to the judge.

    example: a case in which this grade is right, for judges.
    """

    value: int
    label: str
    definition: str = ""
    gain: float = 0
    example: str = ""


MAX_GRADES = 10


class BadScale(Refused):
    """A scale that cannot be used; says which step and why."""


BINARY = (Grade(0, "Not relevant", "", 0), Grade(1, "Relevant", "", 1))
THREE_STEPS = (
    Grade(0, "Not relevant", "Does not help with this topic.", 0),
    Grade(1, "Partly relevant", "Answers a part, or only touches the topic.", 1),
    Grade(2, "Relevant", "Answers the topic.", 2),
)
FOUR_STEPS = (
    Grade(0, "Not relevant", "Does not help with this topic.", 0),
    Grade(1, "Marginal", "Touches the topic; background only.", 1),
    Grade(2, "Relevant", "Answers a substantial part; worth citing.", 2),
    Grade(3, "Complete", "Answers the topic completely, or nearly so.", 3),
)
WEB = (
    Grade(0, "Non-relevant", "Does not help with this topic.", 0),
    Grade(1, "Somewhat relevant", "Says something about the topic, at its edge.", 1),
    Grade(2, "Relevant", "Answers the topic in part.", 2),
    Grade(3, "Highly relevant", "Answers the topic; a good page to stop at.", 3),
    Grade(4, "Navigational", "The very page that was looked for.", 4),
)
PRESETS: dict[str, tuple[Grade, ...]] = {
    "binary": BINARY,
    "three": THREE_STEPS,
    "four": FOUR_STEPS,
    "web": WEB,
}


PRESET_USES: dict[str, str] = {
    "binary": "relevant or not, the quickest to judge",
    "three": "not, partly or fully relevant",
    "four": "grades 0 to 3 of most TREC tracks since 2000",
    "web": "grades of web search, up to the one page that was looked for",
}
"""For every preset: what it is for."""


def check_scale(grades: Sequence[Grade], threshold: int) -> None:
    """Raise BadScale unless there are 2 to 10 steps, rising from 0, with a usable threshold.

    threshold: the lowest grade that counts as relevant in binary measures.
    """
    values = [grade.value for grade in grades]
    if not 2 <= len(values) <= MAX_GRADES:
        raise BadScale(f"expected 2 to {MAX_GRADES} grades, found {len(values)}")
    for value, count in Counter(values).items():
        if count > 1:
            raise BadScale(f"grade {value} is there twice; give every grade a value of its own")
    if negative := [value for value in values if value < 0]:
        raise BadScale(f"grade {negative[0]} is negative; number the grades from 0, the lowest one")
    if values[0] != 0 or any(low >= high for low, high in zip(values, values[1:], strict=False)):
        raise BadScale(f"expected rising values that begin with 0, found {', '.join(map(str, values))}")
    if unnamed := [grade.value for grade in grades if not grade.label.strip()]:
        raise BadScale(f"expected a name for grade {unnamed[0]}")
    if threshold not in values[1:]:
        raise BadScale(f"expected a threshold among {', '.join(map(str, values[1:]))}, found {threshold}")


def parse_scale(text: str) -> tuple[Grade, ...]:
    """Read a scale as an organiser writes it: one grade a line, `value | name | definition | gain | example`.

    Definition, gain and example may be left out; a gain left out is the value. The order of lines is free.

    >>> [grade.label for grade in parse_scale("1 | Relevant\\n0 | Not relevant")]
    ['Not relevant', 'Relevant']
    """
    grades = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            grades.append(_parse_grade(number, line))
    return tuple(sorted(grades))


def _parse_grade(number: int, line: str) -> Grade:
    value, label, definition, gain, example = ([field.strip() for field in line.split("|")] + [""] * 4)[:5]
    if line.count("|") > 4:
        raise BadScale(
            f"line {number}: expected value | name | definition | gain | example, found more;"
            " no field contains a |"
        )
    if "\0" in line:
        raise BadScale(f"line {number}: expected text, found a NUL character")
    try:
        return Grade(int(value), label, definition, float(gain) if gain else float(value), example)
    except ValueError as error:
        raise BadScale(
            f"line {number}: expected a whole number before the first |, found {value!r}"
        ) from error


def split_rows(text: str) -> list[list[str]]:
    """Return the fields of each line of a scale as text: value, label, definition, gain, example.

    >>> split_rows("1 | Relevant\\n0 | Not relevant | | 0")
    [['1', 'Relevant', '', '', ''], ['0', 'Not relevant', '', '0', '']]
    """
    rows = ([field.strip() for field in line.split("|", 4)] for line in text.splitlines() if line.strip())
    return [row + [""] * (5 - len(row)) for row in rows]


def join_rows(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of fields as a text that `parse_scale` reads. Empty rows are left out."""
    return "\n".join(" | ".join(row) for row in rows if any(field.strip() for field in row))


def write_scale(grades: Sequence[Grade]) -> str:
    """Return the scale in the form that `parse_scale` reads, the highest grade first."""
    return "\n".join(_write_grade(grade) for grade in reversed(grades))


def _write_grade(grade: Grade) -> str:
    line = f"{grade.value} | {grade.label} | {grade.definition} | {grade.gain:g}"
    return f"{line} | {grade.example}" if grade.example else line


def scale_to_json(grades: Sequence[Grade]) -> list[dict[str, Any]]:
    """Return plain data for the database and for manifests. A grade without an example has no such key."""
    rows = (grade._asdict() for grade in grades)
    return [{key: value for key, value in row.items() if key != "example" or value} for row in rows]


def scale_from_json(rows: Sequence[dict[str, Any]]) -> tuple[Grade, ...]:
    """Return the grades that `scale_to_json` wrote."""
    return tuple(Grade(**row) for row in rows)
