"""Agreement and relevant rate over time, against plain counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.kappa.drift import drift, thirds
from assess.kappa.labels import labels_of

NONE = np.nan


def test_labels_belong_to_the_period_in_which_they_were_given_and_documents_to_their_last_label() -> None:
    labels = labels_of([[1, 0, 1, 0], [1, 0, 0, 1]], [0, 1], judges=["ada", "ben"])
    times = np.array([[1, 2, 3, 4.0], [2, 2, 11, 12]])
    early, late = drift(labels, times, [1, 10, 12])
    assert (early.labels, early.rate) == (6, 3 / 6)
    assert early.rates == {"ada": 2 / 4, "ben": 1 / 2}
    assert (early.coefficients[0].n, early.coefficients[0].value) == (2, 1.0)
    assert (late.labels, late.rate, late.rates) == (2, 1 / 2, {"ben": 1 / 2})
    assert (late.coefficients[0].n, late.coefficients[0].value) == (2, 0.0)


@given(st.lists(st.integers(0, 50), min_size=0, max_size=40))
def test_every_label_is_in_exactly_one_period(given_at: list[int]) -> None:
    times = np.array([given_at, [NONE] * len(given_at)], dtype=float).reshape(2, -1)
    places = np.where(np.isnan(times), -1, 1)
    edges = thirds(times)
    found = drift(labels_of(places, [0, 1]), times, edges)
    assert sum(period.labels for period in found) == len(given_at)
    assert len(found) == max(len(edges) - 1, 1 if edges else 0)
    assert all(period.rate in (None, 1.0) for period in found)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_thirds_begin_where_the_labels_in_order_are_parted(given_at: list[int]) -> None:
    ordered, n = sorted(given_at), len(given_at)
    inner = [ordered[round(n / 3)], ordered[round(2 * n / 3)]] if n > 2 else []
    assert thirds(np.array([given_at], dtype=float)) == sorted({ordered[0], *inner, ordered[-1]})


def test_thirds_of_many_labels_are_of_one_size() -> None:
    times = np.random.default_rng(1).random((3, 200))
    found = drift(labels_of(np.zeros((3, 200), dtype=int), [0, 1]), times, thirds(times))
    assert [period.labels for period in found] == [200, 200, 200]


def test_one_moment_is_one_period() -> None:
    times = np.full((2, 3), 7.0)
    (only,) = drift(labels_of([[0, 1, 1], [0, 1, 0]], [0, 1]), times, thirds(times))
    assert (only.labels, only.begin, only.end, only.coefficients[0].n) == (6, 7, 7, 3)
    assert only.coefficients[0].value == pytest.approx(2 / 3)


def test_without_a_time_there_is_no_period() -> None:
    assert thirds(np.full((2, 3), NONE)) == []
    assert drift(labels_of([[0, 1], [0, 1]], [0, 1]), np.full((2, 2), NONE), []) == []
