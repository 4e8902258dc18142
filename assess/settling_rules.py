"""Rules that settle a disputed document from its labels alone, for many documents at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class SettlingRule(NamedTuple):
    """title and meaning: as people read them. why: the reason that is stored with each decision."""

    title: str
    meaning: str
    why: str


MAJORITY, LOWER, HIGHER = "majority", "lower", "higher"
SETTLING_RULES = {
    MAJORITY: SettlingRule(
        "Majority",
        "The grade that more than half of the judges gave.",
        "Rule: the grade that more than half of the judges gave.",
    ),
    LOWER: SettlingRule(
        "One grade apart: the lower",
        "Only documents whose grades are two neighbours of the scale. The lower one is taken.",
        "Rule: grades that are neighbours of the scale are settled as the lower one.",
    ),
    HIGHER: SettlingRule(
        "One grade apart: the higher",
        "Only documents whose grades are two neighbours of the scale. The higher one is taken.",
        "Rule: grades that are neighbours of the scale are settled as the higher one.",
    ),
}


def grade_by_rule(rule: str, labels: Sequence[int | None], scale: Sequence[int]) -> int | None:
    """Return the grade by which a rule settles a document; None if the rule leaves it to an adjudicator.

    labels: of all judges, None for *cannot judge*, which counts as a judge who gave no grade; the rules of
    neighbours leave such a document. scale: all grades, ascending.

    >>> grade_by_rule("majority", [2, 2, 0], [0, 1, 2])
    2
    >>> grade_by_rule("majority", [2, 2, 0, None], [0, 1, 2]) is None
    True
    >>> grade_by_rule("lower", [1, 2, 2], [0, 1, 2])
    1
    >>> grade_by_rule("lower", [0, 2], [0, 1, 2]) is None
    True
    """
    if rule == MAJORITY:
        grade = max(labels, key=labels.count, default=None)
        return grade if 2 * labels.count(grade) > len(labels) else None
    grades = sorted({label for label in labels if label is not None})
    if None in labels or len(grades) != 2 or scale.index(grades[1]) - scale.index(grades[0]) != 1:
        return None
    return grades[0] if rule == LOWER else grades[1]
