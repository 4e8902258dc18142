"""Scalable continuous active learning (S-CAL): of each batch a random sample is judged, and stands for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import isnan, sqrt
from typing import Any, NamedTuple

import numpy as np

from assess.active_learning.ranking import Judged, batch_sizes, rank_rest
from assess.active_learning.recall import NO_RELEVANT, SampleEstimate, relevant_in_all
from assess.active_learning.regression import LogisticModel
from pooling.arrays import Flags, IntVector
from pooling.notebook import fields_html
from pooling.refusals import Refused

CAP = 30
STRATA_CONFIDENCE = 0.9  # of the intervals, see `limits_of_sum`
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
    def standard_error(self) -> float | None:
        """The square root of the variance."""
        return None if self.variance is None else sqrt(self.variance)

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

    Each batch is chosen before its sample is drawn, so that the estimates have no bias. The intervals do not
    use the variances, which are 0 where the few judged documents of a stratum are of one kind: they combine
    the exact limits of the strata (`limits_of_sum`, `limits_of_share`).
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
    def documents(self) -> int:
        """How many documents the batches hold."""
        return sum(stratum.size for stratum in self.strata)

    @property
    def relevant(self) -> SampleEstimate:
        """The total with its 90 % interval; undefined without a stratum."""
        if not self.strata:
            return SampleEstimate(None, None, None, "no batch is judged")
        return limits_of_sum(self.strata)

    def recall_of(self, found: int) -> SampleEstimate:
        """Return the share that known relevant documents are of all in the batches, with its 90 % interval.

        found: relevant documents of the batches that have a label. Undefined where none is estimated.
        """
        known = self.relevant
        if known.value is None or known.low is None or known.high is None or not known.value:
            return SampleEstimate(None, None, None, known.reason or NO_RELEVANT)
        return SampleEstimate(
            min(1.0, found / known.value), found / known.high, found / max(known.low, found) if found else 0.0
        )

    def recall_at(self, stratum: int) -> SampleEstimate:
        """Return the recall of all documents down to the end of a stratum, from 1, with its 90 % interval.

        1 at the end of the last one, by definition. Undefined where no relevant document was found.
        """
        if self.recalls is None:
            return SampleEstimate(None, None, None, NO_RELEVANT)
        if stratum == len(self.strata):
            return SampleEstimate(1.0, 1.0, 1.0)
        return limits_of_share(self.strata[:stratum], self.strata[stratum:])

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


def limits_of_sum(strata: Sequence[Stratum]) -> SampleEstimate:
    """Return the number of relevant documents in strata, with its 90 % interval.

    The limits are low = E - sqrt(sum (e - l)^2) and high = E + sqrt(sum (h - e)^2), where E is the sum of the
    estimates e, and l and h are the exact 95 % limits of each stratum (`relevant_in_all`). Not below the
    number that was found. In simulations it covers 91 % to 98 %, so that 90 % are claimed: a single relevant
    document in a small sample of a large stratum takes the lower limit too high. Source: Zou, Huang & Zhang,
    A note on confidence interval estimation for a linear function of binomial proportions, Computational
    Statistics & Data Analysis 53(4), 2009.
    """
    below = above = 0.0
    for stratum in strata:
        low, high = _exact_limits(stratum.size, stratum.judged, stratum.relevant)
        below += (stratum.estimate - low) ** 2
        above += (high - stratum.estimate) ** 2
    total = sum(stratum.estimate for stratum in strata)
    relevant = sum(stratum.relevant for stratum in strata)
    most = sum(stratum.size - stratum.judged + stratum.relevant for stratum in strata)
    return SampleEstimate(total, max(total - sqrt(below), relevant), min(total + sqrt(above), most))


@lru_cache(maxsize=10_000)
def _exact_limits(size: int, judged: int, relevant: int) -> tuple[float, float]:
    exact = relevant_in_all(size, judged, relevant)
    assert exact.low is not None and exact.high is not None
    return exact.low, exact.high


def limits_of_share(head: Sequence[Stratum], tail: Sequence[Stratum]) -> SampleEstimate:
    """Return the share of the relevant documents that the first strata hold, with its 90 % interval.

    A share s is in the interval if 0 is in that of H (1 - s) - T s, where H and T are the numbers of relevant
    documents of the head and of the tail: the limits combine as in `limits_of_sum`. Source: Donner & Zou,
    Closed-form confidence intervals for functions of the normal mean and standard deviation, Statistical
    Methods in Medical Research 21(4), 2012 (there for a ratio). Undefined if nothing relevant was found.
    """
    first, second = limits_of_sum(head), limits_of_sum(tail)
    assert first.value is not None and first.low is not None and first.high is not None
    assert second.value is not None and second.low is not None and second.high is not None
    if not first.value + second.value:
        return SampleEstimate(None, None, None, NO_RELEVANT)
    share = first.value / (first.value + second.value)

    head_count, tail_count = first.value, second.value

    def is_in(at: float, of_head: float, of_tail: float) -> bool:
        gap = head_count * (1 - at) - tail_count * at
        return abs(gap) <= sqrt(((1 - at) * of_head) ** 2 + (at * of_tail) ** 2)

    low, high = share, share
    for step in (0.5**power for power in range(1, 31)):  # halve the distance to the limits
        if low - step >= 0 and is_in(low - step, first.value - first.low, second.high - second.value):
            low -= step
        if high + step <= 1 and is_in(high + step, first.high - first.value, second.value - second.low):
            high += step
    return SampleEstimate(share, low, high)


def drawn_of_batch(size: int, judged: int, seed: int, number: int) -> IntVector:
    """Return which documents of a batch are judged: so many places, drawn at random, ascending.

    seed, number: of the review and of its round; the same ones give the same places.

    >>> drawn_of_batch(4, 4, seed=7, number=1).tolist()
    [0, 1, 2, 3]
    """
    random = np.random.default_rng([seed, number, 1])
    places: IntVector = np.sort(random.choice(size, size=judged, replace=False))
    return places


class RoundDocuments(NamedTuple):
    """The documents of a round that judges got, by their labels; None without one.

    aside: how many others the batch has. score: its lowest one; nan for a batch without a model.
    """

    labels: Sequence[bool | None]
    aside: int
    score: float


def strata_of_rounds(rounds: Mapping[int, RoundDocuments]) -> Strata:
    """Return the strata of the first rounds all of whose documents have a label. rounds: number -> round."""
    strata = []
    for _, each in sorted(rounds.items()):
        if not each.labels or None in each.labels:
            break
        judged = len(each.labels)
        strata.append(Stratum(judged + each.aside, judged, each.labels.count(True), each.score))
    return Strata(tuple(strata))


class StratumRow(NamedTuple):
    """A stratum for people. number: of the round, 0 for labels from before. end: documents so far."""

    number: int
    stratum: Stratum
    end: int
    recall: SampleEstimate

    @property
    def lowest(self) -> float | None:
        """The lowest score of the batch; None for labels from before, and without a model."""
        return None if isnan(self.stratum.score) else self.stratum.score


class StrataSummary(NamedTuple):
    """What S-CAL says of a review.

    strata: the batches that are judged. collection: the number of documents. found: how many documents with a
    label are relevant. first: the number of the first round, 0 if there were labels before.
    """

    strata: Strata
    collection: int
    found: int
    first: int

    @property
    def is_complete(self) -> bool:
        """Whether the judged batches hold the whole collection: only then there is a recall."""
        return self.strata.documents == self.collection

    @property
    def recall(self) -> SampleEstimate:
        """The share of all relevant documents that have a label."""
        if not self.is_complete:
            held = f"the judged batches hold {self.strata.documents:,} of {self.collection:,} documents"
            return SampleEstimate(None, None, None, held)
        return self.strata.recall_of(self.found)

    @property
    def rows(self) -> list[StratumRow]:
        ends = np.cumsum([stratum.size for stratum in self.strata.strata]).tolist()
        return [
            StratumRow(self.first + place, stratum, end, self.strata.recall_at(place + 1))
            for place, (stratum, end) in enumerate(zip(self.strata.strata, ends, strict=True))
        ]


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
    last one that was trained; None if there was no batch. order: rows of all documents of the batches, in the
    order of the batches. relevant_in_order: their labels.
    """

    documents: IntVector
    relevant: Flags
    strata: Strata
    model: LogisticModel | None
    order: IntVector
    relevant_in_order: Flags


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
    order, batches, strata = [seeds], [seeds], list[Stratum]()
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
        order.append(batch[drawn_of_batch(len(batch), count, seed, number)])
        lowest = float(ranking.scores[len(batch) - 1])
        strata.append(Stratum(len(batch), count, int(relevant[order[-1]].sum()), lowest))
        batches.append(batch)
        is_left[batch] = False
    documents, chosen = np.concatenate(order), np.concatenate(batches)
    return ScalReview(documents, relevant[documents], Strata(tuple(strata)), model, chosen, relevant[chosen])
