"""Several grades of one document become one, by a named rule."""

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
    """What is known of one document when a rule decides.

    grades: judge -> grade. cannot: the judges who said that they cannot judge it. primary: the judge who
    holds the topic first, empty when nobody does. settled: the adjudicated grade. chosen: the judge that the
    rule "one judge" follows. scale: the grades that exist, rising.
    """

    grades: Mapping[str, int]
    cannot: frozenset[str] = frozenset()
    primary: str = ""
    settled: int | None = None
    chosen: str = ""
    scale: Sequence[int] = ()


class Rule(NamedTuple):
    """A way from a case to a grade, and the sentence that explains it."""

    name: str
    sentence: str
    decide: Callable[[Case], Decision]


def majority(grades: Sequence[int]) -> int:
    """Return the grade that most judges gave; of grades with equally many, the lowest.

    A tie says that the judges do not agree that the document deserves the higher grade.
    Raises ValueError when there is no grade.

    >>> majority([2, 0, 2]), majority([0, 3]), majority([1])
    (2, 0, 1)
    """
    return min(most_frequent(grades))


def most_frequent(grades: Sequence[int]) -> list[int]:
    """Return the grade that most judges gave, or all that equally many gave, rising. [] without a grade.

    >>> most_frequent([3, 0, 3]), most_frequent([3, 0])
    ([3], [0, 3])
    """
    counts = Counter(grades)
    most = max(counts.values(), default=0)
    return sorted(grade for grade, count in counts.items() if count == most)


def median(grades: Sequence[int]) -> int:
    """Return the middle grade; of the two in the middle of an even number, the lower.

    >>> median([0, 1, 3]), median([3, 1])
    (1, 1)
    """
    return sorted(grades)[(len(grades) - 1) // 2]


def nearest_to_mean(grades: Sequence[int], scale: Sequence[int], up: bool = False) -> int:
    """Return the grade of the scale nearest to the mean: of two as near, the lower (`up`: the higher).

    Whole numbers only, so that no rounding of fractions decides.

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
    """Return a rule over all grades: without one, it says why there is none."""

    def decided(case: Case) -> Decision:
        if case.grades:
            return decide(case)
        return Open.CANNOT if case.cannot else Open.ABSENT

    return decided


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
"""The rules that take the settled grade where there is one."""

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule(
            MAJORITY,
            "The grade that most judges gave; of grades with equally many, the lowest.",
            _of_all(lambda case: majority([*case.grades.values()])),
        ),
        Rule(
            "majority, ties to the higher grade",
            "The grade that most judges gave; of grades with equally many, the highest.",
            _of_all(lambda case: most_frequent([*case.grades.values()])[-1]),
        ),
        Rule(
            "majority, ties to the primary judge",
            "The grade that most judges gave; of grades with equally many, the primary judge's if it is "
            "among them, else the lowest.",
            _of_all(_tie_to_primary),
        ),
        Rule(
            "majority, ties left out",
            "The grade that most judges gave; a document on which equally many gave different grades is left "
            "out.",
            _of_all(_untied),
        ),
        Rule(
            "adjudicated, else primary",
            "The adjudicated grade; where nothing was adjudicated, the grade of the judge who holds the "
            "topic first. One grade decides, so there are no ties.",
            _settled_or(lambda case: of_judge(case, case.primary)),
        ),
        Rule(
            ADJUDICATED,
            "The adjudicated grade; where nothing was adjudicated, the grade that most judges gave, of "
            "grades with equally many the lowest.",
            _settled_or(_of_all(lambda case: majority([*case.grades.values()]))),
        ),
        Rule(
            "median, lower of two",
            "The middle grade; of an even number of grades, the lower of the two in the middle.",
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
            "The grade of one judge, who is named. There are no ties.",
            lambda case: of_judge(case, case.chosen),
        ),
    )
}
