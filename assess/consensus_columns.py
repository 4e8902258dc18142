"""Rules of `consensus` over columns, for the pages that ask what the judges of a whole campaign say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


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
