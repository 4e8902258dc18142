"""Gains from magnitudes: worked figures, a factor of a judge changes nothing, agreement, codes for qrels."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assess.kappa.many_judges import alpha_of_many
from assess.kappa.weights import interval_difference, ratio_difference
from metrics.magnitudes.agreement import interval_alpha, magnitude_agreement, ratio_alpha
from metrics.magnitudes.gains import code_gains
from metrics.magnitudes.result import SameOrder, magnitude_result
from pooling.refusals import Refused

WORKED = {"7": {"1": {"a": 10.0, "b": 40.0}, "2": {"a": 50.0, "b": 400.0}}}
values = st.floats(0.01, 1000)
documents = st.dictionaries(st.sampled_from("abcdef"), values, min_size=1)
topics = st.dictionaries(
    st.sampled_from("78"), st.dictionaries(st.sampled_from("xy"), documents, min_size=1), min_size=1
)


def test_the_gain_is_the_median_of_the_normalised_magnitudes() -> None:
    found = magnitude_result(WORKED, {"7": {"a": 1, "b": 2}})
    b, a = found.documents
    assert (a.docno, b.docno) == ("a", "b") and a.judges == b.judges == 2
    assert (a.lowest, a.highest) == pytest.approx((18.8030, 26.5915), abs=5e-5)
    assert (b.lowest, b.highest) == pytest.approx((106.3659, 150.4241), abs=5e-5)
    assert a.gain == pytest.approx((18.8030 + 26.5915) / 2, abs=5e-5)
    assert b.factor == pytest.approx(math.sqrt(2))
    assert a.relative == pytest.approx(a.gain / (10 * 40 * 50 * 400) ** 0.25)
    assert (found.judges, found.numbers) == (2, 4)
    assert found.order == SameOrder(1, 1, 0)


def test_grades_have_the_median_and_the_quartiles_of_relative_gains() -> None:
    given = {"7": {"x": {"a": 1.0, "b": 2.0, "c": 4.0}}, "8": {"x": {"d": 100.0, "e": 200.0, "f": 400.0}}}
    grades = {"7": {"a": 0, "b": 1, "c": 1}, "8": {"d": 0, "e": 0}}
    found = magnitude_result(given, grades, ["9"], 2)
    of_one, of_zero = found.by_grade
    assert tuple(of_one) == pytest.approx((1, 2, 1.5, 1.25, 1.75))
    assert tuple(of_zero) == pytest.approx((0, 3, 0.5, 0.5, 0.75))
    assert found.order == SameOrder(2, 2, 0) and found.order.share == 1
    assert (found.open_topics, found.cannot) == (["9"], 2)


@given(topics, st.sampled_from("78"), st.sampled_from("xy"), st.floats(0.001, 1000))
def test_a_factor_of_a_judge_on_a_topic_changes_nothing(
    given: dict[str, dict[str, dict[str, float]]], topic: str, judge: str, factor: float
) -> None:
    grades = {number: {docno: "abcdef".index(docno) % 3 for docno in "abcdef"} for number in "78"}
    scaled = {
        number: {
            who: {
                docno: value * (factor if (number, who) == (topic, judge) else 1)
                for docno, value in own.items()
            }
            for who, own in judges.items()
        }
        for number, judges in given.items()
    }
    before, after = magnitude_result(given, grades), magnitude_result(scaled, grades)
    found = {(each.topic, each.docno): each for each in after.documents}
    for each in before.documents:
        other = found[each.topic, each.docno]
        assert other.relative == pytest.approx(each.relative)
        assert other.factor == (None if each.factor is None else pytest.approx(each.factor))
    for grade, same in zip(before.by_grade, after.by_grade, strict=True):
        assert tuple(same) == pytest.approx(tuple(grade))
    for name in ("correlation", "ratio", "interval"):
        figure, again = getattr(before.agreement, name), getattr(after.agreement, name)
        assert (figure is None) == (again is None)
        if figure is not None:
            assert again == pytest.approx(figure, abs=1e-6)


def alpha_by_categories(
    first: list[int], second: list[int], difference: Callable[[int, int], float]
) -> float:
    """Krippendorff's alpha by its definition: every pair of values, one by one."""
    both = first + second
    pairs = [(one, other) for place, one in enumerate(both) for at, other in enumerate(both) if at != place]
    observed = sum(difference(one, other) for one, other in zip(first, second, strict=True)) / len(first)
    return 1 - observed / (sum(difference(one, other) for one, other in pairs) / len(pairs))


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=12))
def test_alpha_is_that_of_its_definition(pairs: list[tuple[int, int]]) -> None:
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    columns = np.array(first, dtype=float), np.array(second, dtype=float)
    if len(set(first + second)) == 1:
        assert interval_alpha(*columns) is None and ratio_alpha(*columns) is None
        return
    interval = alpha_by_categories(first, second, lambda one, other: (one - other) ** 2)
    ratio = alpha_by_categories(first, second, lambda one, other: ((one - other) / (one + other)) ** 2)
    assert interval_alpha(*columns) == pytest.approx(interval)
    assert ratio_alpha(*columns) == pytest.approx(ratio)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=12))
