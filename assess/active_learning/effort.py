"""Measures of the effort that recall costs, from labels in the order of review."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pooling.arrays import Flags, IntVector
from pooling.notebook import fields_html
from pooling.refusals import Refused


def exactly(number: float) -> Fraction:
    """Return the decimal fraction that a number is written as: 0.95 is 19/20.

    >>> exactly(0.95)
    Fraction(19, 20)
    """
    return Fraction(repr(float(number)))


def needed_for(recall: float, relevant: int) -> int:
    """Return how many of the relevant documents give at least this recall.

    Raises Refused unless 0 < recall <= 1.

    >>> needed_for(0.95, 20), needed_for(0.95, 21), needed_for(0.8, 5)
    (19, 20, 4)
    """
    if not 0 < recall <= 1:
        raise Refused(f"expected a recall above 0 and at most 1, found {recall}")
    product = exactly(recall) * relevant
    return -(-product.numerator // product.denominator)


class RecallEffort(NamedTuple):
    """Labels in the order of review, as a gain curve.

    found: how many relevant documents the first 1, 2, ... reviewed documents hold, shape (reviewed,).
    relevant: how many there are in all. collection: the number of documents.
    """

    found: IntVector
    relevant: int
    collection: int

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def gain_curve(self) -> list[tuple[int, int]]:
        """The points (reviewed, found) at which the curve rises, after (0, 0), and its last point."""
        rises = np.flatnonzero(np.diff(self.found, prepend=0)) + 1
        places = np.union1d(rises, [len(self.found)] if len(self.found) else [])
        return [(0, 0), *((int(place), int(self.found[int(place) - 1])) for place in places)]

    def recall_at(self, a: float, b: float = 0) -> float | None:
        """Return the recall after a R + b documents, R being the number of relevant ones.

        The number is rounded down. A review that ended before keeps the recall of its end. None where no
        document is relevant. Raises Refused for a number below 0. Source: TREC Total Recall track.
        """
        product = exactly(a) * self.relevant + exactly(b)
        if product < 0:
            raise Refused(f"expected a number of documents of 0 or more, found {float(product):g}")
        place = min(int(product), len(self.found))
        if not self.relevant:
            return None
        return int(self.found[place - 1]) / self.relevant if place else 0.0

    def effort_for(self, recall: float) -> int | None:
        """Return how many documents were reviewed when the recall was reached; None if it never was.

        None also where no document is relevant. Raises Refused unless 0 < recall <= 1.
        """
        needed = needed_for(recall, self.relevant)
        if not self.relevant or not len(self.found) or self.found[-1] < needed:
            return None
        return int(np.searchsorted(self.found, needed)) + 1

    def wss(self, recall: float = 0.95) -> float | None:
        """Return the work saved over sampling: (N - n) / N - (1 - recall), with n the effort for the recall.

        0 for a random order on average, and below it for a worse one. None where the effort is undefined.
        Source: Cohen, Hersh, Peterson & Yen, JAMIA 13(2), 2006.
        """
        effort = self.effort_for(recall)
        if effort is None:
            return None
        return float(Fraction(self.collection - effort, self.collection) - 1 + exactly(recall))


def recall_effort(labels: Flags, relevant: int, collection: int) -> RecallEffort:
    """Return the gain curve of labels in the order of review.

    labels: whether each reviewed document is relevant, shape (reviewed,). relevant, collection: how many
    documents are relevant, and how many there are. Raises Refused for numbers that contradict the labels.

    >>> effort = recall_effort(np.array([1, 0, 1, 0, 1], dtype=bool), relevant=4, collection=10)
    >>> effort.gain_curve
    [(0, 0), (1, 1), (3, 2), (5, 3)]
    >>> effort.recall_at(1), effort.effort_for(0.75), effort.wss(0.75), effort.wss(0.95)
    (0.5, 5, 0.25, None)
    """
    found: IntVector = np.cumsum(labels, dtype=np.int64)
    most = int(found[-1]) if len(found) else 0
    if relevant < most:
        raise Refused(f"expected at least {most} relevant documents, as many as were found, found {relevant}")
    if collection < len(found) + relevant - most:
        raise Refused(
            f"expected a collection of at least {len(found) + relevant - most} documents, found {collection}"
        )
    return RecallEffort(found, relevant, collection)
