"""Measures exactly as textbooks define them, where trec_eval differs.

`ExactIPrec` and `Exact11pt` correspond to trec_eval's IPrec and 11ptAvg, `BprefR` to bpref; trec_eval has no
`BEP`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from metrics.engine.hits import Hits, ratio
from metrics.measures.average_precision import BUCKLEY_2004, SALTON
from metrics.measures.base import NO_RELEVANT, REL, BadMeasure, Family, MeasureKind
from metrics.measures.collection import MANNING
from pooling.arrays import IntVector, Vector

TENTHS = tuple(Fraction(tenth, 10) for tenth in range(11))


def recall_precision_points(hits: Hits, rel: int | None = None) -> list[tuple[Vector, Vector]]:
    """Return the recall and precision of each topic at every relevant retrieved document."""
    relevant = hits.relevant(rel)
    recall = relevant.position / np.maximum(relevant.total, 1)[relevant.topic]
    cuts = relevant.offsets[1:-1]
    return list(zip(np.split(recall, cuts), np.split(relevant.precision, cuts), strict=True))


def _best_from(hits: Hits, rel: int | None, level: Fraction) -> Vector:
    """Return the highest precision at a recall of at least `level`, 0 if the run does not reach it."""
    relevant = hits.relevant(rel)
    if not len(relevant.rank):
        return np.zeros(relevant.topics)

    def documents_at() -> IntVector:
        return np.array([max(-(-level * total // 1), 1) for total in relevant.total.tolist()], dtype=np.int64)

    wanted = hits.index.cached(("documents at", hits.level(rel), level), documents_at)
    reached = wanted <= relevant.counts
    index = np.where(reached, relevant.offsets[:-1] + wanted - 1, 0)
    return np.where(reached, relevant.best_precision_from[index], 0.0)


def exact_interpolated_precision(hits: Hits, cutoff: float, rel: int | None = None) -> Vector:
    """Interpolated precision at recall r: the highest precision at any recall of at least r, exactly.

    The level is read as an exact decimal fraction, and the number of documents is rounded up: 0.7 of R = 3
    means 3 documents. (trec_eval 9 computes 0.7 * 3 + 0.9 in doubles, which gives 2; trec_eval 10 rounds to
    the nearest number.)
    """
    if cutoff > 1:
        raise BadMeasure(f"expected a recall from 0 to 1, found {cutoff:g}")
    return _best_from(hits, rel, Fraction(repr(cutoff)))


def exact_eleven_points(hits: Hits, rel: int | None = None) -> Vector:
    """The mean of exact interpolated precision at recall 0, 0.1, ... 1."""
    curve = np.array([_best_from(hits, rel, level) for level in TENTHS])
    mean: Vector = np.cumsum(curve, axis=0)[-1] / len(TENTHS)
    return mean


def break_even_point(hits: Hits, rel: int | None = None) -> Vector:
    """The value at which the linearly interpolated, exact 11-point curve has precision = recall.

    (At rank R precision and recall are equal by definition: that break-even point is `Rprec`.)
    """
    curve = np.array([_best_from(hits, rel, level) for level in TENTHS])
    recall = np.arange(11) / 10
    crossing = np.argmax(curve <= recall[:, None], axis=0)  # exists, because precision is at most 1
    before, topics = np.maximum(crossing - 1, 0), np.arange(hits.topics)
    upper = curve[before, topics] - recall[before]
    lower = curve[crossing, topics] - recall[crossing]
    share = ratio(upper, upper - lower)
    met = recall[before] + share * (recall[crossing] - recall[before])
    return np.where(crossing > 0, met, 0.0)


def bpref_r(hits: Hits, rel: int | None = None) -> Vector:
    """bpref with the denominator R: (1/R) sum over relevant retrieved of 1 - above / R; 0 where R is 0.

    above: judged non-relevant documents above, counted among the topic's first R of them. This is the
    definition of the paper and of textbooks; trec_eval divides by min(R, N), so both are equal if N, the
    number of judged non-relevant documents, is at least R. The value is the share of the R x R preference
    pairs with which the ranking agrees.
    """
    level = max(hits.level(rel), 0)
    is_relevant = hits.grade >= level
    above = hits.all.count_before((hits.grade >= 0) & ~is_relevant)[is_relevant]
    relevant = hits.relevant(rel)
    total = relevant.total[relevant.topic]
    return ratio(relevant.sum(1.0 - np.minimum(above, total) / total), relevant.total)


TEXTBOOK = Family("As textbooks define them", (
    MeasureKind(
        "ExactIPrec", exact_interpolated_precision, "The highest precision at a recall of exactly r or more.",
        SALTON, "threshold", parameters={"rel": REL}, cutoff=float, needs_cutoff=True, perfect=True,
        direction="higher",
        formula="ExactIPrec@r = max P(k) over ranks at which recall is r or more", where=NO_RELEVANT,
    ),
    MeasureKind(
        "Exact11pt", exact_eleven_points, "Exact interpolated precision, averaged over recall 0, 0.1, ... 1.",
        SALTON, "threshold", parameters={"rel": REL}, perfect=True, direction="higher",
        formula="Exact11pt = (1 / 11) Σ ExactIPrec@r over r = 0, 0.1, … 1", where=NO_RELEVANT,
    ),
    MeasureKind(
        "BEP", break_even_point, "The value at which interpolated precision and recall are equal.",
        MANNING, "threshold", parameters={"rel": REL}, perfect=True, direction="higher",
        formula="BEP = x where the line through (r, ExactIPrec@r), r = 0, 0.1, … 1, has the value x",
        where=NO_RELEVANT,
    ),
    MeasureKind(
        "BprefR", bpref_r, "bpref with the denominator R, as first published.",
        BUCKLEY_2004, "threshold", parameters={"rel": REL}, perfect=True, direction="higher",
        formula="bpref-R = (1 / R) Σ over relevant retrieved (1 − min(above, R) / R)",
        where=f"above: judged non-relevant documents above it. {NO_RELEVANT}",
    ),
))  # fmt: skip
