"""Reproducibility of runs: how near a replica comes to its original, from documents to effects.

Breuer, Ferro, Fuhr, Maistro, Sakai, Schaer & Soboroff 2020 (SIGIR), whose program is repro_eval: the order of
documents, the scores of topics, the effect of an advanced run over a baseline, and tests of the difference.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.rankings.rank_overlap import rbo_of_lists
from metrics.significance.paired import ROUNDING, EffectSize, checked_finite, paired_differences
from pooling.arrays import Vector
from pooling.extras import import_extra

DEPTH, PERSISTENCE = 1000, 0.8  # as in repro_eval
EFFECT_RATIO, RELATIVE_DELTA = "effect ratio", "delta of the relative improvement"
NO_EFFECT = "the original has no mean improvement"
NO_BASELINE = "the mean of a baseline is 0"
UNPAIRED = "unpaired t-test"
TOO_FEW = "fewer than two topics of a run"
NO_VARIANCE = "the scores of neither run vary"


def tau_of_union(
    original: Sequence[Hashable], replica: Sequence[Hashable], depth: int = DEPTH
) -> float | None:
    """Kendall's tau-b of two lists of documents of one topic, over the union of both: from -1 to 1.

    A document has its rank in each list. One that a list lacks stands behind the whole list, tied with the
    others that it lacks. Lists are cut at `depth`. Symmetric; names of documents do not matter. None for a
    union of fewer than two documents, and where one list is empty.

    >>> tau_of_union(["a", "b", "c"], ["b", "a", "c"])
    0.33333333333333337
    """
    first, second = (
        {document: rank for rank, document in enumerate(documents[:depth])}
        for documents in (original, replica)
    )
    union = dict.fromkeys([*first, *second])
    if len(union) < 2 or not (first and second):
        return None
    return _tau_b(*([ranks.get(each, depth) for each in union] for ranks in (first, second)))


def tau_by_docno(original: Sequence[str], replica: Sequence[str], depth: int = DEPTH) -> float | None:
    """Kendall's tau Union as repro_eval and the scripts of the paper compute it, for their figures.

    The union of both lists is numbered in the order of docnos, and the numbers at equal ranks are compared:
    other names give another value. Lists are cut at `depth` and at the length of the shorter one. None for
    fewer than two ranks.
    """
    n = min(depth, len(original), len(replica))
    if n < 2:
        return None
    number = {docno: at for at, docno in enumerate(sorted({*original[:n], *replica[:n]}))}
    return _tau_b(*([number[docno] for docno in each[:n]] for each in (original, replica)))


def _tau_b(first: Sequence[int], second: Sequence[int]) -> float:
    """Kendall's tau-b in n log n steps: `rank_correlation.kendall_tau_b` is for few systems."""
    stats = import_extra("scipy.stats")
    return float(stats.kendalltau(first, second).statistic)


class TopicOrder(NamedTuple):
    """The documents of a topic in two runs. tau: of the union, None if undefined. common: in both lists."""

    tau: float | None
    rbo: float
    common: int


@dataclass(frozen=True)
class DocumentOrders:
    """The order of documents in an original and its replica, cut at `depth`.

    by_topic: the topics of which both runs have documents. tau, rbo: means over these, None without one; tau
    over those in which it is defined.
    """

    depth: int
    by_topic: Mapping[str, TopicOrder]

    @property
    def tau(self) -> float | None:
        return _mean([each.tau for each in self.by_topic.values() if each.tau is not None])

    @property
    def rbo(self) -> float | None:
        return _mean([each.rbo for each in self.by_topic.values()])


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def document_orders(
    original: Mapping[str, Sequence[Hashable]],
    replica: Mapping[str, Sequence[Hashable]],
    depth: int = DEPTH,
    p: float = PERSISTENCE,
) -> DocumentOrders:
    """Return how alike two runs order documents: `tau_of_union`, and the extrapolated rank-biased overlap.

    original, replica: topic -> documents, best first, each once. p: the persistence of the overlap.
    """
    orders = {}
    for topic, documents in original.items():
        first, second = documents[:depth], replica.get(topic, ())[:depth]
        if len(first) and len(second):
            tau = tau_of_union(first, second, depth)
            overlap = rbo_of_lists(first, second, p).extrapolated
            orders[topic] = TopicOrder(tau, overlap, len({*first} & {*second}))
    return DocumentOrders(depth, orders)


