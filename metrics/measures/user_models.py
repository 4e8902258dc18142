"""User models: the expected gain per document read, if a reader continues with a probability at each rank.

RBP and the measures of the C/W/L framework:

- C_i: the probability of going on from rank i to rank i + 1
- W_i: the share of attention that rank i gets; W_1 = 1 / sum over i of prod_{j<i} C_j, W_{i+1} = C_i W_i
- the score: sum of W_i g_i, with gains g_i from 0 to 1

As in cwl_eval, 1,000 ranks are read; those that the run does not fill bring no gain. RBP needs no such bound,
as its weights are known.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from metrics.engine.hits import Hits, ratio
from metrics.engine.segments import Segments
from metrics.measures.base import (
    CHAPELLE,
    GAINS,
    MAX_REL,
    MIN_REL,
    NIST,
    PERSISTENCE,
    REL,
    WANTED,
    BadMeasure,
    Family,
    MeasureKind,
    Parameter,
)
from metrics.measures.dcg import Form, gained, ideal, scaled_gain
from pooling.arrays import IntVector, Matrix, Vector

RANKS = 1000
TOPICS_AT_A_TIME = 256  # so that a table of topics and ranks fits in the processor's cache
RANK: Vector = np.arange(1.0, RANKS + 1)

RBP_2008 = "A. Moffat and J. Zobel. Rank-Biased Precision. ACM TOIS 27(1), 2008"
INSQ_2012 = (
    "A. Moffat, F. Scholer and P. Thomas. Models and Metrics: IR Evaluation as a User Process. ADCS 2012"
)
INST_2015 = "A. Moffat et al. INST: An Adaptive Metric for Information Retrieval Evaluation. ADCS 2015"
BPM_2017 = "F. Zhang et al. Evaluating Web Search with a Bejeweled Player Model. SIGIR 2017"
NERR_2021 = "L. Azzopardi, J. Mackenzie and A. Moffat. ERR is not C/W/L. ICTIR 2021"


def powers(p: float, power: IntVector) -> Vector:
    """Return p ** power by repeated multiplication, as a C loop over ranks does."""
    steps = np.full(int(power.max(initial=0)) + 1, p, dtype=np.float64)
    steps[0] = 1.0
    powers: Vector = np.cumprod(steps, dtype=np.float64)
    return powers[power]


def rank_biased_precision(
    hits: Hits, cutoff: int | None = None, p: float = 0.8, rel: int | None = None, max_rel: int | None = None
) -> Vector:
    """RBP: (1 - p) sum of gain p^(rank - 1).

    With rel, gain is 1 from that grade on; without, it is the grade over max_rel, by default the highest
    grade of the qrels. (ranx takes the grade itself and can exceed 1; trec_eval 10 the topic's highest, see
    `TrecRBP`.)
    """
    within_cutoff = np.ones(len(hits.rank), dtype=bool) if cutoff is None else hits.rank <= cutoff
    grade, seen = hits.grade[within_cutoff], hits.where(within_cutoff)
    if rel is None:
        gains = scaled_gain(hits.index, grade, 0, max_rel)
    else:
        gains = (grade >= max(rel, 0)).astype(np.float64)
    return (1.0 - p) * seen.sum(gains * powers(p, seen.rank - 1))


def rank_biased_residual(hits: Hits, cutoff: int | None = None, p: float = 0.8) -> Vector:
    """The most that RBP could gain if all unjudged documents, retrieved or not, were of the highest grade.

    1 - (1 - p) sum over judged of p^(rank - 1). The ranks that the run does not fill count as unjudged;
    trec_eval 10 leaves them out where every retrieved document was judged. 1 for a topic that the run lacks.
    """
    judged = hits.where((hits.grade >= 0) & (hits.rank <= (cutoff or inf)))
    return 1.0 - (1.0 - p) * judged.sum(powers(p, judged.rank - 1))


def checked_persistence(p: float) -> None:
    """Raise BadMeasure unless 0 < p < 1: trec_eval's parameter has no limits of its own."""
    if not 0 < p < 1:
        raise BadMeasure(f"expected a persistence p between 0 and 1, found {p}")


def trec_eval_rbp(hits: Hits, p: float = 0.9, gains: str = "") -> Vector:
    """(1 - p) sum of gain / highest p^(rank - 1), highest: the topic's highest gain if above 1 (`rbp`).

    trec_eval 10 intends this; its program reads variables that it never sets.
    """
    checked_persistence(p)
    actual, best = gained(hits, Form(gains=gains)), ideal(hits.index, Form(gains=gains))
    first = np.minimum(best.offsets[:-1], max(len(best.gain) - 1, 0))
    highest = np.where(best.counts > 0, best.gain[first], 1.0) if len(best.gain) else np.ones(hits.topics)
    scaled = actual.gain / np.maximum(highest, 1.0)[actual.topic]
    return (1.0 - p) * actual.sum(scaled * powers(p, actual.rank - 1))


