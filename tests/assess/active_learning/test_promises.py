"""What QBCB and CHM promise, in simulated reviews: they miss the target in at most 5 of 100."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from assess.active_learning.simulation import draw_sample, first_stops, states
from assess.active_learning.stopping import advise
from pooling.arrays import Flags
from tests.assess.active_learning.labelled_texts import review_of

DOCUMENTS, RELEVANT, SAMPLE = 1500, 150, 300
MANY = pytest.param(10_000, marks=pytest.mark.slow)


def orders(count: int) -> Iterator[tuple[int, Flags]]:
    """Yield a seed and labels in an order that finds relevant documents earlier, as a model does."""
    for seed in range(count):
        random = np.random.default_rng([seed, 42])
        labels = np.zeros(DOCUMENTS, dtype=bool)
        labels[:RELEVANT] = True
        scores = random.normal(size=DOCUMENTS) + 1.5 * labels
        yield seed, labels[np.argsort(-scores)]


@pytest.mark.parametrize("count", [300, MANY])
@pytest.mark.parametrize("target", [0.7, 0.8, 0.9])
def test_qbcb_fails_in_at_most_5_of_100_reviews(target: float, count: int) -> None:
    failures = stopped = 0
    for seed, labels in orders(count):
        sample = draw_sample(labels, SAMPLE, seed)
        stop = first_stops(review_of(labels), DOCUMENTS, sample, target, ["qbcb"])["qbcb"]
        stopped += stop.has_stopped
        failures += stop.found < target * RELEVANT
    assert stopped > 0.3 * count
    assert 0 < failures <= 0.05 * count


@pytest.mark.parametrize("count", [300, MANY])
@pytest.mark.parametrize("target", [0.7, 0.8, 0.9])
def test_chm_at_one_look_fails_in_at_most_5_of_100_reviews(target: float, count: int) -> None:
    """The look is the last batch end at which the recall is below the target: the hardest one."""
    failures = 0
    for seed, labels in orders(count):
        sample = draw_sample(labels, SAMPLE, seed)
        found = 0
        for state in states(review_of(labels), DOCUMENTS, sample):
            assert state.sample is not None
            if state.found >= target * RELEVANT:
                break
            looked, found = state, state.found + state.sample.relevant - state.sample.found
        [advice] = advise(looked, target, ["chm"])
        failures += advice.stop and found < target * RELEVANT
    assert 0 < failures <= 0.05 * count