def rmse(original: Vector, replica: Vector) -> float | None:
    """Root mean square error of the scores of topics, shape (topics,) each; None without topics.

    >>> round(rmse(np.array([0.5, 0.3]), np.array([0.5, 0.1])), 4)
    0.1414
    """
    differences = paired_differences(original, replica)
    return float(np.sqrt(np.mean(differences**2))) if len(differences) else None


class Experiment(NamedTuple):
    """The scores of an advanced run and of its baseline over the same topics, shape (topics,) each."""

    advanced: Vector
    baseline: Vector


def effect_ratio(original: Experiment, replica: Experiment) -> EffectSize:
    """The mean improvement of the replica over that of the original: 1 if the effect is as large.

    Below 0 the effect is reversed. The topics of the two experiments may be others. Undefined where the
    original has no mean improvement.
    """
    first, second = (paired_differences(*each) for each in (original, replica))
    n = len(second)
    if not (len(first) and n) or _is_zero(float(first.mean()), original.advanced):
        return EffectSize(EFFECT_RATIO, n, None, NO_EFFECT)
    return EffectSize(EFFECT_RATIO, n, float(second.mean() / first.mean()))


def relative_delta(original: Experiment, replica: Experiment) -> EffectSize:
    """The relative improvement of the original less that of the replica: 0 if they are alike.

    A relative improvement is the difference of the means over the mean of the baseline. Undefined where that
    is 0 in either experiment.
    """
    n = len(replica.advanced)
    improvements = []
    for advanced, baseline in (original, replica):
        paired_differences(advanced, baseline)  # checks that they have the same topics
        if not len(baseline) or not baseline.mean():
            return EffectSize(RELATIVE_DELTA, n, None, NO_BASELINE)
        improvements.append(float(advanced.mean() / baseline.mean()) - 1)
    return EffectSize(RELATIVE_DELTA, n, improvements[0] - improvements[1])


def _is_zero(mean: float, scores: Vector) -> bool:
    return abs(mean) <= ROUNDING * float(np.abs(scores).max(initial=0))


@dataclass(frozen=True)
class UnpairedTest:
    """A two-sided test of two runs over different topics.

    n: topics of each run. difference: of the means, the original less the replica. p: None where undefined;
    `reason` then says why, and is "" otherwise.
    """

    name: str
    n: tuple[int, int]
    difference: float | None
    statistic: float | None = None
    p: float | None = None
    reason: str = ""


def unpaired_t_test(original: Vector, replica: Vector) -> UnpairedTest:
    """Student's t-test of the means of two runs over different topics, with one variance for both, two-sided.

    original, replica: scores, shape (topics,), of any lengths. Undefined for fewer than two topics of a run,
    and where no score varies.
    """
    first, second = (checked_finite(values) for values in (original, replica))
    n = len(first), len(second)
    if min(n) < 2:
        return UnpairedTest(UNPAIRED, n, None, reason=TOO_FEW)
    difference = float(first.mean() - second.mean())
    largest = max(float(np.abs(values).max()) for values in (first, second))
    if max(float(np.ptp(values)) for values in (first, second)) <= ROUNDING * largest:
        return UnpairedTest(UNPAIRED, n, difference, reason=NO_VARIANCE)
    stats = import_extra("scipy.stats")
    test = stats.ttest_ind(first, second)
    return UnpairedTest(UNPAIRED, n, difference, float(test.statistic), float(test.pvalue))
