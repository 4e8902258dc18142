from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.judge_checks import (
    Flag,
    LabelStream,
    bursts,
    chance_of_run,
    constant_grades,
    label_flags,
    rate_change,
)
from assess.no_grade import NoGrade


def stream_of(grades: Sequence[int | None], seconds: float = 20) -> LabelStream:
    """Return labels of these grades that took so long; None is *cannot judge*."""
    labels = [NoGrade.REFUSED if grade is None else grade for grade in grades]
    return LabelStream(np.full(len(labels), seconds), np.array(labels, dtype=np.int64))


def timed(*seconds: float | None) -> LabelStream:
    """Return labels that took so many seconds; None where nobody measured."""
    return LabelStream(np.array(seconds, dtype=np.float64), np.arange(len(seconds)) % 2)


# bursts


@pytest.mark.parametrize(
    ("seconds", "found"),
    [
        ([1.0] * 10, [(0, 10)]),
        ([1.0] * 9, []),
        ([2.0] * 10, []),
        ([5.0, *[0.5] * 12, 5.0, *[1.9] * 10], [(1, 13), (14, 24)]),
        ([*[1.0] * 9, None, *[1.0] * 9], []),
        ([], []),
    ],
)
def test_ten_labels_in_a_row_under_two_seconds_are_a_burst(
    seconds: list[float | None], found: list[tuple[int, int]]
) -> None:
    assert [(flag.start, flag.stop) for flag in bursts(timed(*seconds))] == found


def test_a_burst_says_which_labels_it_means() -> None:
    (flag,) = bursts(timed(9, *[1.5] * 11))
    assert flag == Flag("burst", 1, 12, "11 labels in a row, numbers 2 to 12, took less than 2 s each.")


@given(st.lists(st.one_of(st.none(), st.floats(0, 4))), st.integers(1, 5))
def test_bursts_are_all_stretches_of_fast_labels_and_no_more(seconds: list[float | None], count: int) -> None:
    found = bursts(timed(*seconds), count)
    fast = [each is not None and each < 2 for each in seconds]
    assert all(all(fast[flag.start : flag.stop]) and flag.stop - flag.start >= count for flag in found)
    inside = {place for flag in found for place in range(flag.start, flag.stop)}
    for start in range(len(fast) - count + 1):
        assert not all(fast[start : start + count]) or start in inside


# constant grades


def exact_chance_of_run(length: int, given: int, labels: int) -> float:
    """Count the orders with such a run among all of them."""
    orders = [set(places) for places in combinations(range(labels), given)]
    with_run = [
        order
        for order in orders
        if any(
            in_order and sum(1 for _ in run) >= length
            for in_order, run in groupby(range(labels), order.__contains__)
        )
    ]
    return len(with_run) / len(orders)


@pytest.mark.parametrize("labels", range(1, 11))
def test_the_chance_of_a_run_bounds_the_share_of_orders_that_have_one(labels: int) -> None:
    for given_so in range(labels + 1):
        for length in range(1, labels + 1):
            exact = exact_chance_of_run(length, given_so, labels)
            bound = chance_of_run(length, given_so, labels)
            if given_so < 2 * length:
                assert bound == pytest.approx(exact)
            assert bound >= exact - 1e-12


@pytest.mark.parametrize(("length", "given_so", "labels"), [(0, 1, 2), (1, 3, 2), (1, -1, 2)])
def test_a_run_of_nothing_has_no_chance(length: int, given_so: int, labels: int) -> None:
    with pytest.raises(ValueError, match="expected a run of 1 or more"):
        chance_of_run(length, given_so, labels)


@pytest.mark.parametrize(
    ("grades", "found"),
    [
        ([0, 1, 2, 1] * 20 + [2] * 15 + [0, 1] * 10, [(80, 95)]),
        ([0, 1, 2, 1] * 20 + [None] * 12 + [0, 1] * 10, [(80, 92)]),
        ([0] * 200, []),  # one grade only
        ([0, 1, *[0] * 60] * 3, []),  # nearly one grade only
        ([0] * 50 + [1] * 9 + [0] * 50, [(50, 59)]),
        ([], []),
    ],
)
def test_a_run_of_one_grade_is_flagged_where_the_judges_own_grades_would_not_show_it(
    grades: Sequence[int | None], found: list[tuple[int, int]]
) -> None:
    assert [(flag.start, flag.stop) for flag in constant_grades(stream_of(grades), shortest=9)] == found