def trec_eval_rbp_residual(hits: Hits, p: float = 0.9, tail: bool = False) -> Vector:
    """The most that RBP could gain if every unjudged document were relevant (trec_eval 10 `rbp_resid`).

    p^n + (1 - p) sum over unjudged of p^(rank - 1). trec_eval gives 0 where everything retrieved was judged;
    with `tail` the p^n of what was not retrieved is kept there too.
    """
    checked_persistence(p)
    judged = hits.judged
    known = judged.sum(powers(p, judged.rank - 1))
    unknown = (1.0 - powers(p, hits.retrieved)) / (1.0 - p) - known
    residual = powers(p, hits.retrieved) + (1.0 - p) * unknown
    return np.where((judged.counts < hits.retrieved) | tail, residual, 0.0)


def expected_utility(
    hits: Hits, min_rel: int, max_rel: int | None, continuation: Callable[[Matrix], Matrix]
) -> Vector:
    """Return sum W_i g_i of each topic.

    continuation: takes gains and returns C, both of shape (topics, ranks).
    """
    seen = np.flatnonzero(hits.rank <= RANKS)
    topic, rank = hits.topic[seen], hits.rank[seen]
    gains = scaled_gain(hits.index, hits.grade[seen], min_rel, max_rel)
    values = np.zeros(hits.topics)
    for first in range(0, hits.topics, TOPICS_AT_A_TIME):
        here = slice(*np.searchsorted(topic, (first, first + TOPICS_AT_A_TIME)))
        rows = np.zeros((min(TOPICS_AT_A_TIME, hits.topics - first), RANKS))
        rows[topic[here] - first, rank[here] - 1] = gains[here]
        reached = np.ones_like(rows)
        np.cumprod(continuation(rows)[:, :-1], axis=1, out=reached[:, 1:])
        total = np.cumsum(reached * rows, axis=1)[:, -1]
        values[first : first + len(rows)] = ratio(total, np.cumsum(reached, axis=1)[:, -1])
    return values


def insq_continuation(T: float) -> Vector:
    """C of INSQ at each rank: ((i + 2T - 1) / (i + 2T))^2."""
    chances: Vector = ((RANK + 2.0 * T - 1.0) / (RANK + 2.0 * T)) ** 2
    return chances