def test_alpha_of_whole_numbers_is_that_of_grades(pairs: list[tuple[int, int]]) -> None:
    scale = range(1, 10)
    coincidences = np.zeros((9, 9))
    for one, other in pairs:
        coincidences[one - 1, other - 1] += 1
        coincidences[other - 1, one - 1] += 1
    statistics: Any = SimpleNamespace(coincidences=coincidences)
    columns = (np.array([pair[side] for pair in pairs], dtype=float) for side in (0, 1))
    first, second = columns
    for alpha, difference in ((interval_alpha, interval_difference), (ratio_alpha, ratio_difference)):
        if (found := alpha(first, second)) is not None:
            assert found == pytest.approx(float(alpha_of_many(statistics, difference, scale).value))


def test_agreement_is_undefined_for_few_documents_and_for_judges_without_spread() -> None:
    assert magnitude_agreement(np.array([1.0, 2.0]), np.array([1.0, 3.0])).correlation is None
    flat = magnitude_agreement(np.ones(4), np.array([1.0, 2.0, 3.0, 4.0]))
    assert flat.correlation is None and flat.ratio is not None
    same = magnitude_agreement(np.ones(4), np.ones(4))
    assert (same.correlation, same.ratio, same.interval) == (None, None, None)


@given(st.lists(st.tuples(values, values), min_size=3, max_size=20, unique=True))
def test_the_correlation_is_that_of_scipy(pairs: list[tuple[float, float]]) -> None:
    first, second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    found = magnitude_agreement(first, second).correlation
    if found is not None:
        expected = stats.pearsonr(np.log(first), np.log(second)).statistic
        assert found == pytest.approx(expected, abs=1e-9)


@given(st.dictionaries(st.sampled_from("78"), st.dictionaries(st.sampled_from("abc"), st.floats(0, 1e6))))
def test_codes_stand_for_the_gains_in_their_order(gains: dict[str, dict[str, float]]) -> None:
    coded = code_gains(gains)
    known = dict(pair.split("=") for pair in coded.gains.split(",") if pair)
    gain_of = {int(code): float(gain) for code, gain in known.items()} | {0: 0.0}
    back = {
        topic: {docno: gain_of[code] for docno, code in own.items()} for topic, own in coded.grades.items()
    }
    assert back == gains
    assert [*map(int, known)] == [*range(1, len(known) + 1)]
    assert [*map(float, known.values())] == sorted(map(float, known.values()))


@pytest.mark.parametrize("gain", [-1.0, math.inf, math.nan])
def test_gains_below_zero_are_refused(gain: float) -> None:
    with pytest.raises(Refused, match="gains of 0 or more"):
        code_gains({"7": {"a": gain}})