def test_a_constant_run_says_why_it_is_one() -> None:
    (flag,) = constant_grades(stream_of([0, 1] * 8 + [2] * 12 + [0, 1] * 8 + [2] * 2))
    assert flag.sentence == (
        "12 times grade 2 in a row, numbers 17 to 28; of all 46 labels 14 are grade 2, and in random order"
        " such a run has a chance of less than 1 in 10,000."
    )


def test_a_shuffled_stream_is_flagged_no_oftener_than_by_chance() -> None:
    chance, grades = random.Random(1), [0] * 120 + [1] * 50 + [2] * 30
    hits = 0
    for _ in range(1000):
        chance.shuffle(grades)
        hits += bool(constant_grades(stream_of(grades), shortest=1, alpha=0.01))
    assert 0 < hits <= 30  # three grades at 0.01 each


@given(st.lists(st.integers(-1, 2)), st.integers(1, 4))
def test_constant_grades_are_looked_for_in_every_run(grades: list[int], shortest: int) -> None:
    runs, start = [], 0
    for _, run in groupby(grades):
        length = sum(1 for _ in run)
        runs.append((start, start + length))
        start += length
    found = constant_grades(stream_of(grades), shortest, alpha=2)  # any chance is small enough
    assert [(flag.start, flag.stop) for flag in found] == [
        (start, stop) for start, stop in runs if stop - start >= shortest
    ]


# drift


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ((8, 10), (1, 10), 0.005477),  # 2 (45 * 10 + 10 * 1) / C(20, 9)
        ((3, 4), (1, 4), 0.485714),  # 34 / 70: Fisher's lady tasting tea
        ((0, 10), (0, 10), 1.0),
    ],
)
def test_drift_is_fishers_exact_test_of_the_two_halves(
    first: tuple[int, int], second: tuple[int, int], p: float
) -> None:
    grades = [int(n < yes) for yes, labels in (first, second) for n in range(labels)]
    drift = rate_change(stream_of(grades), threshold=1)
    assert drift is not None
    assert (drift.first, drift.second) == (first, second)
    assert drift.p == pytest.approx(p, abs=1e-6)
    assert (drift.flag is not None) == (p < 0.01)


def test_a_drift_says_from_what_to_what() -> None:
    drift = rate_change(stream_of([3, 3, 1, 3] * 10 + [0, None, 0, 3, 1] * 10), threshold=2)
    assert drift is not None and drift.flag is not None
    assert drift.flag.sentence == (
        "30 of the first 40 labels are relevant (75%), of the last 40 10 (25%); in random order so great a"
        " change has a chance of less than 1 in 10,000 (Fisher's exact test)."
    )


@given(st.lists(st.one_of(st.none(), st.integers(0, 3))), st.integers(0, 4))
def test_drift_counts_every_grade_once(grades: Sequence[int | None], threshold: int) -> None:
    drift = rate_change(stream_of(grades), threshold)
    given_grades = [grade for grade in grades if grade is not None]
    if drift is None:
        assert len(given_grades) < 2
    else:
        assert drift.first[1] + drift.second[1] == len(given_grades)
        assert drift.first[0] + drift.second[0] == sum(grade >= threshold for grade in given_grades)
        assert 0 <= drift.second[1] - drift.first[1] <= 1 and 0 <= drift.p <= 1 + 1e-9


def test_all_flags_of_a_stream_come_together() -> None:
    stream = LabelStream(np.repeat([1.0, 20.0], 30), np.repeat([1, 0], 30))  # quick and relevant, then steady
    assert [flag.kind for flag in label_flags(stream, threshold=1)] == [
        "burst",
        "constant",
        "constant",
        "drift",
    ]
    assert label_flags(stream_of([]), threshold=1) == []
