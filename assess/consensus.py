"""Rules by which several grades of one document become one: of a case, and of columns of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from assess.event_columns import Bools, Ints, row_codes
from assess.no_grade import NoGrade


class NoDecision(StrEnum):
    """Why a rule gives a document no grade."""

    CANNOT = "cannot judge"
    TIED = "tied"
    ABSENT = "no grade"


Decision = int | NoDecision


class RuleInput(NamedTuple):
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
    decide: Callable[[RuleInput], Decision]


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


def decision_of_judge(case: RuleInput, judge: str) -> Decision:
    """Return one judge's grade, or why there is none."""
    if judge in case.grades:
        return case.grades[judge]
    return NoDecision.CANNOT if judge in case.cannot else NoDecision.ABSENT


def _of_all(decide: Callable[[RuleInput], Decision]) -> Callable[[RuleInput], Decision]:
    """Return a rule over all grades that says why there is no decision where there are none."""

    def decide_if_graded(case: RuleInput) -> Decision:
        if case.grades:
            return decide(case)
        return NoDecision.CANNOT if case.cannot else NoDecision.ABSENT

    return decide_if_graded


def _settled_or(decide: Callable[[RuleInput], Decision]) -> Callable[[RuleInput], Decision]:
    return lambda case: decide(case) if case.settled is None else case.settled


def _tie_to_primary(case: RuleInput) -> Decision:
    tied = most_frequent([*case.grades.values()])
    grade = case.grades.get(case.primary)
    return grade if grade in tied else tied[0]


def _untied(case: RuleInput) -> Decision:
    first, *others = most_frequent([*case.grades.values()])
    return NoDecision.TIED if others else first


MAJORITY = "majority, ties to the lower grade"
ONE_JUDGE = "one judge"
ADJUDICATED = "adjudicated, else majority"
ADJUDICATED_PRIMARY = "adjudicated, else primary"
USES_SETTLED = frozenset({ADJUDICATED, ADJUDICATED_PRIMARY})
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
            ADJUDICATED_PRIMARY,
            "The adjudicated grade; without one, the grade of the topic's primary judge. "
            "One grade decides, so there are no ties.",
            _settled_or(lambda case: decision_of_judge(case, case.primary)),
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
            lambda case: decision_of_judge(case, case.chosen),
        ),
    )
}


def majorities(items: Ints, relevance: Ints, count: int, scale: Sequence[int]) -> Ints:
    """Return each item's `majority`: the most frequent grade, the lowest of several.

    items, relevance: shape (labels,), one entry per label; every item from 0 to `count` - 1 has a label.
    scale: all grades, ascending. Shape (count,).

    >>> majorities(np.array([0, 1, 0, 1, 0]), np.array([2, 3, 0, 1, 2]), 2, [0, 1, 2, 3]).tolist()
    [2, 1]
    """
    grades = np.array(scale, dtype=np.int64)
    cells = items * len(grades) + np.searchsorted(grades, relevance)
    votes = np.bincount(cells, minlength=count * len(grades)).reshape(count, len(grades))
    agreed: Ints = grades[votes.argmax(axis=1)]
    return agreed


class LabelColumns(NamedTuple):
    """Labels as columns, in any order; a judge has at most one label of a document. All of shape (labels,).

    document, judge: places in the columns of documents and in the list of judges. relevance: a grade, or
    NoGrade.REFUSED.
    """

    document: Ints
    judge: Ints
    relevance: Ints


class Decisions(NamedTuple):
    """The decisions of a rule on some documents. different: the decisions that occur, each once.

    of_document: the place of each document's decision in `different`. graders: number of judges with a grade.
    differ: whether their grades differ. All of shape (documents,).
    """

    different: list[Decision]
    of_document: Ints
    graders: Ints
    differ: Bools


def decide(
    rule: str,
    labels: LabelColumns,
    judges: Sequence[str],
    primary: Ints,
    settled: Ints,
    chosen: str = "",
    scale: Sequence[int] = (),
) -> Decisions:
    """Apply a rule to documents: once to each different case among them.

    judges: the judges of these labels. primary: place of each document's primary judge in `judges`, -1
    without one. settled: its adjudicated grade, or NoGrade.MISSING. Both of shape (documents,). chosen,
    scale: see `Case`.
    """
    grades = np.full((len(primary), len(judges)), NoGrade.MISSING, dtype=np.int64)
    grades[labels.document, labels.judge] = labels.relevance
    # A rule distinguishes the primary judge and the chosen one only, so the other grades may be sorted.
    of_primary = np.where(primary < 0, NoGrade.MISSING, grades[np.arange(len(grades)), primary])
    of_chosen = [grades[:, judges.index(chosen)]] if chosen in judges else []
    examples, case = unique_rows(np.column_stack([np.sort(grades, axis=1), of_primary, settled, *of_chosen]))
    by_judge = [dict(zip(judges, row, strict=True)) for row in grades[examples].tolist()]
    first = ["" if place < 0 else judges[place] for place in primary[examples].tolist()]
    cases = zip(by_judge, first, settled[examples].tolist(), strict=True)
    of_examples = [RULES[rule].decide(_case(*fields, chosen, scale)) for fields in cases]
    different = list(dict.fromkeys(of_examples))
    of_case = np.array([different.index(decision) for decision in of_examples], dtype=np.int64)
    graded = grades >= 0
    highest = grades.max(axis=1, initial=NoGrade.MISSING)
    differ = (graded & (grades < highest[:, np.newaxis])).any(axis=1)
    return Decisions(different, of_case[case], graded.sum(axis=1), differ)


def _case(
    by_judge: Mapping[str, int], primary: str, settled: int, chosen: str, scale: Sequence[int]
) -> RuleInput:
    """by_judge: judge -> grade or NoGrade."""
    return RuleInput(
        {judge: grade for judge, grade in by_judge.items() if grade >= 0},
        frozenset(judge for judge, grade in by_judge.items() if grade == NoGrade.REFUSED),
        primary,
        None if settled == NoGrade.MISSING else settled,
        chosen,
        scale,
    )


def unique_rows(rows: Ints) -> tuple[Ints, Ints]:
    """Return the first place of each different row, and for each row the number of its kind.

    >>> [each.tolist() for each in unique_rows(np.array([[7, 1], [0, 2], [7, 1]]))]
    [[1, 0], [1, 0, 1]]
    """
    _, examples, kind = np.unique(row_codes(list(rows.T)), return_index=True, return_inverse=True)
    return examples, kind
