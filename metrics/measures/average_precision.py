"""Average precision, its geometric mean, and bpref, which needs no complete judgments."""

from __future__ import annotations

import numpy as np

from metrics.hits import Hits, ratio
from metrics.measure import Kind
from pooling.columns import Vector

BUCKLEY_2000 = "C. Buckley and E. M. Voorhees. Evaluating Evaluation Measure Stability. SIGIR 2000"
BUCKLEY_2004 = "C. Buckley and E. M. Voorhees. Retrieval Evaluation with Incomplete Information. SIGIR 2004"


def average_precision(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """The sum of precision at each relevant document retrieved, over R (trec_eval `map`, `map_cut`).

    With a cut-off the sum ends there, and is still divided by R. 0 where R is 0.
    """
    relevant = hits.relevant(rel)
    counts = relevant.counts if cutoff is None else relevant.within(cutoff)
    return ratio(relevant.after(relevant.running_precision, counts), relevant.total)


def bpref(hits: Hits, rel: int | None = None) -> Vector:
    """How few judged non-relevant documents stand above the relevant ones (trec_eval `bpref`).

    The sum over relevant documents retrieved of 1 - min(above, R) / min(N, R), over R; N: judged not
    relevant. 0 where R is 0.
    """
    level = hits.level(rel)
    is_relevant = hits.grade >= max(level, 0)
    above = hits.all.count_before((hits.grade >= 0) & ~is_relevant)[is_relevant]
    relevant = hits.relevant(rel)
    nonrelevant = hits.index.keep(("nonrelevant", level), lambda: hits.index.count(0, level))
    total = relevant.total[relevant.topic]
    compared = np.minimum(nonrelevant[relevant.topic], total)
    terms = 1.0 - ratio(np.minimum(above, total), compared)
    return ratio(relevant.sum(terms), relevant.total)


KINDS = (
    Kind(
        "AP", average_precision, "The mean of precision at each relevant document, 0 where not retrieved.",
        BUCKLEY_2000, "threshold", parameters={"rel": None}, cutoff=int,
        trec_eval="map", trec_eval_cut="map_cut", perfect=True,
    ),
    Kind(
        "bpref", bpref, "How rarely judged non-relevant documents stand above relevant ones.",
        BUCKLEY_2004, "threshold", parameters={"rel": None}, trec_eval="bpref", perfect=True,
    ),
)  # fmt: skip
