"""Samples have the size that was asked for and depend on the seed only; every document has its chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.machine_audits.sample import allocate, draw
from pooling.refusals import Refused

from .llmjudge import grades


def test_the_printed_allocations_of_400_labels() -> None:
    human, machine = grades()
    sizes = np.bincount(machine).tolist()
    spread = [float((human[machine == grade] >= 2).std()) for grade in range(4)]
    assert allocate(sizes, 400) == [211, 111, 55, 23]
    assert allocate(sizes, 400, spread) == [166, 137, 71, 26]


def test_bounds_of_strata_and_spreads_of_zero() -> None:
    assert allocate([1000, 3, 0, 997], 100, least=5) == [49, 3, 0, 48]
    assert allocate([100, 100], 50, spread=[0.0, 0.5], least=5) == [5, 45]
    assert allocate([100, 20], 60, spread=[0.0, 0.5], least=5) == [40, 20]
    assert allocate([300, 100], 40, spread=[0.0, 0.0]) == [30, 10]
    assert allocate([7], 7) == [7] and allocate([], 0) == [] and allocate([5, 5], 0, least=0) == [0, 0]


@pytest.mark.parametrize(("sizes", "n"), [([10, 10], 3), ([10, 10], 21), ([], 1)])
def test_impossible_sizes_are_refused(sizes: list[int], n: int) -> None:
    with pytest.raises(Refused, match="documents in the sample"):
        allocate(sizes, n)


def test_programming_errors_of_allocations() -> None:
    for sizes, spread in (([-1], None), ([5], [-1.0]), ([5], [float("nan")])):
        with pytest.raises(ValueError, match="0 or more"):
            allocate(sizes, 2, spread)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(0, 2**32), st.data())
def test_a_draw_has_the_allocated_documents_and_grows_with_the_sample(
    sizes: list[int], seed: int, data: st.DataObject
) -> None:
    stratum_of = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    n = data.draw(st.integers(sum(min(2, size) for size in sizes), sum(sizes)))
    sampled = allocate(sizes, n)
    assert sum(sampled) == n and all(a <= b for a, b in zip(sampled, sizes, strict=True))
    places = draw(stratum_of, sampled, seed)
    assert np.bincount(stratum_of[places], minlength=len(sizes)).tolist() == sampled
    assert len(set(places.tolist())) == n and (np.diff(places) > 0).all()
    assert set(places.tolist()) <= set(draw(stratum_of, sizes, seed).tolist())


def test_a_seed_gives_the_same_sample_for_ever() -> None:
    assert draw(np.array([0, 1] * 10), [3, 2], seed=7).tolist() == [3, 4, 8, 9, 12]


def test_every_document_has_the_same_chance() -> None:
    counts = np.zeros(20)
    for seed in range(2000):
        counts[draw(np.array([0, 1, 1, 1] * 5), [1, 6], seed)] += 1
    expected = np.where(np.arange(20) % 4 == 0, 1 / 5, 6 / 15) * 2000
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected)).all()


def test_more_than_a_stratum_has_cannot_be_drawn() -> None:
    for sampled in ([3, 1], [1]):
        with pytest.raises(ValueError, match="at most"):
            draw(np.array([0, 0, 1]), sampled, seed=1)
