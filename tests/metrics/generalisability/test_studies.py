"""G and D studies: figures of Brennan 2001, those of the manual of gt4ireval, and what changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.generalisability.studies import (
    ALL_EQUAL,
    Components,
    Count,
    Stability,
    StabilityEstimate,
    among_best,
    d_study,
    g_study,
    g_study_of,
)
from pooling.arrays import Matrix

SYNTHETIC_4 = (
    np.array(  # Brennan 2001, table 3.2: a row for each person (system), a column for each item (topic)
        [
            [5, 6, 5, 5, 5, 3, 4, 5, 6, 7, 3, 3],
            [9, 3, 7, 7, 7, 5, 5, 5, 7, 7, 5, 2],
            [3, 4, 3, 3, 5, 3, 3, 5, 6, 5, 1, 6],
            [7, 5, 5, 3, 3, 1, 4, 3, 5, 3, 3, 5],
            [9, 2, 9, 7, 7, 7, 3, 7, 2, 7, 5, 3],
            [3, 4, 3, 5, 3, 3, 6, 3, 4, 5, 1, 2],
            [7, 3, 7, 7, 7, 5, 5, 7, 5, 5, 5, 4],
            [5, 8, 5, 7, 7, 5, 5, 4, 3, 2, 1, 1],
            [9, 9, 8, 8, 6, 6, 6, 5, 5, 8, 1, 1],
            [4, 4, 4, 3, 3, 5, 6, 5, 5, 7, 1, 1],
        ],
        dtype=np.float64,
    ).T
)
ADHOC_3 = g_study_of(30, 50, Components(0.15074, 0.85296, 0.010152))  # TREC-3, the best 30 systems: gt4ireval


def close(found: StabilityEstimate, expected: Sequence[float], within: float) -> None:
    assert found == pytest.approx(tuple(expected), abs=within)


def test_variance_components_of_brennans_table_6_2() -> None:
    study = g_study(SYNTHETIC_4)
    assert (study.systems, study.topics, study.negative, study.reason) == (10, 12, (), "")
    assert study.mean_squares == pytest.approx((10.2963, 11.6273, 2.7872), abs=5e-5)
    assert study.variances == pytest.approx((0.6258, 0.8840, 2.7872), abs=5e-5)


def test_coefficients_and_intervals_of_brennans_table_6_5() -> None:
    found = g_study(SYNTHETIC_4).stability(12, level=0.8)
    close(found.relative, (0.729, 0.541, 0.876), 5e-4)
    close(found.absolute, (0.672, 0.457, 0.845), 5e-4)


def test_a_quarter_of_the_systems_is_left_out_as_in_gt4ireval() -> None:
    assert among_best(SYNTHETIC_4, 0.3).sum() == 7  # the second and the third are tied
    assert among_best(SYNTHETIC_4, 0.2).sum() == 9
    assert among_best(SYNTHETIC_4, 0.0).all()
    worst = SYNTHETIC_4.mean(axis=0).argmax()
    assert not among_best(SYNTHETIC_4, 0.1, "lower")[worst]


def test_a_negative_component_is_set_to_0_and_named() -> None:
    study = g_study(SYNTHETIC_4[3:7, 3:7])
    assert study.variances and study.variances.topics == 0
    assert study.negative == ("topics",)


def test_the_g_study_of_the_manual_of_gt4ireval() -> None:
    assert ADHOC_3.variances == pytest.approx((0.0028117, 0.028093, 0.010152), abs=1e-6)
    assert ADHOC_3.shares == pytest.approx((0.068482, 0.68425, 0.24727), abs=1e-5)
    every = g_study_of(40, 50, Components(0.36926, 0.91661, 0.01092))
    assert every.variances == pytest.approx((0.0071668, 0.022642, 0.01092), abs=1e-6)
    assert every.shares == pytest.approx((0.17596, 0.55593, 0.26811), abs=1e-5)


STABILITIES = {  # topics -> E rho squared and Phi, each with the ends of its 95 % interval
    20: (0.84707, 0.76971, 0.91208, 0.5952, 0.43864, 0.74647),
    40: (0.91721, 0.86987, 0.95402, 0.74624, 0.6098, 0.85483),
    50: (0.93265, 0.89311, 0.96287, 0.78613, 0.66141, 0.88039),
    60: (0.94324, 0.90931, 0.96887, 0.81519, 0.70097, 0.8983),
    100: (0.96515, 0.94354, 0.98109, 0.88026, 0.79621, 0.93639),
    200: (0.98227, 0.97095, 0.99045, 0.93632, 0.88654, 0.96715),
}


@pytest.mark.parametrize("found", d_study(ADHOC_3, STABILITIES), ids=lambda found: str(found.topics))
def test_stabilities_of_the_manual_of_gt4ireval(found: Stability) -> None:
    topics, relative, absolute = found
    close(relative, STABILITIES[topics][:3], 3e-5)
    close(absolute, STABILITIES[topics][3:], 3e-5)


def test_the_curve_of_the_manual_of_gt4ireval() -> None:
    exact = g_study_of(30, 50, Components(0.002811699 * 50 + 0.010152, 0.85296, 0.010152))
    published = [0.7347152, 0.8059872, 0.8470730, 0.8737985, 0.8925725]  # of 10, 15, 20, 25, 30 topics
    found = [each.relative.value for each in d_study(exact, range(10, 35, 5))]
    assert found == pytest.approx(published, abs=1e-5)


@pytest.mark.parametrize(
    ("level", "relative", "absolute"),
    [
        (0.99, (0.87737, 0.96967), (0.61466, 0.9023)),
        (0.95, (0.89311, 0.96287), (0.66141, 0.88039)),
        (0.9, (0.90062, 0.95901), (0.68417, 0.86796)),
    ],
)
def test_intervals_by_level_of_the_manual(
    level: float, relative: tuple[float, float], absolute: tuple[float, float]
) -> None:
    found = ADHOC_3.stability(50, level)
    assert found.relative[1:] == pytest.approx(relative, abs=3e-5)
    assert found.absolute[1:] == pytest.approx(absolute, abs=3e-5)


@pytest.mark.parametrize(
    ("stability", "relative", "absolute"),
    [
        (0.8, (15, 8, 24), (55, 28, 103)),
        (0.85, (21, 11, 34), (78, 39, 146)),
        (0.9, (33, 18, 54), (123, 62, 231)),
        (0.95, (69, 37, 114), (259, 130, 487)),
        (0.97, (117, 63, 194), (440, 220, 828)),
        (0.99, (358, 191, 593), (1347, 673, 2534)),
    ],
)
def test_numbers_of_topics_of_the_manual(
    stability: float, relative: tuple[int, int, int], absolute: tuple[int, int, int]
) -> None:
    found = ADHOC_3.topics_needed(stability)
    assert (found.relative, found.absolute) == (relative, absolute)


def test_numbers_of_topics_by_level_of_the_manual() -> None:
    assert [ADHOC_3.topics_needed(0.95, level).relative[1:] for level in (0.99, 0.9)] == [
        (30, 133),
        (41, 105),
    ]
    assert [ADHOC_3.topics_needed(0.95, level).absolute[1:] for level in (0.99, 0.9)] == [
        (103, 596),
        (145, 439),
    ]


def test_what_is_undefined_says_why() -> None:
    alone = g_study(np.array([[0.5], [0.25]]))
    assert (alone.variances, alone.shares, alone.reason) == (None, None, "fewer than two systems")
    assert alone.stability(10).relative == StabilityEstimate(None)
    assert alone.topics_needed(0.9).absolute == Count(None)
    equal = g_study(np.full((3, 4), 0.25))
    assert equal.reason == ALL_EQUAL and equal.stability(5).absolute.value is None


def test_systems_that_do_not_differ_have_no_stable_order() -> None:
    chance = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    study = g_study(chance)
    assert study.negative[0] == "systems"
    assert study.stability(1000).relative.value == 0
    assert study.topics_needed(0.9).relative.value is None


def test_without_a_residual_one_topic_orders_the_systems() -> None:
    study = g_study(np.add.outer([0.1, 0.2, 0.4], [0.0, 0.3]))
    assert study.stability(1).relative == StabilityEstimate(1.0)
    assert study.topics_needed(0.99).relative == Count(1)


def test_programming_errors_are_raised() -> None:
    with pytest.raises(ValueError, match="at least one topic"):
        ADHOC_3.stability(0)
    with pytest.raises(ValueError, match="stability between 0 and 1"):
        ADHOC_3.topics_needed(1.0)
    with pytest.raises(ValueError, match="a share from 0"):
        among_best(SYNTHETIC_4, 1.0)
    with pytest.raises(ValueError, match="finite"):
        g_study(np.array([[0.1, np.nan], [0.2, 0.3]]))


@st.composite
def tables(draw: st.DrawFn) -> Matrix:
    topics, systems = draw(st.integers(2, 8)), draw(st.integers(2, 6))
    values = draw(st.lists(st.integers(0, 20), min_size=topics * systems, max_size=topics * systems))
    return np.array(values, dtype=np.float64).reshape(topics, systems) / 20


@given(tables(), st.randoms(use_true_random=False), st.floats(-2, 2), st.floats(0.5, 4))
def test_order_shift_and_scale_change_no_stability(
    values: Matrix, chance: Random, shift: float, scale: float
) -> None:
    rows, columns = list(range(values.shape[0])), list(range(values.shape[1]))
    chance.shuffle(rows)
    chance.shuffle(columns)
    first, second = g_study(values), g_study(values[np.ix_(rows, columns)] * scale + shift)
    assert second.negative == first.negative
    for one, other in zip(first.stability(7)[1:], second.stability(7)[1:], strict=True):
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert other == pytest.approx(one, abs=1e-6)


@given(tables())
def test_the_components_are_those_of_expected_mean_squares(values: Matrix) -> None:
    """A plain loop over the sums of squares, without the analysis of variance of the package."""
    topics, systems = values.shape
    mean = values.mean()
    of_systems = topics * sum((values[:, s].mean() - mean) ** 2 for s in range(systems)) / (systems - 1)
    of_topics = systems * sum((values[t].mean() - mean) ** 2 for t in range(topics)) / (topics - 1)
    residual = sum(
        (values[t, s] - values[t].mean() - values[:, s].mean() + mean) ** 2
        for t in range(topics)
        for s in range(systems)
    ) / ((topics - 1) * (systems - 1))
    expected = (
        max((of_systems - residual) / topics, 0),
        max((of_topics - residual) / systems, 0),
        residual,
    )
    assert g_study(values).variances == pytest.approx(expected, abs=1e-9)


@given(tables(), st.floats(0.05, 0.99))
def test_the_number_of_topics_is_the_smallest_that_reaches_the_stability(
    values: Matrix, stability: float
) -> None:
    study = g_study(values)
    needed = study.topics_needed(stability)
    for name in ("relative", "absolute"):
        count = getattr(needed, name)
        if count.value is None:
            continue
        assert getattr(study.stability(count.value), name).value >= stability - 1e-8
        if count.value > 1:
            assert getattr(study.stability(count.value - 1), name).value < stability + 1e-8
        if count.low is not None and count.high is not None:
            assert count.low <= count.high


@given(tables())
def test_more_topics_are_more_stable_and_an_order_more_than_scores(values: Matrix) -> None:
    found = d_study(g_study(values), (1, 5, 50))
    for fewer, more in zip(found, found[1:], strict=False):
        for name in ("relative", "absolute"):
            one, other = getattr(fewer, name).value, getattr(more, name).value
            assert one is None or one <= other + 1e-12
        if more.relative.value is not None and more.absolute.value is not None:
            assert more.absolute.value <= more.relative.value + 1e-12
