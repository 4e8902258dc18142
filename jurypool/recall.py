"""Recall in the library: what it costs, how much of it there is, and when to stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assess.active_learning import effort, recall
from assess.active_learning.effort import RecallEffort
from assess.active_learning.quant import probability_sums
from assess.active_learning.recall import CONFIDENCE, SampleEstimate
from assess.active_learning.stopping import (
    RULES,
    TARGET,
    Advice,
    RandomSample,
    ReviewState,
    StoppingRule,
    advise,
)
from pooling.arrays import Flags
from pooling.refusals import Refused

from .tables import shown


def stopping_rules() -> dict[str, StoppingRule]:
    """Return key -> stopping rule: its ``name``, ``promise``, ``cost``, ``needs`` and ``source``.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.stopping_rules()["qbcb"].promise
    'recall at least the target in 95 of 100 samples, however often one looks'
    """
    return dict(RULES)


def stopping_advice(
    labels: Sequence[bool],
    collection: int,
    *,
    target: float = TARGET,
    batch_ends: Sequence[int] | None = None,
    sample: RandomSample | None = None,
    probabilities: tuple[Sequence[float], Sequence[float]] | None = None,
    rules: Iterable[str] | None = None,
) -> list[Advice]:
    """Return what each stopping rule says of a review.

    No rule decides: each says whether it would stop here (``stop``), ``because`` of what, its ``promise`` and
    its ``cost``. Rules without a promise are habits. Those with one need
    a random sample of the collection that is judged beside the review and does not help it.

    Parameters
    ----------
    labels
        Whether each reviewed document is relevant, in the order of review.
    collection
        The number of documents, reviewed or not.
    target
        The recall to reach, for QBCB, CHM and Quant.
    batch_ends
        How many documents were reviewed at the end of each batch; one batch by default.
    sample
        ``RandomSample(size, relevant, reached, found)``: its documents and the relevant ones of them; those
        that the review has reached by itself, and the relevant ones of these.
    probabilities
        Of a model: those of the reviewed documents and those of the others.
    rules
        Keys of `stopping_rules`; all by default.

    Examples
    --------
    >>> import jurypool as jp
    >>> labels = [True] * 20 + [False] * 380
    >>> sample = jp.RandomSample(size=500, relevant=14, reached=110, found=14)
    >>> [advice] = jp.stopping_advice(labels, 2000, sample=sample, rules=["qbcb"])
    >>> advice.stop, advice.because
    (True, '14 of the 14 relevant documents of the sample are found; 14 are enough')
    """
    flags = _flags(labels)
    ends = [len(flags)] if batch_ends is None else list(batch_ends)
    sums = None if probabilities is None else _sums(probabilities, len(flags), collection)
    state = ReviewState(flags, np.array(ends, dtype=np.int64), collection, sample, sums)
    return advise(state, target, tuple(RULES) if rules is None else rules)


def recall_effort(labels: Sequence[bool], relevant: int, collection: int) -> RecallEffort:
    """Return measures of the effort that recall costs, from labels in the order of review.

    The result has ``recall_at(a, b)``, the recall after a R + b documents; ``effort_for(recall)``, the number
    of documents until the recall was reached; ``wss(recall)``, the work saved over sampling; and
    ``gain_curve``, the points (reviewed, found).

    Parameters
    ----------
    labels
        Whether each reviewed document is relevant, in the order of review.
    relevant, collection
        How many documents are relevant, found or not, and how many there are.

    Examples
    --------
    >>> import jurypool as jp
    >>> effort = jp.recall_effort([True, False, True, False], relevant=2, collection=10)
    >>> effort.recall_at(1), effort.effort_for(0.95), effort.wss(0.95)
    (0.5, 3, 0.65)
    """
    return effort.recall_effort(_flags(labels), relevant, collection)


def recall_in_sample(found: int, relevant: int, *, confidence: float = CONFIDENCE) -> SampleEstimate:
    """Return the recall of a review from a random sample of the whole collection, with an exact interval.

    The interval does not hold at a moment that was chosen because of the sample; use the rule ``qbcb`` there.

    Parameters
    ----------
    found
        How many of the sample's relevant documents the review found, without the help of the sample.
    relevant
        How many relevant documents the sample has. Without one, the recall is None, with a ``reason``.
    confidence
        Of the interval, by Clopper & Pearson 1934.

    Examples
    --------
    >>> import jurypool as jp
    >>> estimate = jp.recall_in_sample(22, 22)
    >>> estimate.value, round(estimate.low, 3), estimate.high
    (1.0, 0.846, 1.0)
    """
    return recall.recall_in_sample(found, relevant, confidence)


def recall_from_rest(
    found: int, rest: int, size: int, relevant: int, *, confidence: float = CONFIDENCE
) -> SampleEstimate:
    """Return the recall of a review from a random sample of the documents that it left, with its interval.

    Parameters
    ----------
    found
        Relevant documents that the review found.
    rest
        Documents that it left.
    size, relevant
        How many of these were drawn at random, and how many of the drawn ones are relevant.
    confidence
        Of the interval: that of the hypergeometric distribution for the number of missed documents.

    Examples
    --------
    >>> import jurypool as jp
    >>> estimate = jp.recall_from_rest(90, rest=1000, size=200, relevant=2)
    >>> [round(value, 3) for value in estimate[:3]]
    [0.9, 0.732, 0.978]
    """
    return recall.recall_from_rest(found, rest, size, relevant, confidence)


def relevant_in_all(
    documents: int, size: int, relevant: int, *, found: int = 0, confidence: float = CONFIDENCE
) -> SampleEstimate:
    """Return the number of relevant documents from a random sample, with the exact interval.

    Parameters
    ----------
    documents
        The number of documents that the sample was drawn from.
    size, relevant
        How many were drawn, and how many of these are relevant.
    found
        How many documents are known to be relevant: nothing below it is returned.
    confidence
        Of the interval: that of the hypergeometric distribution.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.relevant_in_all(18_400, 1_600, 22, found=227)[:3]
    (253.0, 227.0, 375.0)
    """
    return recall.relevant_in_all(documents, size, relevant, found, confidence)


def _flags(labels: Sequence[bool]) -> Flags:
    flags = np.asarray(labels)
    if flags.ndim != 1 or not (len(flags) == 0 or np.isin(flags, (0, 1)).all()):
        raise Refused(f"expected a sequence of True and False, found {shown(labels)}")
    return flags.astype(bool)


def _sums(given: tuple[Sequence[float], Sequence[float]], reviewed: int, collection: int) -> Any:
    judged, rest = (np.asarray(values, dtype=np.float64) for values in given)
    if (len(judged), len(rest)) != (reviewed, collection - reviewed):
        raise Refused(
            f"expected {reviewed} probabilities of reviewed documents and {collection - reviewed} of others, "
            f"found {len(judged)} and {len(rest)}"
        )
    if not all(((values >= 0) & (values <= 1)).all() for values in (judged, rest)):
        raise Refused("expected probabilities from 0 to 1")
    return probability_sums(judged, rest)
