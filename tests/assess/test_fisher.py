"""Fisher's exact test, against scipy's."""

from __future__ import annotations

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from assess.judge_checks import Fraction, fisher_exact

SHARES = st.integers(0, 60).flatmap(lambda labels: st.tuples(st.integers(0, labels), st.just(labels)))


def of_scipy(first: Fraction, second: Fraction) -> float:
    return float(scipy.stats.fisher_exact([[yes, labels - yes] for yes, labels in (first, second)]).pvalue)


@given(SHARES, SHARES)
def test_it_is_that_of_scipy(first: Fraction, second: Fraction) -> None:
    assert fisher_exact(first, second) == pytest.approx(of_scipy(first, second), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    "first, second", [((300, 900), (420, 901)), ((5, 900), (90, 900)), ((1, 2000), (0, 2000))]
)
def test_it_is_that_of_scipy_for_a_topic_of_two_thousand(first: Fraction, second: Fraction) -> None:
    assert fisher_exact(first, second) == pytest.approx(of_scipy(first, second), rel=1e-7)


def test_more_hits_than_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="numbers of hits"):
        fisher_exact((3, 2), (0, 1))
