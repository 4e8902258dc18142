"""Measures explained: each has a formula, and its example is worked out by the engine."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.measures.base import MeasureKind
from metrics.measures.registry import KINDS
from metrics.worked_example import (
    MISSED,
    RANKING,
    BadExample,
    WorkedExample,
    parse_grades,
    read_example,
    usual_measure,
    worked_example,
)

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


def worked(name: str, ranking: str = RANKING, missed: str = MISSED) -> WorkedExample:
    return worked_example(usual_measure(KINDS[name]), read_example(ranking, missed))


@every_kind
def test_every_kind_says_its_formula_and_what_each_parameter_means(kind: MeasureKind) -> None:
    assert kind.formula
    assert all(parameter.meaning for parameter in kind.parameters.values())


@every_kind
def test_every_kind_is_worked_out_on_the_usual_example(kind: MeasureKind) -> None:
    found = worked_example(usual_measure(kind), read_example(RANKING, MISSED))
    assert len(found.steps) == 5
    assert all(kind.low <= value <= kind.high for value in (*found.steps, found.value))
    assert found.steps[-1] == pytest.approx(found.value)


# The formulas of the page, worked out by hand on 3 0 2 - 1 with one more document of grade 2: R = 4.
@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("P", [1, 1 / 2, 2 / 3, 2 / 4, 3 / 5]),
        ("R", [1 / 4, 1 / 4, 2 / 4, 2 / 4, 3 / 4]),
        ("AP", [1 / 4, 1 / 4, (1 + 2 / 3) / 4, (1 + 2 / 3) / 4, (1 + 2 / 3 + 3 / 5) / 4]),
        ("RR", [1, 1, 1, 1, 1]),
        ("DCG", [3, 3, 3 + 2 / 2, 4, 4 + 1 / math.log2(6)]),
        ("Rprec", [1 / 4, 1 / 4, 2 / 4, 2 / 4, 2 / 4]),
        ("bpref", [1 / 4, 1 / 4, 1 / 4, 1 / 4, 1 / 4]),  # one judged non-relevant above the two others
        ("RBP", [0.2, 0.2, 0.2 * (1 + 2 / 3 * 0.64), 0.2 * (1 + 2 / 3 * 0.64), None]),
        ("SetP", [1, 1 / 2, 2 / 3, 2 / 4, 3 / 5]),
        ("Fallout", [0, 1 / 96, 1 / 96, 2 / 96, 2 / 96]),
        ("StRecall", [1, 1, 1, 1, 1]),  # the grade 3 is about both subtopics
        ("prefs_simp", [4 / 9, 4 / 9, 5 / 9, 5 / 9, 5 / 9]),  # nine pairs of unequal grades
        ("AP_avgjg", [7 / 24, 7 / 24, None, None, (34 / 60 + 5 / 9) / 2]),
    ],
)
def test_steps_are_the_formula_by_hand(name: str, steps: list[float | None]) -> None:
    found = worked(name).steps
    pairs = zip(found, steps, strict=True)
    assert [got for got, want in pairs if want is not None] == pytest.approx(
        [want for want in steps if want is not None]
    )


def test_ndcg_divides_by_the_judged_documents_best_first() -> None:
    best = 3 + 2 / math.log2(3) + 2 / 2 + 1 / math.log2(5)
    assert worked("nDCG").value == pytest.approx((4 + 1 / math.log2(6)) / best)


@pytest.mark.parametrize(
    ("ranking", "missed", "said"),
    [
        ("", "", "at least one grade"),
        ("- -", "", "at least one document with a grade"),
        ("3 x", "", "found 'x'"),
        ("10", "", "found '10'"),
        ("³", "", "found '³'"),
        ("1", "-", "a grade for every missed document"),
        ("1 " * 21, "", "at most 20 documents, found 21"),
    ],
)
def test_what_is_no_example_is_said(ranking: str, missed: str, said: str) -> None:
    with pytest.raises(BadExample, match=said):
        read_example(ranking, missed)


GRADES = st.lists(st.sampled_from([*"0123456789-"]), min_size=1, max_size=20).map(" ".join)


@settings(max_examples=25)
@given(GRADES, st.lists(st.sampled_from([*"0123456789"]), max_size=3).map(" ".join))
def test_any_example_is_worked_out_for_every_kind_or_refused(ranking: str, missed: str) -> None:
    try:
        documents = read_example(ranking, missed)
    except BadExample:
        assert all(grade is None for grade in parse_grades(ranking)) and not missed
        return
    for kind in KINDS.values():
        assert math.isfinite(worked_example(usual_measure(kind), documents).value)
