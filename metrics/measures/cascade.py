"""Expected reciprocal rank: a reader goes down the ranking and stops at what satisfies."""

from __future__ import annotations

import numpy as np

from metrics.hits import Hits
from metrics.measure import CHAPELLE, Family, Kind
from metrics.parameters import MAX_REL
from metrics.segments import Segments
from pooling.arrays import Vector


def product_before(segments: Segments, values: Vector) -> Vector:
    """Return for each value the product of those before it in its topic, 1 for the first; shape (values,)."""
    rows = np.ones((segments.topics, int(segments.counts.max(initial=0)) + 1))
    rows[segments.topic, segments.position] = values
    found: Vector = np.multiply.accumulate(rows, axis=1)[segments.topic, segments.position - 1]
    return found


def expected_reciprocal_rank(hits: Hits, cutoff: int | None = None, max_rel: int | None = None) -> Vector:
    """ERR: the sum over ranks of 1/rank times the probability that the reader stops there.

    A document of grade g satisfies with probability (2^g - 1) / 2^max_rel. max_rel: None for the highest
    grade of the qrels, as Chapelle et al. have it; gdeval, and so ir_measures, take 4 whatever the qrels
    hold. Grades above max_rel count as max_rel, negative ones as 0.
    """
    highest = max(int(hits.index.grades.max(initial=0)), 1) if max_rel is None else max_rel
    positive = hits.grade > 0
    seen = hits.where(positive)
    # (2^g - 1) / 2^max, without a power that overflows
    satisfied = np.exp2(np.minimum(hits.grade[positive], highest) - highest) - np.exp2(-float(highest))
    running = seen.running(product_before(seen, 1.0 - satisfied) * satisfied / seen.rank)
    return seen.after(running, seen.counts if cutoff is None else seen.within(cutoff))


CASCADE = Family("Cascade", (
    Kind(
        "ERR", expected_reciprocal_rank, "The expected 1/rank at which a reader is satisfied and stops.",
        CHAPELLE, "grades", parameters={"max_rel": MAX_REL}, cutoff=int,
        direction="higher",
        formula="ERR@k = Σ (1/i) q(i) Π over j < i (1 − q(j)), q(i) = (2^g(i) − 1) / 2^gmax",
        where="gmax: max_rel, or the highest grade of the qrels.",
    ),
))  # fmt: skip
