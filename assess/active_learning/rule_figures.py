"""The figures of stopping rules: knees, quantiles of samples, and tests of what is left."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

from assess.active_learning.effort import exactly
from pooling.arrays import Flags, IntVector
from pooling.extras import import_extra
from pooling.refusals import Refused

ALPHA = 0.05


class Knee(NamedTuple):
    """The knee of a gain curve. reviewed, found: where it is. rho: the slope before it over that after it."""

    reviewed: int
    found: int
    rho: float


def knee(reviewed: IntVector, found: IntVector) -> Knee | None:
    """Return the knee of a gain curve: the point farthest above the chord from (0, 0) to its last point.

    With the last point (s, R) and the knee (i, r): rho = (r / i) / ((1 + R - r) / (s - i)). Of equally far
    points the first is taken. None where the curve has fewer than two points, or no relevant document.

    reviewed: numbers of reviewed documents, ascending, from 1. found: relevant ones among them; both of shape
    (points,). Source: Cormack & Grossman, Engineering quality and reliability in technology-assisted review,
    SIGIR 2016.

    >>> f"{knee(np.array([100, 200, 300]), np.array([50, 80, 95])).rho:.2f}"
    '2.17'
    """
    if len(reviewed) < 2 or not found[-1]:
        return None
    # Twice the area under the chord: the distance times its length, in whole numbers.
    above = found[:-1] * reviewed[-1] - reviewed[:-1] * found[-1]
    place = int(np.argmax(above))
    before = found[place] / reviewed[place]
    after = (1 + found[-1] - found[place]) / (reviewed[-1] - reviewed[place])
    return Knee(int(reviewed[place]), int(found[place]), float(before / after))


def knee_threshold(relevant: int) -> int:
    """Return the ratio of slopes from which the knee rule stops: 156 - min(R, 150).

    >>> [knee_threshold(found) for found in (80, 95, 100, 102, 103, 400)]
    [76, 61, 56, 54, 53, 6]
    """
    return 156 - min(relevant, 150)


@lru_cache
def quantile_needed(relevant: int, recall: float, alpha: float = ALPHA) -> int | None:
    """Return how many of a sample's relevant documents must be found before QBCB stops.

    It is the smallest j with P(X >= j) <= alpha for X ~ Bin(r, recall): the quantile bound. None where even
    all of them are too few. Raises Refused for a recall or an alpha outside 0 to 1. Source: Lewis, Yang &
    Frieder, Certifying one-phase technology-assisted reviews, CIKM 2021.

    >>> [quantile_needed(relevant, 0.8) for relevant in (13, 14, 22, 100)]
    [None, 14, 21, 87]
    """
    binom = import_extra("scipy.stats").binom
    _check(recall, alpha)
    needed = int(binom.isf(alpha, relevant, recall)) + 1
    return needed if needed <= relevant else None


@lru_cache
def least_relevant(recall: float, alpha: float = ALPHA) -> int:
    """Return how many relevant documents a sample needs so that QBCB can stop once all of them are found.

    >>> [least_relevant(recall) for recall in (0.7, 0.75, 0.8, 0.9, 0.95)]
    [9, 11, 14, 29, 59]
    """
    _check(recall, alpha)
    count = max(int(np.ceil(np.log(alpha) / np.log(recall))) - 1, 1)
    while quantile_needed(count, recall, alpha) is None:
        count += 1
    return count


@lru_cache
def relevant_for_misses(missed: int, recall: float, alpha: float = ALPHA) -> int:
    """Return how many relevant documents a sample needs so that QBCB can stop although some are not found.

    missed: how many of them are not found.

    >>> [relevant_for_misses(missed, 0.8) for missed in (0, 1, 2)]
    [14, 22, 30]
    """

    def allowed(relevant: int) -> int:
        return relevant - (quantile_needed(relevant, recall, alpha) or relevant)

    least = least_relevant(recall, alpha)
    sizes = range(least, 4 * least + ceil(2 * missed / (1 - recall)) + 1)
    return sizes[bisect_left(sizes, missed, key=allowed)]


class MissedTest(NamedTuple):
    """A test of the hypothesis that the recall is below a target.

    missed: the smallest number of missed documents with which it is. p: how probable so few relevant ones
    in the sample are, if so many are missed.
    """

    missed: int
    p: float


def missed_test(rest: int, found_before: int, size: int, relevant: int, recall: float) -> MissedTest:
    """Return the hypergeometric test of a random sample of the documents that are left (CHM).

    With found = found_before + relevant: K = floor(found / recall - found_before + 1), and
    p = P(X <= relevant) for X ~ hypergeometric(rest, K, size). Where K is above rest the recall cannot be
    below the target, and p is 0.

    rest: documents left before the sample. found_before: relevant ones known then. size, relevant: of the
    sample. Raises Refused for counts that contradict each other, or a recall outside 0 to 1. Source:
    Callaghan & Mueller-Hansen, Statistical stopping criteria for automated screening in systematic reviews,
    Systematic Reviews 9, 2020.

    >>> test = missed_test(1000, 100, 400, 0, 0.95)
    >>> test.missed, f"{test.p:.4f}"
    (6, '0.0462')
    """
    hypergeom = import_extra("scipy.stats").hypergeom
    _check(recall, ALPHA)
    if not (0 <= relevant <= size <= rest and found_before >= 0):
        raise Refused(
            f"expected 0 <= relevant <= sample <= documents left, found {relevant}, {size} and {rest}"
        )
    ratio = (found_before + relevant) / exactly(recall) - found_before + 1
    missed = ratio.numerator // ratio.denominator
    p = float(hypergeom.cdf(relevant, rest, missed, size)) if missed <= rest else 0.0
    return MissedTest(missed, p)


def more_for_missed_test(rest: int, found_before: int, size: int, relevant: int, recall: float) -> int:
    """Return how many more random documents CHM needs to stop, if none of them is relevant.

    Arguments and errors: as for `missed_test`. The documents are of those that are left; a sample of all of
    them always is enough.

    >>> more = more_for_missed_test(1000, 100, 300, 0, 0.95)
    >>> more, *(f"{missed_test(1000, 100, 300 + count, 0, 0.95).p:.5f}" for count in (more - 1, more))
    (93, '0.05003', '0.04953')
    """

    def stops(more: int) -> bool:
        return missed_test(rest, found_before, size + more, relevant, recall).p < ALPHA

    return bisect_left(range(max(0, rest - size)), True, key=stops)


def missed_test_of_order(labels: Flags, ends: IntVector, collection: int, recall: float) -> MissedTest | None:
    """Return the lowest p of CHM if the last documents in the order of review are taken for a random sample.

    Every stretch from a batch end to the last one is tested. The order is no random sample: the last
    documents have been ranked above those that are left. None before the third batch end.

    labels: shape (reviewed,). ends: batch ends up to `len(labels)`. collection: number of documents.
    """
    relevant_so_far = np.concatenate([[0], np.cumsum(labels)])
    tests = [
        missed_test(
            collection - start,
            int(relevant_so_far[start]),
            len(labels) - start,
            int(relevant_so_far[-1] - relevant_so_far[start]),
            recall,
        )
        for start in ends[1:-1].tolist()
    ]
    return min(tests, key=lambda test: test.p, default=None)


def longest_tail(labels: Flags) -> int:
    """Return how many documents were non-relevant in a row at the end.

    >>> longest_tail(np.array([True, False, False]))
    2
    """
    places = np.flatnonzero(labels)
    return len(labels) - 1 - int(places[-1]) if len(places) else len(labels)


def documents_to_draw(needed: int, size: int, relevant: int) -> int | None:
    """Return about how many more random documents bring a sample to the relevant ones that it needs.

    None where it has no relevant document.

    >>> documents_to_draw(30, 1600, 22)
    582
    """
    return max(0, -(-(needed - relevant) * size // relevant)) if relevant else None


def _check(recall: float, alpha: float) -> None:
    if not 0 < recall < 1:
        raise Refused(f"expected a recall between 0 and 1, found {recall}")
    if not 0 < alpha < 1:
        raise Refused(f"expected an error between 0 and 1, found {alpha}")
