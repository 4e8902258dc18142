"""Precision, recall and related measures of the top of a ranking."""

from __future__ import annotations

import numpy as np

from metrics.engine.hits import Hits, ratio
from metrics.engine.qrels_index import QrelsIndex
from metrics.measures.base import IR_MEASURES, NIST, NO_RELEVANT, REL, RIJSBERGEN, Family, MeasureKind
from pooling.arrays import IntVector, Vector

BUCKLEY_2005 = (
    "C. Buckley and E. M. Voorhees. Retrieval System Evaluation. In TREC: Experiment and Evaluation, 2005"
)
KANTOR = "P. B. Kantor and E. M. Voorhees. The TREC-5 Confusion Track. Information Retrieval 2, 2000"


def precision(hits: Hits, cutoff: int, rel: int | None = None) -> Vector:
    """Relevant documents in the top k, over k even when fewer were retrieved (trec_eval `P`)."""
    return hits.relevant(rel).within(cutoff) / cutoff


def recall(hits: Hits, cutoff: int, rel: int | None = None) -> Vector:
    """Relevant documents in the top k over R (trec_eval `recall`); 0 where R is 0."""
    relevant = hits.relevant(rel)
    return ratio(relevant.within(cutoff), relevant.total)


def precision_at_ranks(index: QrelsIndex, grades: IntVector, level: int) -> Vector:
    """Precision of many rankings at once: see `MeasureKind.at_ranks`."""
    return np.asarray(np.count_nonzero(grades >= max(level, 0), axis=-1) / grades.shape[-1])


def recall_at_ranks(index: QrelsIndex, grades: IntVector, level: int) -> Vector:
    """Recall of many rankings at once: see `MeasureKind.at_ranks`."""
    level = max(level, 0)
    total = index.cached(("relevant", level), lambda: index.count(level))
    return ratio(np.count_nonzero(grades >= level, axis=-1), total)


def relative_precision(hits: Hits, cutoff: int, rel: int | None = None) -> Vector:
    """Relevant documents in the top k over the most that could be there, min(k, R) (`relative_P`)."""
    relevant = hits.relevant(rel)
    return ratio(relevant.within(cutoff), np.minimum(relevant.total, cutoff))


def success(hits: Hits, cutoff: int, rel: int | None = None) -> Vector:
    """1 where a relevant document stands in the top k (trec_eval `success`)."""
    return (hits.relevant(rel).within(cutoff) > 0).astype(np.float64)


def r_precision(hits: Hits, rel: int | None = None) -> Vector:
    """Precision at rank R (trec_eval `Rprec`); 0 where R is 0."""
    relevant = hits.relevant(rel)
    return ratio(relevant.within(relevant.total), relevant.total)


def r_precision_multiple(hits: Hits, cutoff: float, rel: int | None = None) -> Vector:
    """Precision at a multiple m of R, the rank being trunc(m R + 0.9) (`Rprec_mult`); 0 at rank 0."""
    relevant = hits.relevant(rel)
    rank: IntVector = (cutoff * relevant.total + 0.9).astype(np.int64)
    return ratio(relevant.within(rank), rank)


