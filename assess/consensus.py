"""Consensus rules: one grade from several grades of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple


class Open(StrEnum):
    """Why a rule gives a document no grade."""

    CANNOT = "cannot judge"
    TIED = "tied"
    ABSENT = "no grade"


Decision = int | Open


class Case(NamedTuple):
    """What a rule decides on: the labels of one document.

    grades: judge -> grade. cannot: judges who could not judge it. primary: the topic's primary judge, empty
    if there is none. settled: the adjudicated grade. chosen: the judge that the rule "one judge" follows.
    scale: all grades, ascending.
    """

    grades: Mapping[str, int]
    cannot: frozenset[str] = frozenset()
    primary: str = ""
    settled: int | None = None
    chosen: str = ""
    scale: Sequence[int] = ()


class Rule(NamedTuple):
    """A function from a case to a decision, and the sentence that explains it."""

    name: str
    sentence: str
    decide: Callable[[Case], Decision]


def majority(grades: Sequence[int]) -> int:
    """Return the most frequent grade; the lowest of several.

    A tie means that the judges do not agree that the document deserves the higher grade. Raises ValueError
    when there is no grade.

    >>> majority([2, 0, 2]), majority([0, 3]), majority([1])
    (2, 0, 1)
    """
    return min(most_frequent(grades))


def most_frequent(grades: Sequence[int]) -> list[int]:
    """Return the most frequent grades, ascending; several if there is a tie. [] without a grade.

    >>> most_frequent([3, 0, 3]), most_frequent([3, 0])
    ([3], [0, 3])
    """
    counts = Counter(grades)
    most = max(counts.values(), default=0)
    return sorted(grade for grade, count in counts.items() if count == most)


def median(grades: Sequence[int]) -> int:
    """Return the middle grade; the lower of the two middle grades of an even number.

    >>> median([0, 1, 3]), median([3, 1])
    (1, 1)
    """
    return sorted(grades)[(len(grades) - 1) // 2]


def nearest_to_mean(grades: Sequence[int], scale: Sequence[int], up: bool = False) -> int:
    """Return the grade of the scale nearest to the mean; of two equally near, the lower (`up`: the higher).

    It uses whole numbers only, so that rounding of fractions has no effect.

    >>> nearest_to_mean([0, 1], [0, 1, 3]), nearest_to_mean([0, 1], [0, 1, 3], up=True)
    (0, 1)
    """
    total, count = sum(grades), len(grades)
    return min(scale, key=lambda grade: (abs(total - count * grade), -grade if up else grade))


def of_judge(case: Case, judge: str) -> Decision:
    """Return one judge's grade, or why there is none."""
    if judge in case.grades:
        return case.grades[judge]
    return Open.CANNOT if judge in case.cannot else Open.ABSENT


def _of_all(decide: Callable[[Case], Decision]) -> Callable[[Case], Decision]:
    """Return a rule over all grades that says why there is no decision where there are none."""

    def decide_if_graded(case: Case) -> Decision:
        if case.grades:
            return decide(case)
        return Open.CANNOT if case.cannot else Open.ABSENT

    return decide_if_graded


def _settled_or(decide: Callable[[Case], Decision]) -> Callable[[Case], Decision]:
    return lambda case: decide(case) if case.settled is None else case.settled


def _tie_to_primary(case: Case) -> Decision:
    tied = most_frequent([*case.grades.values()])
    grade = case.grades.get(case.primary)
    return grade if grade in tied else tied[0]


def _untied(case: Case) -> Decision:
    first, *others = most_frequent([*case.grades.values()])
    return Open.TIED if others else first


MAJORITY = "majority, ties to the lower grade"
ONE_JUDGE = "one judge"
ADJUDICATED = "adjudicated, else majority"
USES_SETTLED = frozenset({ADJUDICATED, "adjudicated, else primary"})
"""The rules that use the adjudicated grade where there is one."""

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule(
            MAJORITY,
            "The most frequent grade; of several equally frequent grades, the lowest.",
            _of_all(lambda case: majority([*case.grades.values()])),
        ),
        Rule(
            "majority, ties to the higher grade",
            "The most frequent grade; of several equally frequent grades, the highest.",
            _of_all(lambda case: most_frequent([*case.grades.values()])[-1]),
        ),
        Rule(
            "majority, ties to the primary judge",
            "The most frequent grade; of several equally frequent grades, that of the primary judge if it is "
            "among them, else the lowest.",
            _of_all(_tie_to_primary),
        ),
        Rule(
            "majority, ties left out",
            "The most frequent grade; a document with several equally frequent grades is left out.",
            _of_all(_untied),
        ),
        Rule(
            "adjudicated, else primary",
            "The adjudicated grade; without one, the grade of the topic's primary judge. "
            "One grade decides, so there are no ties.",
            _settled_or(lambda case: of_judge(case, case.primary)),
        ),
        Rule(
            ADJUDICATED,
            "The adjudicated grade; without one, the most frequent grade; of several equally frequent "
            "grades, the lowest.",
            _settled_or(_of_all(lambda case: majority([*case.grades.values()]))),
        ),
        Rule(
            "median, lower of two",
            "The middle grade; of an even number of grades, the lower of the two middle ones.",
            _of_all(lambda case: median([*case.grades.values()])),
        ),
        Rule(
            "mean, halves to the lower grade",
            "The grade of the scale nearest to the mean; of two equally near, the lower.",
            _of_all(lambda case: nearest_to_mean([*case.grades.values()], case.scale)),
        ),
        Rule(
            "mean, halves to the higher grade",
            "The grade of the scale nearest to the mean; of two equally near, the higher.",
            _of_all(lambda case: nearest_to_mean([*case.grades.values()], case.scale, up=True)),
        ),
        Rule(
            "maximum",
            "The highest grade that any judge gave. There are no ties.",
            _of_all(lambda case: max(case.grades.values())),
        ),
        Rule(
            "minimum",
            "The lowest grade that any judge gave. There are no ties.",
            _of_all(lambda case: min(case.grades.values())),
        ),
        Rule(
            ONE_JUDGE,
            "The grade of one chosen judge. There are no ties.",
            lambda case: of_judge(case, case.chosen),
        ),
    )
}
