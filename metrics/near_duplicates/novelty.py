"""Grades under which only the first document of each class of near duplicates counts."""

from __future__ import annotations

import numpy as np

from pooling.arrays import IntVector

NO_CLASS = -1


def novel_grades(grades: IntVector, classes: IntVector, retrieved: IntVector) -> IntVector:
    """Return the grades of documents for one run, with 0 for later members of a class.

    The member that the run ranks first keeps its grade. Of a class that the run did not retrieve, the member
    with the highest grade does, so that each class counts once among the relevant documents. Bernstein &
    Zobel, Redundant documents and search effectiveness (CIKM 2005).

    grades, classes: of each document; a class is of one topic, NO_CLASS for a document without one.
    retrieved: places of the documents that the run retrieved, by topic, then rank. All int64.

    >>> novel_grades(np.array([2, 2, 1, 3]), np.array([0, 0, -1, 0]), np.array([2, 1, 0])).tolist()
    [0, 2, 1, 0]
    """
    in_class = np.flatnonzero(classes >= 0)
    first = np.full(classes.max(initial=NO_CLASS) + 1, NO_CLASS, dtype=np.int64)
    by_grade = in_class[np.argsort(grades[in_class], kind="stable")]
    first[classes[by_grade]] = by_grade  # the last one written has the highest grade
    ranked = retrieved[classes[retrieved] >= 0]
    first_seen, at = np.unique(classes[ranked], return_index=True)
    first[first_seen] = ranked[at]
    novel = grades.copy()
    later = in_class[first[classes[in_class]] != in_class]
    novel[later] = np.minimum(novel[later], 0)
    return novel
