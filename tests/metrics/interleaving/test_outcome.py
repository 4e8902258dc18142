"""All sessions together: Delta, its test and its interval, and the cases in which they are undefined."""

from __future__ import annotations

import pytest
from scipy.stats import ttest_1samp

from metrics.interleaving.credit import Credit
from metrics.interleaving.outcome import (
    ALL_SAME,
    ALL_TIES,
    NO_SESSION,
    ONE_SESSION,
    OutcomeCounts,
    preference,
    total,
)


def counts_of(credits: list[Credit]) -> OutcomeCounts:
    found = OutcomeCounts()
    for credit in credits:
        found = found.plus(credit, credit.tie < 1)
    return found


A, B, TIE = Credit(1, 0, 0), Credit(0, 1, 0), Credit(0, 0, 1)


def test_sixty_wins_forty_losses_twenty_ties() -> None:
    found = preference(counts_of([A] * 60 + [B] * 40 + [TIE] * 20))
    assert f"{found.delta:.4f} {found.p:.4f}" == "0.0833 0.0569"
    assert found.interval == pytest.approx((0.4972, 0.6967), abs=5e-5)  # R: binom.test(60, 100)
    assert found.counts[:2] == (120, 100)


def test_the_mean_of_fractional_outcomes_is_tested_as_scipy_does() -> None:
    credits = [Credit(0.7, 0.1, 0.2), Credit(0.2, 0.8, 0), Credit(0.9, 0.1, 0), TIE, Credit(0.6, 0.4, 0)]
    found = preference(counts_of(credits), whole=False)
    outcomes = [credit.a - credit.b for credit in credits]
    test = ttest_1samp(outcomes, 0)
    ends = test.confidence_interval()
    assert found.delta == pytest.approx(sum(outcomes) / 10)
    assert found.p == pytest.approx(test.pvalue)
    assert found.interval == pytest.approx((ends.low / 2, ends.high / 2))


@pytest.mark.parametrize(
    ("credits", "whole", "reason"),
    [
        ([], True, NO_SESSION),
        ([], False, NO_SESSION),
        ([TIE] * 3, True, ALL_TIES),
        ([TIE] * 3, False, ALL_TIES),
        ([A], False, ONE_SESSION),
        ([A, A], False, ALL_SAME),
    ],
)
def test_undefined_cases_are_named(credits: list[Credit], whole: bool, reason: str) -> None:
    found = preference(counts_of(credits), whole)
    assert (found.p, found.interval, found.reason) == (None, None, reason)
    assert (found.delta is None) == (not credits)


def test_counts_add_up() -> None:
    one, other = counts_of([A, TIE]), counts_of([B, B])
    assert total([one, other]) == counts_of([A, TIE, B, B])
    assert total([]) == OutcomeCounts()
