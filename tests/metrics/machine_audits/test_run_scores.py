"""Corrected scores of runs: the worked example, coverage, and intervals that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.machine_audits.run_scores import (
    difference_estimate,
    labels_for_intervals,
    leaves_range,
    score_estimates,
)
from metrics.machine_audits.sample import SampleStratum

from .worked import covers, digits

F, Y = (np.array([int(value) for value in word]) for word in ("11001000", "10011010"))
A, B = np.zeros(8), np.zeros(8)  # documents 1a 1b 1c 1d 2a 2b 2c 2d; P@2 over two topics
A[[0, 1, 5, 6]] = B[[0, 3, 4, 6]] = 1 / 4
PLACES = [0, 1, 3, 6]
STRATA = [SampleStratum("0", 5, 2), SampleStratum("1", 3, 2)]


def test_the_worked_example_of_two_runs() -> None:
    assert (A @ Y, B @ Y, A @ F, B @ F) == (0.5, 1.0, 0.5, 0.5)
    stratum = F[PLACES]
    a, b = score_estimates([A, B], F, Y[PLACES], PLACES, stratum, STRATA)
    assert a[:2] == pytest.approx((0.75, np.sqrt(0.046875 + 0.234375)))
    assert digits(a.error, b.value, b.error) == [0.5303, 1.75, 0]
    found = difference_estimate(A, B, F, Y[PLACES], PLACES, stratum, STRATA)
    assert digits(found.value, found.error) == [1.0, 0.5303]
    for each in (a, b, found):
        assert (each.low, each.high) == (None, None) and "fewer than 5" in each.note
    assert leaves_range(b) and not leaves_range(a)


def test_intervals_of_scores_and_of_differences_cover_the_truth() -> None:
    rng = np.random.default_rng(4)
    y = (rng.random(1500) < 0.3).astype(np.int64)
    f = np.where(rng.random(1500) < 0.75, y, rng.integers(0, 2, 1500))
    weights = (rng.random((2, 1500)) < 0.3 + 0.4 * y) / 500
    members = [np.flatnonzero(f == grade) for grade in (0, 1)]
    strata = [SampleStratum(str(grade), len(each), 200) for grade, each in enumerate(members)]
    truth = [*(weights @ y), (weights[1] - weights[0]) @ y]
    covered = np.zeros(3)
    for _ in range(600):
        places = np.concatenate([rng.choice(each, 200, replace=False) for each in members])
        sample = (f, y[places], places, f[places], strata)
        found = [*score_estimates(weights, *sample), difference_estimate(weights[0], weights[1], *sample)]
        covered += [covers(each, true) for each, true in zip(found, truth, strict=True)]
    assert ((covered / 600 >= 0.93) & (covered / 600 <= 0.97)).all()


def test_a_sample_of_all_documents_gives_the_true_scores() -> None:
    strata = [SampleStratum("0", 5, 5), SampleStratum("1", 3, 3)]
    a, b = score_estimates([A, B], F, Y, range(8), F, strata)
    assert a[:4] == pytest.approx((0.5, 0, 0.5, 0.5)) and b[:4] == pytest.approx((1, 0, 1, 1))


def test_what_cannot_be_known_of_a_score_has_a_reason() -> None:
    weights, f, strata = (
        np.full((1, 40), 1 / 40),
        np.repeat([0, 1], 20),
        [SampleStratum("", 20, 6), SampleStratum("", 20, 6)],
    )
    places = [*range(6), *range(20, 26)]
    (same,) = score_estimates(weights, f, f[places], places, f[places], strata)
    assert same[:2] == pytest.approx((0.5, 0)) and same.low is None and "change this score" in same.note
    (one,) = score_estimates(weights, f, [0] * 6 + [1], places[:7], f[places[:7]], strata)
    assert one.value == pytest.approx(0.5) and one.error is None and "fewer than 5" in one.note
    (half,) = score_estimates(weights, f, [0] * 6, places[:6], f[places[:6]], strata)
    assert half.value is None and "cannot be corrected" in half.note and "6 of 12" in half.note
    (none,) = score_estimates(weights, f, [], [], [], strata)
    assert none.value is None and none.note
    assert score_estimates(np.zeros((0, 40)), f, [0] * 12, places, f[places], strata) == []
    (no_weight,) = score_estimates(np.zeros((1, 40)), f, [0, 1] * 6, places, f[places], strata)
    assert (no_weight.value, no_weight.low) == (0, None)


@pytest.mark.parametrize(("documents", "topics"), [(4000, 50), (9000, 30), (2000, 25)])
def test_the_forecast_gives_nine_of_ten_runs_an_interval(documents: int, topics: int) -> None:
    labels, rng = labels_for_intervals(documents, topics), np.random.default_rng(7)
    f = rng.integers(0, 2, documents)
    y = np.where(rng.random(documents) < 0.15, 1 - f, f)
    strata, shown = [SampleStratum("pool", documents, labels)], 0
    for _ in range(100):
        weights = np.zeros((1, documents))
        weights[0, rng.choice(documents, 10 * topics, replace=False)] = 1 / (10 * topics)
        places = rng.choice(documents, labels, replace=False)
        (found,) = score_estimates(weights, f, y[places], places, np.zeros(labels), strata)
        shown += found.low is not None
    assert 84 <= shown <= 99


@pytest.mark.parametrize("places", [[0, 0], [0, 40], [-1, 2], [1]])
def test_programming_errors_of_run_scores(places: list[int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        score_estimates(np.ones((1, 40)), np.zeros(40), [0, 1], places, [0, 0], [SampleStratum("", 40, 2)])
