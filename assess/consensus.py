"""Several grades of one document become one, by a named rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

Rule = Callable[[Sequence[int]], int]


def majority(grades: Sequence[int]) -> int:
    """Return the grade that most judges gave; of grades with equally many, the lowest.

    A tie says that the judges do not agree that the document deserves the higher grade.
    Raises ValueError when there is no grade.

    >>> majority([2, 0, 2]), majority([0, 3]), majority([1])
    (2, 0, 1)
    """
    counts = Counter(grades)
    return min(counts, key=lambda grade: (-counts[grade], grade))


RULES: dict[str, Rule] = {"majority, ties to the lower grade": majority}
MAJORITY = "majority, ties to the lower grade"
