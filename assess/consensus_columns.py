"""Rules of `consensus` applied to columns of labels: of one topic, or of a whole campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assess.consensus import RULES, Case, Decision
from assess.event_columns import Bools, Ints, packed
from assess.no_grade import NoGrade


def majorities(items: Ints, relevance: Ints, count: int, scale: Sequence[int]) -> Ints:
    """Return each item's `majority`: the grade that most judges gave; of equally many, the lowest.

    items, relevance: shape (labels,), a label each; every item from 0 to `count` - 1 has one. scale: the
    grades that exist, rising. Shape (count,).

    >>> majorities(np.array([0, 1, 0, 1, 0]), np.array([2, 3, 0, 1, 2]), 2, [0, 1, 2, 3]).tolist()
    [2, 1]
    """
    grades = np.array(scale, dtype=np.int64)
    cells = items * len(grades) + np.searchsorted(grades, relevance)
    votes = np.bincount(cells, minlength=count * len(grades)).reshape(count, len(grades))
    agreed: Ints = grades[votes.argmax(axis=1)]
    return agreed


class LabelColumns(NamedTuple):
    """One label a place, in any order; a judge has at most one of a document. All of shape (labels,).

    document, judge: places in the columns of documents and in the list of judges. relevance: a grade, or
    NoGrade.REFUSED.
    """

    document: Ints
    judge: Ints
    relevance: Ints


class Decisions(NamedTuple):
    """What a rule says of some documents. different: the decisions that occur, each once.

    of_document: of each document, the place of its decision in `different`. graders: how many judges gave it
    a grade. differ: whether their grades differ. All of shape (documents,).
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
    """Apply a rule to documents: once to each case that occurs among them.

    judges: those whose labels are read. primary: of each document, the place of its primary judge in
    `judges`, -1 without one. settled: its adjudicated grade, or NoGrade.MISSING. Both of shape (documents,).
    chosen, scale: see `Case`.
    """
    grades = np.full((len(primary), len(judges)), NoGrade.MISSING, dtype=np.int64)
    grades[labels.document, labels.judge] = labels.relevance
    # To a rule judges are alike, but for the primary one and the one who is followed.
    of_primary = np.where(primary < 0, NoGrade.MISSING, grades[np.arange(len(grades)), primary])
    of_chosen = [grades[:, judges.index(chosen)]] if chosen in judges else []
    examples, case = alike(np.column_stack([np.sort(grades, axis=1), of_primary, settled, *of_chosen]))
    by_judge = [dict(zip(judges, row, strict=True)) for row in grades[examples].tolist()]
    first = ["" if place < 0 else judges[place] for place in primary[examples].tolist()]
    cases = zip(by_judge, first, settled[examples].tolist(), strict=True)
    decided = [RULES[rule].decide(_case(*known, chosen, scale)) for known in cases]
    different = list(dict.fromkeys(decided))
    of_case = np.array([different.index(decision) for decision in decided], dtype=np.int64)
    graded = grades >= 0
    highest = grades.max(axis=1, initial=NoGrade.MISSING)
    differ = (graded & (grades < highest[:, np.newaxis])).any(axis=1)
    return Decisions(different, of_case[case], graded.sum(axis=1), differ)


def _case(by_judge: Mapping[str, int], primary: str, settled: int, chosen: str, scale: Sequence[int]) -> Case:
    """by_judge: judge -> grade or NoGrade."""
    return Case(
        {judge: grade for judge, grade in by_judge.items() if grade >= 0},
        frozenset(judge for judge, grade in by_judge.items() if grade == NoGrade.REFUSED),
        primary,
        None if settled == NoGrade.MISSING else settled,
        chosen,
        scale,
    )


def alike(rows: Ints) -> tuple[Ints, Ints]:
    """Return one of each kind of equal rows, and for each row the place of its kind among these.

    >>> [each.tolist() for each in alike(np.array([[7, 1], [0, 2], [7, 1]]))]
    [[1, 0], [1, 0, 1]]
    """
    _, examples, kind = np.unique(packed(list(rows.T)), return_index=True, return_inverse=True)
    return examples, kind
