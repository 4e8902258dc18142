"""Average precision, and measures that stay close to it when judgments are incomplete."""

from __future__ import annotations

from math import inf

import numpy as np

from metrics.engine.hits import Hits, RankedHits, RelevantHits, ratio
from metrics.measures.base import NIST, NO_RELEVANT, REL, Family, MeasureKind, Parameter
from pooling.arrays import IntVector, Vector

BUCKLEY_2000 = "C. Buckley and E. M. Voorhees. Evaluating Evaluation Measure Stability. SIGIR 2000"
BUCKLEY_2004 = "C. Buckley and E. M. Voorhees. Retrieval Evaluation with Incomplete Information. SIGIR 2004"
YILMAZ = "E. Yilmaz and J. A. Aslam. Estimating Average Precision with Incomplete Judgments. CIKM 2006"
ROBERTSON = "S. Robertson. On GMAP: and Other Transformations. CIKM 2006"
SALTON = "G. Salton and M. J. McGill. Introduction to Modern Information Retrieval. McGraw-Hill, 1983"
ELEVEN = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
EPSILON = 0.00001  # infAP's smoothing


def average_precision(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """The sum of precision at each relevant document retrieved, over R (trec_eval `map`, `map_cut`).

    With a cut-off the sum ends there, and is still divided by R. 0 where R is 0.
    """
    relevant = hits.relevant(rel)
    counts = relevant.counts if cutoff is None else relevant.within(cutoff)
    return average_precision_of(relevant, counts, relevant.total)


def average_precision_of(relevant: RankedHits, counts: IntVector, total: IntVector) -> Vector:
    """AP over the first `counts` relevant hits of each topic; total: how many relevant documents it has."""
    return ratio(relevant.after(relevant.running_precision, counts), total)


def yaap(hits: Hits, rel: int | None = None) -> Vector:
    """ln((1 + s) / (1 + R - s)), s: the sum of precisions (trec_eval `yaap`). Can be negative."""
    relevant = hits.relevant(rel)
    total = relevant.after(relevant.running_precision, relevant.counts)
    return np.log((1.0 + total) / (1.0 + relevant.total - total))


def bpref(hits: Hits, rel: int | None = None) -> Vector:
    """How few judged non-relevant documents stand above the relevant ones (trec_eval `bpref`).

    The sum over relevant documents retrieved of 1 - min(above, R) / min(N, R), over R; N: judged not
    relevant. 0 where R is 0.
    """
    level, relevant = hits.level(rel), hits.relevant(rel)
    above = hits.above(relevant) - (relevant.position - 1)
    nonrelevant = hits.index.cached(("nonrelevant", level), lambda: hits.index.count(0, level))
    total = relevant.total[relevant.topic]
    compared = np.minimum(nonrelevant[relevant.topic], total)
    terms = 1.0 - ratio(np.minimum(above, total), compared)
    return ratio(relevant.sum(terms), relevant.total)


def inferred_ap(hits: Hits, rel: int | None = None) -> Vector:
    """AP estimated from a random sample of the pool, negative grades being pooled and not sampled (`infAP`).

    A relevant document at rank k adds 1/k + (k-1)/k (pooled above / (k-1)) (relevant above + e) / (judged
    above + 2e); the sum is divided by R.
    """
    relevant = hits.relevant(rel)
    above = (relevant.rank - 1).astype(np.float64)
    pooled = relevant.among - hits.all.offsets[relevant.topic]
    share = (relevant.position - 1 + EPSILON) / (hits.above(relevant) + 2 * EPSILON)
    terms = 1.0 / (above + 1.0) + (above / (above + 1.0)) * ratio(pooled, above) * share
    return ratio(relevant.sum(np.where(above == 0, 1.0, terms)), relevant.total)


def _levels(hits: Hits, relevant: RelevantHits, recall: float) -> IntVector:
    """Return how many relevant documents a recall level asks for: where the two trec_evals differ."""
    if hits.profile == "trec_eval-9":
        return (recall * relevant.total.astype(np.float64) + 0.9).astype(np.int64)
    return np.floor(recall * relevant.total.astype(np.float64) + 0.5).astype(np.int64)


def interpolated_precision(hits: Hits, cutoff: float, rel: int | None = None) -> Vector:
    """The highest precision at the recall level or beyond (trec_eval `iprec_at_recall`).

    A level c asks for trunc(c R + 0.9) relevant documents in profile trec_eval-9 (about the textbook's
    ceiling), for the nearest number in trec_eval-10, which may be fewer than c R. 0 where the run never
    gets there or R is 0.
    """
    relevant = hits.relevant(rel)
    wanted = np.maximum(_levels(hits, relevant, cutoff), 1)
    reached = wanted <= relevant.counts
    if not len(relevant.rank):
        return np.zeros(hits.topics)
    index = np.where(reached, relevant.offsets[:-1] + wanted - 1, 0)
    return np.where(reached, relevant.best_precision_from[index], 0.0)


def eleven_point_average(hits: Hits, levels: str = ELEVEN, rel: int | None = None) -> Vector:
    """The mean of interpolated precision at recall 0, 0.1, ... 1, or at the levels named (`11pt_avg`)."""
    total = np.zeros(hits.topics)
    recalls = sorted((float(level) for level in levels.split(",")), reverse=True)
    for recall in recalls:  # trec_eval adds from the highest level down
        total += interpolated_precision(hits, recall, rel)
    return total / len(recalls)


GEOMETRIC = "Over topics: exp(mean of ln(max(value, 0.00001)))."
AP_TEXT = "AP = (1 / R) Σ P(k) rel(k)"
BPREF_TEXT = "bpref = (1 / R) Σ over relevant retrieved (1 − min(above, R) / min(J, R))"
BPREF_WHERE = "above: judged non-relevant documents above it; J: judged non-relevant in all. "
LEVELS = Parameter(ELEVEN, "the levels of recall, with commas between")
AVERAGE_PRECISION = Family("Average precision and its kin", (
    MeasureKind(
        "AP", average_precision, "The mean of precision at each relevant document, 0 where not retrieved.",
        BUCKLEY_2000, "threshold", parameters={"rel": REL}, cutoff=int,
        trec_eval="map", trec_eval_cut="map_cut", perfect=True, direction="higher",
        formula=AP_TEXT, where=NO_RELEVANT, judged_only=True,
    ),
    MeasureKind(
        "GMAP", average_precision, "AP, averaged over topics by the geometric mean: hard topics count more.",
        ROBERTSON, "threshold", parameters={"rel": REL}, trec_eval="gm_map", average="geometric",
        perfect=True, direction="higher",
        formula=AP_TEXT, where=f"{NO_RELEVANT} {GEOMETRIC}",
    ),
    MeasureKind(
        "bpref", bpref, "How rarely judged non-relevant documents stand above relevant ones.",
        BUCKLEY_2004, "threshold", parameters={"rel": REL}, trec_eval="bpref", perfect=True,
        direction="higher",
        formula=BPREF_TEXT, where=BPREF_WHERE + NO_RELEVANT,
    ),
    MeasureKind(
        "GMbpref", bpref, "bpref, averaged over topics by the geometric mean.",
        BUCKLEY_2004, "threshold", parameters={"rel": REL}, trec_eval="gm_bpref", average="geometric",
        perfect=True, direction="higher",
        formula=BPREF_TEXT, where=f"{BPREF_WHERE}{NO_RELEVANT} {GEOMETRIC}",
    ),
    MeasureKind(
        "infAP", inferred_ap, "AP estimated when only a sample of the pool was judged.",
        YILMAZ, "threshold", parameters={"rel": REL}, trec_eval="infAP", direction="higher",
        formula=(
            "infAP = (1 / R) Σ over relevant retrieved [1/k + ((k − 1)/k) (pooled/(k − 1)) (relevant + "
            "ε)/(judged + 2ε)]"
        ),
        where=f"Counted above rank k; ε = 0.00001. {NO_RELEVANT}",
    ),
    MeasureKind(
        "IPrec", interpolated_precision, "The highest precision at a recall level or beyond.",
        SALTON, "threshold", parameters={"rel": REL}, cutoff=float, needs_cutoff=True,
        trec_eval_cut="iprec_at_recall", perfect=True, direction="higher",
        formula="IPrec@r = max P(k) over ranks at which max(⌊r R + 0.9⌋, 1) relevant were found, or more",
        where=f"trec_eval 9's level; trec_eval 10 takes ⌊r R + 0.5⌋. {NO_RELEVANT}", judged_only=True,
    ),
    MeasureKind(
        "11ptAvg", eleven_point_average, "Interpolated precision, averaged over recall 0, 0.1, ... 1.",
        SALTON, "threshold", parameters={"levels": LEVELS, "rel": REL}, trec_eval="11pt_avg", perfect=True,
        direction="higher",
        formula="11ptAvg = (1 / 11) Σ IPrec@r over r = 0, 0.1, … 1", where=NO_RELEVANT,
    ),
    MeasureKind(
        "YAAP", yaap, "AP's log odds: yet another average precision.",
        "S. Robertson; " + NIST, "threshold", low=-inf, high=inf, parameters={"rel": REL}, trec_eval="yaap",
        missing="computed", direction="higher",
        formula="YAAP = ln((1 + s) / (1 + R − s)), s = Σ P(k) rel(k)",
    ),
))  # fmt: skip
