"""Indicators from stabilities: the figures that the manual of gt4ireval prints."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from metrics.generalisability.mappings import Indicators, indicators

OF_THE_ORDER = {  # E rho squared -> tau, tau AP, power, minor and major conflicts, absolute sensitivity
    0.95: (0.86412, 0.81507, 0.7826, 0.010117, 0.00037896, 0.0097988),
    0.7347152: (0.41572, 0.2926, 0.22918, 0.13072, 0.030514, 0.12888),
    0.8470730: (0.6234, 0.51601, 0.45241, 0.056171, 0.0071677, 0.055058),
    0.9326493: (0.81993, 0.75732, 0.71661, 0.015974, 0.00082949, 0.015521),
    0.9651511: (0.90394, 0.86814, 0.84407, 0.0058161, 0.00014665, 0.0056117),
}
OF_THE_SCORES = {  # Phi -> relative sensitivity, RMSE; the manual rounds Phi to five digits
    0.8: (0.12389, 0.0051271),
    0.42369: (0.48914, 0.16437),
    0.78613: (0.13514, 0.0063864),
    0.88026: (0.063667, 0.00095472),
}


@pytest.mark.parametrize(("stability", "published"), OF_THE_ORDER.items())
def test_the_indicators_of_the_order(stability: float, published: Sequence[float]) -> None:
    assert indicators(stability, None)[:6] == pytest.approx(tuple(published), rel=6e-5)  # five digits


@pytest.mark.parametrize(("stability", "published"), OF_THE_SCORES.items())
def test_the_indicators_of_the_scores(stability: float, published: Sequence[float]) -> None:
    assert indicators(None, stability)[6:] == pytest.approx(tuple(published), rel=2e-4)


def test_the_digits_of_the_tests_of_gt4ireval() -> None:
    found = indicators(0.95, 0.8)
    assert found.tau == pytest.approx(0.864116836882764, rel=1e-14)
    assert found.relative_sensitivity == pytest.approx(0.123886114211579, rel=1e-12)


@pytest.mark.parametrize("stability", [None, 0.0, 1.0])
def test_a_stability_at_an_end_has_none(stability: float | None) -> None:
    assert indicators(stability, stability) == Indicators(*(None,) * 8)
