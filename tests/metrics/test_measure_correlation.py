"""Measures are correlated pair by pair as two rankings are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.rankings.rank_correlation import kendall_tau_b, measure_correlation, tau_ap_a


@given(st.integers(0, 1000), st.integers(2, 8), st.integers(1, 4))
def test_each_pair_is_what_it_is_alone(seed: int, systems: int, measures: int) -> None:
    means = np.random.default_rng(seed).integers(0, 5, (systems, measures)) / 7.0
    means *= 10.0 ** np.arange(measures)  # counts are larger than shares
    found = measure_correlation(means)
    for row in range(measures):
        for column in range(measures):
            tau = kendall_tau_b(means[:, row], means[:, column])
            tau_ap = tau_ap_a(means[:, row], means[:, column])
            assert found.tau[row][column] == pytest.approx(tau.value)
            assert found.tau_ap[row][column] == pytest.approx(tau_ap.value)
    assert bool(found.reason) == any(value is None for row in found.tau for value in row)


def test_a_measure_that_is_much_smaller_than_another_keeps_its_order() -> None:
    means = np.array([[3e-12, 1000.0], [2e-12, 900.0], [1e-12, 950.0]])
    assert measure_correlation(means).tau[0][1] == pytest.approx(1 / 3)


def test_one_system_gives_a_reason() -> None:
    found = measure_correlation(np.ones((1, 2)))
    assert (found.tau, found.reason) == (((None, None), (None, None)), "fewer than two systems")
    with pytest.raises(ValueError, match="finite"):
        measure_correlation(np.array([[1.0, np.nan]]))
