"""Label sets from the literature, and how to make labels from the forms they are printed in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from assess.kappa.agreement import coefficients
from assess.kappa.coefficient import Coefficient
from assess.kappa.labels import Labels, labels_of
from assess.kappa.pairs import coefficients_of_table

LECTURE = [[300, 20], [10, 70]]
COHEN_1960 = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
FLEISS_COHEN_EVERITT_1969 = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
FLEISS_LEVIN_PAIK = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
GWET_2002 = [[118, 5], [2, 0]]
# 30 patients, 6 raters: depression, personality disorder, schizophrenia, neurosis, other
PATIENTS = """\
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501 30012 51000
02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""
FLEISS_1971 = [[int(count) for count in patient] for patient in PATIENTS.split()]
# 10 subjects, 14 raters: the worked example that encyclopaedias print
FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
KRIPPENDORFF_A = "0100000010", "1110010000"
KRIPPENDORFF_B = "aabbdcccedda", "babbbccceddd"
KRIPPENDORFF_C = "123321412...", "1233224125.3", ".3332342251.", "12332441251."


def written(rows: Sequence[str], scale: str, topic: Sequence[str] | None = None) -> Labels:
    """Labels written as one row per judge, one character per item, `.` for none."""
    places = [[scale.find(label) for label in row] for row in rows]
    return labels_of(places, [int(grade, 36) for grade in scale], topic=topic)


def from_counts(counts: Sequence[Sequence[int]]) -> Labels:
    """Labels of which only the number per item and grade is known; who gave which is made up."""
    rows = [np.repeat(np.arange(len(row)), row) for row in counts]
    most = max(map(len, rows))
    places = [np.pad(row, (0, most - len(row)), constant_values=-1) for row in rows]
    return labels_of(np.array(places).T, range(len(counts[0])))


def from_table(table: npt.ArrayLike) -> Labels:
    """Labels of two judges from their confusion matrix."""
    counts = np.asarray(table)
    first, second = np.nonzero(counts)
    times = counts[first, second]
    return labels_of([np.repeat(first, times), np.repeat(second, times)], range(len(counts)))


def named(found: Sequence[Coefficient], name: str) -> Coefficient:
    (one,) = [each for each in found if each.name == name]
    return one


def of_two(table: npt.ArrayLike, name: str) -> Coefficient:
    return named(coefficients_of_table(table, range(len(np.asarray(table)))), name)


def of_many(labels: Labels, name: str) -> Coefficient:
    return named(coefficients(labels), name)


def near(value: Any, abs: float | None = None) -> Any:
    """What is equal to a number up to rounding, or to None."""
    return None if value is None else pytest.approx(value, abs=abs)
