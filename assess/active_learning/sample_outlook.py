"""What a random sample is expected to say of recall, before anything is judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assess.active_learning.recall import recall_in_sample

SUPPOSED = (10, 30, 100, 300, 1_000)  # relevant documents of a topic
FOUND = 0.9  # the share of them that the review is supposed to find


class ExpectedSample(NamedTuple):
    """relevant: how many relevant documents the sample is expected to have. low, high: of the recall, where
    the review finds FOUND of these; None without one.
    """

    relevant: int
    low: float | None
    high: float | None


class Outlook(NamedTuple):
    """What samples say if a topic has so many relevant documents. samples: one for each size."""

    relevant: int
    samples: list[ExpectedSample]


def sample_outlook(documents: int, sizes: Sequence[int]) -> list[Outlook]:
    """Return what random samples of a collection are expected to say, for each number of SUPPOSED
    up to half of its documents.

    documents: of the collection. sizes: of the samples, each at most so many. The expected number is rounded,
    so the intervals are those of `recall_in_sample` for a typical sample, not their mean.

    >>> [(each.relevant, each.samples[0].relevant) for each in sample_outlook(1_400, [300])]
    [(10, 2), (30, 6), (100, 21), (300, 64)]
    >>> [round(value, 2) for value in sample_outlook(1_400, [300])[2].samples[0]]
    [21, 0.7, 0.99]
    """
    supposed = [number for number in SUPPOSED if 2 * number <= documents]
    return [
        Outlook(number, [_expected(round(number * size / documents)) for size in sizes])
        for number in supposed
    ]


def _expected(relevant: int) -> ExpectedSample:
    estimate = recall_in_sample(round(FOUND * relevant), relevant)
    return ExpectedSample(relevant, estimate.low, estimate.high)
