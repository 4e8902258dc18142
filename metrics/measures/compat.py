"""Compatibility: rank-biased overlap of a ranking with the most similar ideal ranking."""

from __future__ import annotations

import numpy as np

from metrics.engine.hits import Hits, ratio
from metrics.measures.base import NO_GAIN, PERSISTENCE, Family, MeasureKind, Parameter
from pooling.arrays import IntVector, Vector

CLARKE = "C. L. A. Clarke, A. Vtyurina and M. D. Smucker. Assessing Top-k Preferences. ACM TOIS 39(3), 2021"
DEPTH = 1000  # number of ranks that are compared


def ideal_ranks(hits: Hits) -> tuple[IntVector, IntVector, IntVector]:
    """Return the topics, ranks and ideal ranks of the hits of positive grade.

    The ideal order is by grade descending, then as in the run; documents that were not retrieved come last.
    """
    positive = hits.grade > 0
    topic, rank, grade = hits.topic[positive], hits.rank[positive], hits.grade[positive]
    order = np.lexsort((rank, -grade, topic))
    topic, rank, grade = topic[order], rank[order], grade[order]
    index = hits.index
    step = int(max(index.grades.max(initial=0), 0)) + 1
    # positions in the qrels, sorted by topic and by grade descending
    keys = index.topic_of_grades * step + (step - 1 - np.maximum(index.grades, 0))
    first = np.searchsorted(keys, topic * step + (step - 1 - grade))
    starts = np.flatnonzero(np.append(True, (topic[1:] != topic[:-1]) | (grade[1:] != grade[:-1])))
    group = np.cumsum(np.append(True, (topic[1:] != topic[:-1]) | (grade[1:] != grade[:-1]))) - 1
    position = np.arange(len(topic)) - starts[group] if len(topic) else topic
    return topic, rank, first - index.offsets[topic] + position + 1


def compatibility(hits: Hits, p: float = 0.95, normalize: bool = True) -> Vector:
    """Rank-biased overlap of the ranking with the ideal one, divided by that of the ideal one with itself.

    The ideal ranking contains the documents of positive grade. Both are compared to depth DEPTH for all
    lengths, as in the paper and its authors' program; ir_measures ends at the longer of the two. A
    document at rank r of one and i of the other is in both from depth max(r, i) on, so it contributes the
    weights p^(d-1)/d of these depths. 0 if no grade is positive.
    """
    topic, rank, ideal = ideal_ranks(hits)
    ranks = np.arange(1, DEPTH + 1)
    weight = p ** (ranks - 1.0)
    upto = np.concatenate([[0.0], np.cumsum(weight / ranks)])
    shares = upto[DEPTH] - upto[np.minimum(np.maximum(rank, ideal) - 1, DEPTH)]
    overlap = np.bincount(topic, weights=shares, minlength=hits.topics).astype(np.float64, copy=False)
    if not normalize:
        unnormalized: Vector = overlap / weight.sum()
        return unnormalized
    before = np.concatenate([[0.0], np.cumsum(upto)])  # the sum of upto[0] to upto[n - 1]
    total = np.minimum(hits.index.count(1), DEPTH)
    return ratio(overlap, total * upto[DEPTH] - before[total])


DEEP = PERSISTENCE.with_default(0.95)
NORMALIZE = Parameter(True, "whether to divide by the score of the ideal ranking")
COMPATIBILITY = Family("Compatibility", (
    MeasureKind(
        "Compat", compatibility, "Rank-biased overlap of the ranking with the most similar ideal ranking.",
        CLARKE, "grades", parameters={"p": DEEP, "normalize": NORMALIZE},
        perfect=True, direction="higher",
        formula=(
            "Compat = RBO(ranking, ideal) / RBO(ideal, ideal), RBO = Σ p^(d − 1) overlap(d) / d, d ≤ 1000"
        ),
        where="ideal: the ideal ranking that is most similar to the ranking. " + NO_GAIN,
    ),
))  # fmt: skip
