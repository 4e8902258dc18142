"""Rules of `consensus` over columns, for the pages that ask what the judges of a whole campaign say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .consensus import RULES, Case, Decision
from .event_columns import REFUSED, packed

Ints = npt.NDArray[np.int64]
NOTHING = REFUSED - 1  # where a grade would stand: there is none


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


def decisions(
    rule: str,
    judges: Sequence[str],
    grades: Ints,
    primary: Ints,
    settled: Ints,
    chosen: str = "",
    scale: Sequence[int] = (),
) -> tuple[list[Decision], Ints]:
    """Apply a rule once to each case that occurs.

    Returns the decisions, and for each document the place of its own among them, shape (documents,). grades:
    shape (documents, judges), REFUSED or NOTHING where there is none. primary: of each document, the place of
    its primary judge, -1 without one. settled: its adjudicated grade, or NOTHING. chosen, scale: see `Case`.
    """
    # To a rule judges are alike, but for the primary one and the one who is followed.
    of_primary = np.where(primary < 0, NOTHING, grades[np.arange(len(grades)), primary])
    of_chosen = [grades[:, judges.index(chosen)]] if chosen in judges else []
    examples, case = alike(np.column_stack([np.sort(grades, axis=1), of_primary, settled, *of_chosen]))
    said = [dict(zip(judges, row, strict=True)) for row in grades[examples].tolist()]
    first = ["" if place < 0 else judges[place] for place in primary[examples].tolist()]
    cases = zip(said, first, settled[examples].tolist(), strict=True)
    found = [RULES[rule].decide(_case(*seen, chosen, scale)) for seen in cases]
    different = list(dict.fromkeys(found))
    return different, np.array([different.index(each) for each in found], dtype=np.int64)[case]


def _case(said: Mapping[str, int], primary: str, settled: int, chosen: str, scale: Sequence[int]) -> Case:
    """said: judge -> grade, REFUSED or NOTHING."""
    return Case(
        {judge: grade for judge, grade in said.items() if grade > REFUSED},
        frozenset(judge for judge, grade in said.items() if grade == REFUSED),
        primary,
        None if settled == NOTHING else settled,
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
