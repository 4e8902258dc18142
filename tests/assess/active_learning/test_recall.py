"""Recall from random samples: worked numbers, and how often the intervals hold, over all samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from assess.active_learning.recall import recall_from_rest, recall_in_sample, relevant_in_all
from pooling.refusals import Refused


def test_the_exact_interval_of_a_share() -> None:
    assert recall_in_sample(22, 22)[:3] == pytest.approx((1, 0.025 ** (1 / 22), 1))
    assert recall_in_sample(0, 10)[:3] == pytest.approx((0, 0, 1 - 0.025**0.1))
    value, low, high, _ = recall_in_sample(41, 50)
    assert value == 0.82 and low is not None and high is not None
    assert binom.sf(40, 50, low) == pytest.approx(0.025) and binom.cdf(41, 50, high) == pytest.approx(0.025)


@pytest.mark.parametrize("recall", [0.3, 0.7, 0.9, 0.99])
def test_the_interval_of_recall_holds_in_95_of_100_samples_or_more(recall: float) -> None:
    """The relevant documents of a sample, of 200 relevant ones in all, and how many the review found."""
    found_in_all, drawn = round(200 * recall), 40
    held = sum(
        hypergeom.pmf(found, 200, found_in_all, drawn)
        for found in range(drawn + 1)
        for _, low, high, _ in [recall_in_sample(found, drawn)]
        if low is not None and high is not None and low <= found_in_all / 200 <= high
    )
    assert held >= 0.95


@pytest.mark.parametrize("relevant", [0, 1, 7, 30, 119, 120])
def test_the_interval_of_the_number_holds_in_95_of_100_samples_or_more(relevant: int) -> None:
    held = 0.0
    for seen in range(min(relevant, 25) + 1):
        _, low, high, _ = relevant_in_all(120, 25, seen)
        assert low is not None and high is not None
        held += hypergeom.pmf(seen, 120, relevant, 25) if low <= relevant <= high else 0
    assert held >= 0.95


def test_the_interval_of_the_number_has_every_number_that_fits() -> None:
    _, low, high, _ = relevant_in_all(60, 20, 4)
    fitting = [
        number
        for number in range(4, 45)
        if hypergeom.sf(3, 60, number, 20) > 0.025 and hypergeom.cdf(4, 60, number, 20) > 0.025
    ]
    assert (low, high) == (fitting[0], fitting[-1]) and fitting == list(range(fitting[0], fitting[-1] + 1))


def test_a_sample_of_everything_leaves_no_doubt() -> None:
    assert relevant_in_all(50, 50, 7)[:3] == (7, 7, 7)
    assert recall_from_rest(90, 100, 100, 10)[:3] == (0.9, 0.9, 0.9)
    assert recall_from_rest(90, 0, 0, 0)[:3] == (1, 1, 1)


def test_what_was_found_is_a_lower_bound() -> None:
    assert relevant_in_all(1000, 100, 3, found=80)[:2] == (80, 80)
    assert recall_from_rest(0, 1000, 100, 3)[:3] == (0, 0, 0)


def test_recall_of_the_rest_follows_from_the_number_of_missed_documents() -> None:
    missed = relevant_in_all(1000, 200, 2)
    assert missed.low is not None and missed.high is not None
    estimate = recall_from_rest(90, 1000, 200, 2)
    assert estimate[:3] == pytest.approx((0.9, 90 / (90 + missed.high), 90 / (90 + missed.low)))


def test_what_is_undefined_says_why() -> None:
    assert recall_in_sample(0, 0) == (None, None, None, "no relevant document in the sample")
    assert relevant_in_all(10, 0, 0) == (None, None, None, "no document in the sample")
    assert recall_from_rest(5, 10, 0, 0).reason == "no document in the sample"
    assert recall_from_rest(0, 10, 5, 0).reason == "no relevant document was found, and none is in the sample"


def test_contradictions_are_refused() -> None:
    with pytest.raises(Refused, match="from 0 to 3 relevant documents of the sample, found 4"):
        recall_in_sample(4, 3)
    with pytest.raises(Refused, match="from 0 to 10 documents in the sample, found 11"):
        relevant_in_all(10, 11, 0)
    with pytest.raises(Refused, match="from 0 to 5 relevant documents in the sample, found 6"):
        recall_from_rest(1, 10, 5, 6)
    with pytest.raises(Refused, match="0 or more, found -1"):
        recall_from_rest(-1, 10, 5, 0)
    for confidence in (0, 1, np.nan):
        with pytest.raises(Refused, match="confidence between 0 and 1"):
            recall_in_sample(1, 2, confidence)
