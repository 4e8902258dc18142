"""Scalable continuous active learning (S-CAL): of each batch a random sample is judged, and stands for it."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from assess.active_learning.ranking import Judged, batch_sizes, rank_rest
from assess.active_learning.regression import LogisticModel
from pooling.arrays import Flags, IntVector
from pooling.notebook import fields_html
from pooling.refusals import Refused

CAP = 30
PUBLISHED_FACTOR = 1.05  # by which the paper multiplies the estimated number of relevant documents

SampleSize = Callable[[int, float], int]
"""(size of the batch, estimated number of relevant documents so far) -> how many of the batch are judged."""


class Stratum(NamedTuple):
    """One batch. size: its documents B. judged: how many of them, n. relevant: of the judged ones, r.

    score: the lowest score in the batch, by the model that chose it.
    """

    size: int
    judged: int
    relevant: int
    score: float = float("nan")

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def estimate(self) -> float:
        """The estimated number of relevant documents, r B / n.

        >>> Stratum(127, 10, 4).estimate
        50.8
        """
        return self.relevant * self.size / self.judged

    @property
    def variance(self) -> float | None:
        """The estimated variance of the estimate, B^2 (1 - n / B) p (1 - p) / (n - 1), with p = r / n.

        0 where the whole batch was judged; None where a single document of several was. It is 0, too, where
        all judged documents are of one kind, which is no certainty.

        >>> f"{Stratum(127, 10, 4).variance:.2f}"
        '396.24'
        """
        if self.judged == self.size:
            return 0.0
        if self.judged < 2:
            return None
        share = self.relevant / self.judged
        return self.size * (self.size - self.judged) * share * (1 - share) / (self.judged - 1)


class Threshold(NamedTuple):
    """Where a recall is reached. stratum: from 1. documents: up to its end. score: its lowest."""

    stratum: int
    documents: int
    score: float


class Strata(NamedTuple):
    """The batches of S-CAL in their order, and what they say of all documents that they hold.

    Each batch is chosen before its sample is drawn, so that the estimates have no bias. There is no interval:
    the variance is estimated from few documents of each stratum, and is 0 where a stratum shows none.
    """

    strata: tuple[Stratum, ...]

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def total(self) -> float:
        """The estimated number of relevant documents, sum r B / n."""
        return sum(stratum.estimate for stratum in self.strata)

    @property
    def published_total(self) -> float:
        """The estimate of the paper: 1.05 times the total, rather too high than too low."""
        return PUBLISHED_FACTOR * self.total

    @property
    def standard_error(self) -> float | None:
        """The square root of the sum of the variances; None where a stratum has none."""
        variances = [stratum.variance for stratum in self.strata]
        known = [variance for variance in variances if variance is not None]
        return sqrt(sum(known)) if len(known) == len(variances) else None

    @property
    def recalls(self) -> list[float] | None:
        """The estimated recall at the end of each stratum; None where no relevant document was found."""
        so_far = np.cumsum([stratum.estimate for stratum in self.strata])
        return (so_far / so_far[-1]).tolist() if self.total else None

    def threshold(self, recall: float) -> Threshold | None:
        """Return the first stratum at whose end the estimated recall is reached; None without recalls.

        Its score is of the model of that round: use it to find documents that score at least as much there.
        Raises Refused unless 0 < recall <= 1.
        """
        if not 0 < recall <= 1:
            raise Refused(f"expected a recall above 0 and at most 1, found {recall}")
        recalls = self.recalls
        if recalls is None:
            return None
        place = next(place for place, value in enumerate(recalls) if value >= recall)
        return Threshold(
            place + 1, sum(stratum.size for stratum in self.strata[: place + 1]), self.strata[place].score
        )


def capped(cap: int = CAP) -> SampleSize:
    """Return the rule of the paper: the whole batch, but at most `cap` documents (10 to 30) of it.

    Raises Refused for a cap below 1.

    >>> [capped(30)(size, 0.0) for size in (1, 30, 127)]
    [1, 30, 30]
    """
    if cap < 1:
        raise Refused(f"expected at least 1 document of a batch, found {cap}")
    return lambda size, estimate: min(size, cap)


def halving(first: int) -> SampleSize:
    """Return the rule of HiCAL: ceil(B N / T) of a batch of B, where T doubles when the estimate reaches it.

    T starts at N = `first`. (HiCAL's program compares T with the number of relevant documents that were
    judged; here it is the estimate.) Raises Refused for a first below 1.

    >>> [halving(20)(127, estimate) for estimate in (0, 19.9, 20, 40, 79)]
    [127, 127, 64, 32, 32]
    """
    if first < 1:
        raise Refused(f"expected a first estimate of at least 1, found {first}")

    def size_of(size: int, estimate: float) -> int:
        reached = first
        while estimate >= reached:
            reached *= 2
        return -(-size * first // reached)

    return size_of


class ScalReview(NamedTuple):
    """The judged documents, in order, and the strata.

    documents: rows of the features, shape (judged,). relevant: their labels. strata: the batches. model: the
    last one that was trained; None if there was no batch.
    """

    documents: IntVector
    relevant: Flags
    strata: Strata
    model: LogisticModel | None


def review_samples(
    matrix: Any,
    relevant: Flags,
    topic: Any | None,
    seeds: IntVector,
    sample_size: SampleSize,
    seed: int = 0,
    intercept: bool = False,
) -> ScalReview:
    """Return what S-CAL judges and estimates on documents whose labels are known, until none is left.

    As `cal.review`, but of each batch only a random sample is judged; the others are set aside for good,
    without a label. Seed documents are a stratum of their own that is judged whole. The parameters are those
    of `cal.review`. Raises ValueError without a topic and a relevant seed document. Source: Cormack &
    Grossman, Scalability of continuous active learning for reliable high-recall text classification, CIKM
    2016.
    """
    is_left = np.ones(matrix.shape[0], dtype=bool)
    is_left[seeds] = False
    order, strata = [seeds], list[Stratum]()
    if len(seeds):
        strata.append(Stratum(len(seeds), len(seeds), int(relevant[seeds].sum())))
    model: LogisticModel | None = None
    for number, size in enumerate(batch_sizes()):
        rest: IntVector = np.flatnonzero(is_left)
        if not len(rest):
            break
        judged = np.concatenate(order)
        ranking = rank_rest(
            matrix, topic, Judged(judged, relevant[judged]), rest, seed, number, model, intercept
        )
        model, batch = ranking.model, ranking.documents[:size]
        count = sample_size(len(batch), sum(stratum.estimate for stratum in strata))
        random = np.random.default_rng([seed, number, 1])
        order.append(batch[np.sort(random.choice(len(batch), size=count, replace=False))])
        lowest = float(ranking.scores[len(batch) - 1])
        strata.append(Stratum(len(batch), count, int(relevant[order[-1]].sum()), lowest))
        is_left[batch] = False
    documents = np.concatenate(order)
    return ScalReview(documents, relevant[documents], Strata(tuple(strata)), model)
