"""What each stopping rule would have cost on topics with labels: reviews are simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from assess.active_learning import strata_advice
from assess.active_learning.cal import review
from assess.active_learning.progress import ADVISERS, title_of
from assess.active_learning.scal import CAP, capped, review_samples
from assess.active_learning.simulation import Stop, draw_sample, first_stops
from assess.active_learning.strata_advice import strata_stop
from pooling.arrays import Flags

MOST_REVIEWED = 20_000  # documents of a simulated review
LEAST_RELEVANT = 5  # documents of a topic that is simulated


class LabelledTopic(NamedTuple):
    """A topic to simulate. vector: of its text, shape (1, terms). relevant: shape (documents,)."""

    vector: Any
    relevant: Flags


class RuleCost(NamedTuple):
    """Means of a rule over topics.

    title: the rule with its target. stopped: topics in which it stopped. judged: documents judged until then,
    those of the sample with it; of the whole review where it never stopped. recall: at that place; of S-CAL
    the share of relevant documents that lie in the judged batches. reached: topics in which the recall was at
    least the target there.
    """

    title: str
    promise: str
    target: float
    topics: int
    stopped: int
    judged: float
    recall: float
    reached: int


def rule_costs(
    matrix: Any,
    topics: Iterable[LabelledTopic],
    sample_size: int,
    seed: int,
    report: Callable[[int], None] = lambda topics: None,
) -> list[RuleCost]:
    """Return what each of ADVISERS would have cost, and the rule of S-CAL with at most CAP judged of a batch.

    Documents without a label count as not relevant.

    matrix: CSR matrix of shape (documents, terms). topics: each with a relevant document, and a text with a
    word of the collection. sample_size: of the random sample of each topic. seed: of the samples and the
    reviews. A review ends after MOST_REVIEWED documents. report: called with the number of topics so far.
    """
    stops = dict[tuple[str, float], list[tuple[Stop, int]]]()
    for count, topic in enumerate(topics, start=1):
        order = review(
            matrix,
            topic.relevant,
            topic.vector,
            np.zeros(0, dtype=np.int64),
            seed,
            MOST_REVIEWED,
            intercept=True,
        )
        sample = draw_sample(topic.relevant, sample_size, seed) if sample_size else None
        relevant = int(np.count_nonzero(topic.relevant))
        for rule, target in ADVISERS:
            stop = first_stops(order, len(topic.relevant), sample, target, [rule])[rule]
            stops.setdefault((rule, target), []).append((stop, relevant))
        sampled = review_samples(
            matrix, topic.relevant, topic.vector, np.zeros(0, dtype=np.int64), capped(), seed, intercept=True
        )
        for target in strata_advice.TARGETS:
            stop = strata_stop(sampled, len(topic.relevant), sample, target)
            stops.setdefault((strata_advice.RULE, target), []).append((stop, relevant))
        report(count)
    return [_mean(rule, target, stops_of_rule) for (rule, target), stops_of_rule in stops.items()]


def _mean(rule: str, target: float, stops: Sequence[tuple[Stop, int]]) -> RuleCost:
    recalls = [stop.found / relevant for stop, relevant in stops]
    title, promise = title_of(rule, target)
    return RuleCost(
        f"S-CAL {CAP}, {title}" if rule == strata_advice.RULE else title,
        promise,
        target,
        len(stops),
        sum(stop.has_stopped for stop, _ in stops),
        float(np.mean([stop.effort for stop, _ in stops])),
        float(np.mean(recalls)),
        sum(recall >= target for recall in recalls),
    )