def reciprocal_rank(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """1 over the rank of the first relevant document (trec_eval `recip_rank`); 0 if none is in the top k."""
    relevant = hits.relevant(rel)
    if not len(relevant.rank):
        return np.zeros(hits.topics)
    first = relevant.rank[np.minimum(relevant.offsets[:-1], len(relevant.rank) - 1)]
    reached = (relevant.counts > 0) & (cutoff is None or first <= cutoff)
    return np.where(reached, 1.0 / first, 0.0)


def unjudged(hits: Hits, cutoff: int) -> Vector:
    """Documents in the top k without a grade of 0 or more, over k (trec_eval 10 `unj`)."""
    return (np.minimum(hits.retrieved, cutoff) - hits.judged.within(cutoff)) / cutoff


def judged(hits: Hits, cutoff: int | None = None) -> Vector:
    """The share of the top k that the qrels name, over min(k, retrieved), as ir_measures counts.

    Any line in the qrels counts, also one of negative grade: trec_eval's `unj` calls that unjudged, and
    divides by k, so the two do not add up to 1. 0 where nothing was retrieved.
    """
    counts = hits.all.counts if cutoff is None else hits.all.within(cutoff)
    return ratio(counts, hits.retrieved if cutoff is None else np.minimum(hits.retrieved, cutoff))


TOP_RANKS = Family("The top of the ranking", (
    MeasureKind(
        "P", precision, "The share of the top k that is relevant.", RIJSBERGEN, "threshold",
        parameters={"rel": REL}, cutoff=int, needs_cutoff=True, trec_eval_cut="P",
        at_ranks=precision_at_ranks, direction="higher",
        formula="P@k = (1 / k) Σ rel(i) over ranks i ≤ k",
        where="Divided by k even where fewer were retrieved.", judged_only=True,
    ),
    MeasureKind(
        "R", recall, "The share of the relevant documents that is in the top k.", RIJSBERGEN, "threshold",
        parameters={"rel": REL}, cutoff=int, needs_cutoff=True, trec_eval_cut="recall",
        at_ranks=recall_at_ranks, direction="higher",
        formula="R@k = (1 / R) Σ rel(i) over ranks i ≤ k", where=NO_RELEVANT, judged_only=True,
    ),
    MeasureKind(
        "RelP", relative_precision, "Precision at k over the best that is possible at k.",
        NIST, "threshold", parameters={"rel": REL}, cutoff=int, needs_cutoff=True,
        trec_eval_cut="relative_P", perfect=True, direction="higher",
        formula="RelP@k = Σ rel(i) over ranks i ≤ k / min(k, R)", where=NO_RELEVANT,
    ),
    MeasureKind(
        "Success", success, "Whether the top k holds a relevant document.", BUCKLEY_2005, "threshold",
        parameters={"rel": REL}, cutoff=int, needs_cutoff=True, trec_eval_cut="success", perfect=True,
        direction="higher",
        formula="Success@k = 1 if rel(i) = 1 at any rank i ≤ k, else 0", judged_only=True,
    ),
    MeasureKind(
        "Rprec", r_precision, "Precision at the rank that equals the number of relevant documents.",
        BUCKLEY_2005, "threshold", parameters={"rel": REL}, trec_eval="Rprec", perfect=True,
        direction="higher",
        formula="Rprec = P(R)", where=NO_RELEVANT, judged_only=True,
    ),
    MeasureKind(
        "RprecMult", r_precision_multiple, "Precision at a multiple of the number of relevant documents.",
        NIST, "threshold", parameters={"rel": REL}, cutoff=float, needs_cutoff=True,
        trec_eval_cut="Rprec_mult", direction="higher",
        formula="RprecMult@m = P(⌊m R + 0.9⌋)", where="0 where that rank is 0.",
    ),
    MeasureKind(
        "RR", reciprocal_rank, "One over the rank of the first relevant document.", KANTOR, "threshold",
        parameters={"rel": REL}, cutoff=int, trec_eval="recip_rank", perfect=True, direction="higher",
        formula="RR = 1 / (rank of the first relevant document)",
        where="0 where none is retrieved, or in the top k.", judged_only=True,
    ),
    MeasureKind(
        "Unjudged", unjudged, "The share of the top k that was not judged.", NIST, "neither",
        cutoff=int, needs_cutoff=True, trec_eval_cut="unj", direction="lower",
        formula="Unjudged@k = (1 / k) (documents in the top k without a grade)",
    ),
    MeasureKind(
        "Judged", judged, "The share of the top k that was judged.", IR_MEASURES, "neither", cutoff=int,
        direction="higher",
        formula="Judged@k = (judged documents in the top k) / min(k, n)",
        where="0 where nothing was retrieved.",
    ),
))  # fmt: skip
