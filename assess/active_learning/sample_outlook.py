"""What a random sample is expected to say of recall, before anything is judged."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from assess.active_learning.recall import recall_in_sample
from assess.active_learning.rule_figures import least_relevant

SUPPOSED = (10, 30, 100, 300, 1_000)  # relevant documents of a topic
PROMISED = (0.8, 0.9)  # recalls that a rule may promise
FOUND = 0.9  # the share of them that the review is supposed to find


class ExpectedSample(NamedTuple):
    """relevant: how many relevant documents the sample is expected to have. low, high: of the recall, where
    the review finds FOUND of these; None without one.
    """

    relevant: int
    low: float | None
    high: float | None


class Outlook(NamedTuple):
    """What samples say if a topic has so many relevant documents.

    samples: one for each size. needed: for each recall of PROMISED, the size whose sample is expected to have
    the relevant documents that QBCB needs to promise it; None where the topic has too few.
    """

    relevant: int
    samples: list[ExpectedSample]
    needed: list[int | None]


def sample_outlook(documents: int, sizes: Sequence[int]) -> list[Outlook]:
    """Return what random samples of a collection are expected to say, for each number of SUPPOSED
    up to half of its documents.

    documents: of the collection. sizes: of the samples, each at most so many. The expected number is rounded,
    so the intervals are those of `recall_in_sample` for a typical sample, not their mean.

    >>> [(each.relevant, each.samples[0].relevant) for each in sample_outlook(1_400, [300])]
    [(10, 2), (30, 6), (100, 21), (300, 64)]
    >>> [round(value, 2) for value in sample_outlook(1_400, [300])[2].samples[0]]
    [21, 0.7, 0.99]
    >>> [each.needed for each in sample_outlook(1_400, [300])]
    [[None, None], [654, 1354], [196, 406], [66, 136]]
    """
    supposed = [number for number in SUPPOSED if 2 * number <= documents]
    return [
        Outlook(
            number,
            [_expected(round(number * size / documents)) for size in sizes],
            [_size_for(least_relevant(recall), number, documents) for recall in PROMISED],
        )
        for number in supposed
    ]


def _size_for(needed: int, relevant: int, documents: int) -> int | None:
    return ceil(needed * documents / relevant) if needed <= relevant else None


def _expected(relevant: int) -> ExpectedSample:
    estimate = recall_in_sample(round(FOUND * relevant), relevant)
    return ExpectedSample(relevant, estimate.low, estimate.high)