def insq(hits: Hits, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """INSQ: for a reader who wants a gain of T, the probability of going on grows with the rank."""
    return expected_utility(
        hits, min_rel, max_rel, lambda gains: np.broadcast_to(insq_continuation(T), gains.shape)
    )


def inst(hits: Hits, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """INST: as INSQ, for a reader who counts the gain so far; C_i = ((i + T + T_i - 1) / (i + T + T_i))^2.

    T_i = T less the gain up to rank i.
    """

    def continuation(gains: Matrix) -> Matrix:
        wanted = RANK + T + (T - np.cumsum(gains, axis=1))
        chances: Matrix = ((wanted - 1.0) / wanted) ** 2
        return chances

    return expected_utility(hits, min_rel, max_rel, continuation)


def bejeweled_player(
    hits: Hits, cutoff: int, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None
) -> Vector:
    """BPM (static): the reader stops at a gain of T or after k documents."""

    def continuation(gains: Matrix) -> Matrix:
        return ((np.cumsum(gains, axis=1) < T) & (cutoff > RANK)).astype(np.float64)

    return expected_utility(hits, min_rel, max_rel, continuation)


def nearly_err_8(hits: Hits, cutoff: int, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """NERR, equation 8: C_i = 1 - g_i to rank k."""
    return expected_utility(hits, min_rel, max_rel, lambda gains: (1.0 - gains) * (cutoff > RANK))


def nearly_err_9(hits: Hits, cutoff: int, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """NERR, equation 9: C_i = i / (i + 1) (1 - g_i) to rank k."""
    return expected_utility(
        hits, min_rel, max_rel, lambda gains: RANK / (RANK + 1.0) * (1.0 - gains) * (cutoff > RANK)
    )


def nearly_err_10(hits: Hits, p: float = 0.9, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """NERR, equation 10: C_i = p (1 - g_i)."""
    return expected_utility(hits, min_rel, max_rel, lambda gains: p * (1.0 - gains))


def nearly_err_11(hits: Hits, T: float = 1.0, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """NERR, equation 11: C_i = (1 - g_i) times that of INSQ."""
    return expected_utility(hits, min_rel, max_rel, lambda gains: insq_continuation(T) * (1.0 - gains))


CWL = "Score = Σ W(k) r(k), W(1) = 1 / Σ Π C, W(k + 1) = C(k) W(k); r(k) = the grade scaled to 0 … 1. "
SCALE = {"min_rel": MIN_REL, "max_rel": MAX_REL}
TARGET = {"T": WANTED, **SCALE}
PERSISTENCE_OF_TREC = Parameter(0.9, PERSISTENCE.meaning)  # trec_eval sets no limits
TAIL = Parameter(False, "whether what would come after the ranking counts as unjudged")
USER_MODELS = Family("Readers: what they expect to gain", (
    MeasureKind(
        "RBP", rank_biased_precision, "The expected gain of a reader who goes on with probability p.",
        RBP_2008, "grades", cutoff=int, parameters={"p": PERSISTENCE, "rel": REL, "max_rel": MAX_REL},
        direction="higher",
        formula="RBP = (1 − p) Σ r(k) p^(k − 1)",
        where="r(k): grade / highest grade, or rel(k) where rel is set.",
    ),
    MeasureKind(
        "RBPResidual", rank_biased_residual, "How much RBP could still gain from what was not judged.",
        RBP_2008, "neither", cutoff=int, parameters={"p": PERSISTENCE},
        missing="always", direction="lower",
        formula="residual = 1 − (1 − p) Σ over judged p^(k − 1)",
        where="What RBP would gain if everything else were of the highest grade.",
    ),
    MeasureKind(
        "TrecRBP", trec_eval_rbp, "Rank-biased precision, grades scaled by the topic's highest.",
        RBP_2008 + "; " + NIST,
        "grades", parameters={"p": PERSISTENCE_OF_TREC, "gains": GAINS}, trec_eval="rbp", direction="higher",
        formula="rbp = (1 − p) Σ (g(k) / gmax) p^(k − 1)",
        where="gmax: the topic's highest grade, at least 1.",
    ),
    MeasureKind(
        "TrecRBPResidual", trec_eval_rbp_residual, "How much unjudged documents could add to RBP.",
        RBP_2008 + "; " + NIST,
        "neither", parameters={"p": PERSISTENCE_OF_TREC, "tail": TAIL}, trec_eval="rbp_resid",
        missing="labelled", direction="lower",
        formula="rbp_resid = p^n + (1 − p) Σ over unjudged p^(k − 1)",
        where="0 where everything retrieved was judged, unless tail is set.",
    ),
    MeasureKind(
        "INSQ", insq, "The expected gain of a reader who wants T of it.", INSQ_2012, "grades",
        parameters=TARGET, direction="higher",
        formula="C(k) = ((k + 2T − 1) / (k + 2T))²", where=CWL + "C: the chance of reading on.",
    ),
    MeasureKind(
        "INST", inst, "The expected gain of a reader who wants T of it and counts what was found.",
        INST_2015, "grades", parameters=TARGET, direction="higher",
        formula="C(k) = ((k + T + T(k) − 1) / (k + T + T(k)))²",
        where=CWL + "T(k) = T less the gain to rank k.",
    ),
    MeasureKind(
        "BPM", bejeweled_player, "The expected gain of a reader who stops at T of it or at rank k.",
        BPM_2017, "grades", cutoff=int, needs_cutoff=True, parameters=TARGET,
        direction="higher",
        formula="C(k) = 1 while the gain is below T and k is below the cut-off, else 0", where=CWL,
    ),
    MeasureKind(
        "NERR8", nearly_err_8, "Nearly ERR: a reader stops where satisfied, or at rank k.", NERR_2021,
        "grades", cutoff=int, needs_cutoff=True, parameters=SCALE, direction="higher",
        formula="C(k) = 1 − r(k) before the cut-off, 0 there", where=CWL,
    ),
    MeasureKind(
        "NERR9", nearly_err_9, "Nearly ERR: a reader stops where satisfied, tires as 1/rank, ends at rank k.",
        NERR_2021, "grades", cutoff=int, needs_cutoff=True, parameters=SCALE,
        direction="higher",
        formula="C(k) = (k / (k + 1)) (1 − r(k)) before the cut-off, 0 there", where=CWL,
    ),
    MeasureKind(
        "NERR10", nearly_err_10, "Nearly ERR: a reader stops where satisfied, or tires as in RBP.", NERR_2021,
        "grades", parameters={"p": PERSISTENCE.with_default(0.9), **SCALE}, direction="higher",
        formula="C(k) = p (1 − r(k))", where=CWL,
    ),
    MeasureKind(
        "NERR11", nearly_err_11, "Nearly ERR: a reader stops where satisfied, or tires as in INSQ.",
        NERR_2021, "grades", parameters=TARGET, direction="higher",
        formula="C(k) = ((k + 2T − 1) / (k + 2T))² (1 − r(k))", where=CWL,
    ),
))  # fmt: skip


def product_before(segments: Segments, values: Vector) -> Vector:
    """Return for each value the product of those before it in its topic, 1 for the first; shape (values,)."""
    rows = np.ones((segments.topics, int(segments.counts.max(initial=0)) + 1))
    rows[segments.topic, segments.position] = values
    products: Vector = np.multiply.accumulate(rows, axis=1)[segments.topic, segments.position - 1]
    return products


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
    MeasureKind(
        "ERR", expected_reciprocal_rank, "The expected 1/rank at which a reader is satisfied and stops.",
        CHAPELLE, "grades", parameters={"max_rel": MAX_REL}, cutoff=int,
        direction="higher",
        formula="ERR@k = Σ (1/i) q(i) Π over j < i (1 − q(j)), q(i) = (2^g(i) − 1) / 2^gmax",
        where="gmax: max_rel, or the highest grade of the qrels.",
    ),
))  # fmt: skip
