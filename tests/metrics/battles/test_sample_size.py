"""How many battles separate two systems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm
from statsmodels.stats.power import NormalIndPower

from metrics.battles.sample_size import battles_needed, battles_still_needed


def test_the_worked_number() -> None:
    assert battles_needed(0.6) == battles_needed(0.4) == 197
    assert battles_needed(0.6, tie_share=0.2) == 157


@given(st.floats(0.51, 0.95), st.floats(0.7, 0.99), st.sampled_from([0.9, 0.95, 0.99]))
def test_it_is_the_number_of_statsmodels(win_rate: float, power: float, level: float) -> None:
    """Of one sample: the effect size is the difference over the standard deviation 1/2."""
    theirs = NormalIndPower().solve_power(2 * (win_rate - 0.5), None, 1 - level, power, ratio=0)
    mine = battles_needed(win_rate, power=power, level=level)
    assert mine is not None and -0.1 <= mine - theirs < 1.1 + theirs / 5000  # the other tail


def test_the_exact_test_has_nearly_that_power() -> None:
    n = battles_needed(0.6)
    assert n is not None
    critical = 0.5 + norm.ppf(0.975) * 0.5 / n**0.5
    assert binom.sf(critical * n, n, 0.6) == pytest.approx(0.8, abs=0.03)


@given(st.floats(0.0, 1.0), st.floats(0.0, 0.9))
def test_ties_save_battles_and_sides_are_alike(distance: float, tie_share: float) -> None:
    rate = 0.5 + distance / 2 * (1 - tie_share)
    without, with_ties = battles_needed(rate), battles_needed(rate, tie_share)
    assert battles_needed(1 - rate, tie_share) == pytest.approx(with_ties, abs=1) or with_ties is None
    if without is not None and with_ties is not None:
        assert with_ties <= without and with_ties == pytest.approx(without * (1 - tie_share), abs=1)


def test_battles_that_are_still_needed() -> None:
    assert battles_still_needed(60, 40, 0) == 197 - 100
    assert battles_still_needed(600, 400, 0) == 0
    assert battles_still_needed(50, 30, 20) == 157 - 100  # 196.2 x 0.8 = 157.0
    assert (
        battles_still_needed(0, 0, 0)
        is battles_still_needed(7, 7, 3)
        is battles_still_needed(0, 0, 4)
        is None
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"win_rate": 1.1}, "shares from 0 to 1, found 1.1"),
        ({"win_rate": 0.6, "tie_share": -0.1}, "shares from 0 to 1"),
        ({"win_rate": 0.6, "power": 1}, "power and level between 0 and 1"),
        ({"win_rate": 0.6, "level": 0}, "power and level between 0 and 1"),
        ({"win_rate": 0.9, "tie_share": 0.5}, "win rate that 0.5 ties allow"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        battles_needed(**arguments)
