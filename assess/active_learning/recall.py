"""Recall and the number of relevant documents, estimated from random samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pooling.extras import import_extra
from pooling.notebook import fields_html
from pooling.refusals import Refused

CONFIDENCE = 0.95
NO_RELEVANT = "no relevant document in the sample"
NONE_AT_ALL = "no relevant document was found, and none is in the sample"


class SampleEstimate(NamedTuple):
    """An estimate with its interval. value, low, high: None where undefined; reason: why, else ""."""

    value: float | None
    low: float | None
    high: float | None
    reason: str = ""

    def _repr_html_(self) -> str:
        return fields_html(self)


def recall_in_sample(found: int, relevant: int, confidence: float = CONFIDENCE) -> SampleEstimate:
    """Return the recall of a review from a random sample of the whole collection.

    found: how many of the sample's relevant documents the review found, without the help of the sample.
    relevant: how many relevant documents the sample has. Given their number, these are a random sample of all
    relevant documents. The interval is that of Clopper & Pearson (1934): at least `confidence`, and more
    where a large part of the relevant documents is in the sample. It does not hold at a moment that was
    chosen because of the sample: there, use the rule QBCB. Undefined without a relevant document in the
    sample.
    Raises Refused for found outside 0 to relevant, or a confidence outside 0 to 1.

    >>> [round(value, 3) for value in recall_in_sample(22, 22)[:3]]
    [1.0, 0.846, 1.0]
    """
    binomtest = import_extra("scipy.stats").binomtest
    _check_counts(found, relevant, "relevant documents of the sample")
    _check_confidence(confidence)
    if not relevant:
        return SampleEstimate(None, None, None, NO_RELEVANT)
    interval = binomtest(found, relevant).proportion_ci(confidence, method="exact")
    return SampleEstimate(found / relevant, float(interval.low), float(interval.high))


def relevant_in_all(
    documents: int, size: int, relevant: int, found: int = 0, confidence: float = CONFIDENCE
) -> SampleEstimate:
    """Return the number of relevant documents from a random sample without replacement.

    documents: how many the sample was drawn from. size: how many were drawn. relevant: of these. found:
    how many of all are known to be relevant; no smaller number is returned. The estimate is relevant / size
    times documents, and the interval is exact: it holds every number R for which neither tail of the
    hypergeometric distribution is below (1 - confidence) / 2. Undefined for a sample of no documents. Raises
    Refused for counts that contradict each other.

    >>> relevant_in_all(18_400, 1_600, 22, found=227)[:3]
    (253.0, 227.0, 375.0)
    """
    hypergeom = import_extra("scipy.stats").hypergeom
    _check_counts(size, documents, "documents in the sample")
    _check_counts(relevant, size, "relevant documents in the sample")
    _check_counts(found, documents, "documents that are known to be relevant")
    _check_confidence(confidence)
    if not size:
        return SampleEstimate(None, None, None, "no document in the sample")
    tail = (1 - confidence) / 2
    least, most = relevant, documents - size + relevant
    low = _first(least, most, lambda number: hypergeom.sf(relevant - 1, documents, number, size) > tail)
    high = _first(low, most + 1, lambda number: hypergeom.cdf(relevant, documents, number, size) <= tail) - 1
    value = relevant * documents / size
    return SampleEstimate(max(value, found), float(max(low, found)), float(max(high, found)))


def recall_from_rest(
    found: int, rest: int, size: int, relevant: int, confidence: float = CONFIDENCE
) -> SampleEstimate:
    """Return the recall of a review from a random sample of the documents that it did not review.

    found: relevant documents that the review found. rest: documents that it did not review. size: how many of
    them were drawn at random. relevant: of these. The recall is found / (found + M), where the number M of
    missed ones, with its interval, is that of `relevant_in_all`. Relevant documents of the sample count as
    missed. The interval holds at one moment that does not depend on the sample. Undefined for a sample of no
    documents, unless nothing is left, and where nothing relevant is known. Raises Refused as it does.

    >>> [round(value, 3) for value in recall_from_rest(227, 15_657, 1_487, 0)[:3]]
    [1.0, 0.863, 1.0]
    """
    if found < 0:
        raise Refused(f"expected a number of relevant documents of 0 or more, found {found}")
    missed = relevant_in_all(rest, size, relevant, confidence=confidence)
    if not rest:
        missed = SampleEstimate(0.0, 0.0, 0.0)
    if missed.value is None or missed.low is None or missed.high is None:
        return missed
    if not found + missed.value:
        return SampleEstimate(None, None, None, NONE_AT_ALL)
    low, high = found / (found + missed.high), found / (found + missed.low) if found else 0.0
    return SampleEstimate(found / (found + missed.value), low, high)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first number from low to high for which a condition holds that then stays; else high."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _check_counts(part: int, whole: int, what: str) -> None:
    if not 0 <= part <= whole:
        raise Refused(f"expected from 0 to {whole} {what}, found {part}")


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise Refused(f"expected a confidence between 0 and 1, found {confidence}")
