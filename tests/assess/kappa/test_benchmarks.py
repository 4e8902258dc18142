from __future__ import annotations

import pytest

from assess.kappa.benchmarks import (
    BENCHMARK_SCALES,
    KRIPPENDORFF,
    LANDIS_KOCH,
    MANNING,
    BenchmarkScale,
    benchmark_label,
)


@pytest.mark.parametrize(
    ("scale", "value", "expected"),
    [
        (LANDIS_KOCH, -0.001, "poor"),
        (LANDIS_KOCH, 0, "slight"),
        (LANDIS_KOCH, 0.2, "slight"),
        (LANDIS_KOCH, 0.205, "fair"),
        (LANDIS_KOCH, 0.41, "moderate"),
        (LANDIS_KOCH, 0.61, "substantial"),
        (LANDIS_KOCH, 0.81, "almost perfect"),
        (LANDIS_KOCH, 1, "almost perfect"),
        (MANNING, 0.669, "dubious"),
        (MANNING, 0.67, "fair"),
        (MANNING, 0.8, "fair"),
        (MANNING, 0.801, "good"),
        (KRIPPENDORFF, 0.666, "not reliable"),
        (KRIPPENDORFF, 0.667, "tentative conclusions only"),
        (KRIPPENDORFF, 0.8, "reliable"),
    ],
)
def test_the_bounds_are_where_their_authors_put_them(
    scale: BenchmarkScale, value: float, expected: str
) -> None:
    assert benchmark_label(value, scale) == expected


@pytest.mark.parametrize("scale", BENCHMARK_SCALES, ids=lambda scale: scale.name)
def test_steps_rise_and_end_at_one(scale: BenchmarkScale) -> None:
    bounds = [step.up_to for step in scale.steps]
    assert bounds == sorted(set(bounds)) and bounds[-1] == 1
    assert scale.citation


def test_rounding_beyond_one_has_the_last_word() -> None:
    assert benchmark_label(1.0000000001, MANNING) == "good"
