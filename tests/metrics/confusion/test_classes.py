"""Scores of classes: the lecture's table, definitions written out, and what holds for every matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.confusion.classes import averages, binary_tables, confused_pairs, used_tables
from metrics.confusion.roc import grade_roc
from metrics.engine.confusion import ConfusionMatrix, ContingencyTable

LECTURE = {"1": ContingencyTable(10, 10, 10, 970), "2": ContingencyTable(90, 10, 10, 890)}
NAMES = ("a", "b", "c", "d")
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)


def test_micro_and_macro_of_the_lecture() -> None:
    found = averages(LECTURE)
    assert [each.precision for each in found.classes] == [0.5, 0.9]
    assert found.macro.precision == 0.7
    assert found.micro.precision == pytest.approx(100 / 120)
    assert found.micro.row()["tn"] == 1860 and found.macro.row()["tn"] == ""


def test_a_class_without_a_value_leaves_the_macro_average_undefined() -> None:
    found = averages({"a": ContingencyTable(0, 0, 2, 1), "b": ContingencyTable(1, 1, 0, 1)})
    assert found.classes[0].precision is None and found.macro.precision is None
    assert found.micro.precision == 0.5
    assert found.macro.row()["precision"] == ""


def matrix_of(pairs: list[tuple[int, int]]) -> ConfusionMatrix:
    return ConfusionMatrix(NAMES, np.array([[pairs.count((e, s)) for s in range(4)] for e in range(4)]))


@given(PAIRS, st.sampled_from([0.5, 1.0, 2.0]))
def test_each_score_is_its_definition_on_the_pairs(pairs: list[tuple[int, int]], beta: float) -> None:
    expert, system = zip(*pairs, strict=True)
    matrix = matrix_of(pairs)
    found = averages(used_tables(matrix), beta)
    assert [each.name for each in found.classes] == [NAMES[n] for n in sorted({*expert, *system})]
    for each in found.classes:
        own = NAMES.index(each.name)
        tp = sum(pair == (own, own) for pair in pairs)
        given_, said = sum(e == own for e, _ in pairs), sum(s == own for _, s in pairs)
        assert each.precision == (tp / said if said else None)
        assert each.recall == (tp / given_ if given_ else None)
        if each.precision and each.recall:
            p, r = each.precision, each.recall
            assert each.f == pytest.approx((beta**2 + 1) * p * r / (beta**2 * p + r))
    share = sum(e == s for e, s in pairs) / len(pairs)  # an error is one fp and one fn
    assert found.micro.precision == found.micro.recall == pytest.approx(share)
    assert found.micro.f == pytest.approx(share)


@given(PAIRS)
def test_the_pairs_confused_most_hold_all_errors_once(pairs: list[tuple[int, int]]) -> None:
    found = confused_pairs(matrix_of(pairs), limit=6)
    sums = [pair.there + pair.back for pair in found]
    assert sum(sums) == sum(e != s for e, s in pairs)
    assert sums == sorted(sums, reverse=True) and 0 not in sums
    for pair in found:
        first, second = NAMES.index(pair.first), NAMES.index(pair.second)
        assert (pair.there, pair.back) == (pairs.count((first, second)), pairs.count((second, first)))


def test_a_topic_without_common_documents_is_no_class() -> None:
    yes, said = np.array([True, True, False, False]), np.array([True, False, True, False])
    tables = binary_tables(yes, said, np.array([0, 0, 0, 2]), ("one", "two", "three"))
    assert tables == {"one": ContingencyTable(1, 1, 1, 0), "three": ContingencyTable(0, 0, 0, 1)}


@given(PAIRS)
def test_the_area_below_the_roc_curve_is_that_of_mann_and_whitney(pairs: list[tuple[int, int]]) -> None:
    yes, no = [s for e, s in pairs if e >= 2], [s for e, s in pairs if e < 2]
    curve = grade_roc(matrix_of(pairs).counts, np.array([False, False, True, True]), list("0123"))
    if not yes or not no:
        assert curve is None
        return
    assert curve
    assert curve.auc == pytest.approx(stats.mannwhitneyu(yes, no).statistic / (len(yes) * len(no)))
    for point in curve.points:
        assert point.recall == sum(s >= int(point.grade) for s in yes) / len(yes)
        assert point.fallout == sum(s >= int(point.grade) for s in no) / len(no)
    x, y = ([0.0, *(getattr(point, name) for point in curve.points)] for name in ("fallout", "recall"))
    assert curve.auc == pytest.approx(np.trapezoid(y, x)) and (x[-1], y[-1]) == (1, 1)
