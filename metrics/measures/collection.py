"""Retrieval as a decision on every document of the collection: accuracy, fallout, ROC and micro averages.

A retrieved document is decided to be relevant, any other one non-relevant; an unjudged document counts as
non-relevant. Most of these measures need the size of the collection: as `N`, or else as a setting
(`collection`). With a cut-off the retrieved documents are the top k.

tp, fp, fn, tn: the counts of documents retrieved and relevant, retrieved and not relevant, relevant and not
retrieved, and all others, which are the confusion matrix of a topic (`metrics.engine.confusion`).

Names: ir_measures' `Accuracy` is the AUC over retrieved documents and has that name here too; the textbooks'
accuracy is `SetAccuracy`, beside ir_measures' SetP and SetR. Macro averages are the usual means over topics;
micro averages are the measures that begin with Micro.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from metrics.engine.hits import Hits, ratio
from metrics.measures.base import (
    BETA,
    COLLECTION,
    IR_MEASURES,
    REL,
    RIJSBERGEN,
    BadMeasure,
    Direction,
    Family,
    MeasureKind,
    Parameter,
)
from pooling.arrays import IntVector, Vector

MANNING = "C. D. Manning, P. Raghavan and H. Schutze. Introduction to Information Retrieval. Cambridge, 2008"
FAWCETT = "T. Fawcett. An Introduction to ROC Analysis. Pattern Recognition Letters 27, 2006"


@dataclass(frozen=True, eq=False)
class Decisions:
    """tp, fp, fn of every topic, int64 of shape (topics,)."""

    tp: IntVector
    fp: IntVector
    fn: IntVector


def decisions(hits: Hits, cutoff: int | None, rel: int | None) -> Decisions:
    """Return what was rightly and wrongly retrieved and missed."""
    relevant = hits.relevant(rel)
    # in profile trec_eval-10 a topic that the run lacks has one document, which is nobody's
    retrieved = np.where(hits.in_run, hits.retrieved, 0)
    tp = relevant.counts if cutoff is None else relevant.within(cutoff)
    fp = (retrieved if cutoff is None else np.minimum(retrieved, cutoff)) - tp
    return Decisions(tp, fp, relevant.total - tp)


def collection_size(hits: Hits, N: int | None, rel: int | None) -> int:
    """Return N: the measure's own, or else the setting's.

    Raises BadMeasure when neither is known, or when some topic has more retrieved or relevant documents.
    """
    size = hits.setting.collection if N is None else N
    if size is None:
        raise BadMeasure("expected the number of documents in the collection, as in Fallout(N=100000)")
    counts = decisions(hits, None, rel)
    most = int((counts.tp + counts.fp + counts.fn).max(initial=0))
    if size < most:
        raise BadMeasure(f"expected a collection of at least {most} documents, found N={size}")
    return size


def true_positives(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """tp: retrieved and relevant."""
    return decisions(hits, cutoff, rel).tp.astype(np.float64)


def false_positives(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """fp: retrieved and not relevant."""
    return decisions(hits, cutoff, rel).fp.astype(np.float64)


def false_negatives(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """fn: relevant and not retrieved."""
    return decisions(hits, cutoff, rel).fn.astype(np.float64)


def true_negatives(
    hits: Hits, cutoff: int | None = None, rel: int | None = None, N: int | None = None
) -> Vector:
    """tn: neither retrieved nor relevant."""
    counts, size = decisions(hits, cutoff, rel), collection_size(hits, N, rel)
    return (size - counts.tp - counts.fp - counts.fn).astype(np.float64)


def set_accuracy(
    hits: Hits, cutoff: int | None = None, rel: int | None = None, N: int | None = None
) -> Vector:
    """(tp + tn) / N."""
    counts, size = decisions(hits, cutoff, rel), collection_size(hits, N, rel)
    return (size - counts.fp - counts.fn) / size


def set_error(hits: Hits, cutoff: int | None = None, rel: int | None = None, N: int | None = None) -> Vector:
    """(fp + fn) / N."""
    counts, size = decisions(hits, cutoff, rel), collection_size(hits, N, rel)
    return (counts.fp + counts.fn) / size


def fallout(hits: Hits, cutoff: int | None = None, rel: int | None = None, N: int | None = None) -> Vector:
    """fp / (N - R): the share of the non-relevant documents that was retrieved; 0 where all are relevant."""
    counts, size = decisions(hits, cutoff, rel), collection_size(hits, N, rel)
    return ratio(counts.fp, size - counts.tp - counts.fn)


def specificity(
    hits: Hits, cutoff: int | None = None, rel: int | None = None, N: int | None = None
) -> Vector:
    """1 - fallout."""
    return 1.0 - fallout(hits, cutoff, rel, N)


def roc_points(hits: Hits, rel: int | None = None, N: int | None = None) -> list[tuple[Vector, Vector]]:
    """Return each topic's ROC curve: fallout and recall after 0, 1, ... n documents, and at last (1, 1).

    What was not retrieved follows in an unknown order, so the last piece is straight. A topic without
    relevant, or without non-relevant, documents has no curve: two empty arrays.
    """
    size, relevant = collection_size(hits, N, rel), hits.relevant(rel)
    curves = []
    for topic in range(hits.topics):
        total, depth = int(relevant.total[topic]), int(hits.retrieved[topic]) if hits.in_run[topic] else 0
        if total in (0, size):
            curves.append((np.empty(0), np.empty(0)))
            continue
        steps = np.zeros(depth + 1)
        steps[relevant.rank[relevant.offsets[topic] : relevant.offsets[topic + 1]]] = 1.0
        relevant_counts = np.cumsum(steps)
        wrong = np.arange(depth + 1) - relevant_counts
        curves.append((np.append(wrong / (size - total), 1.0), np.append(relevant_counts / total, 1.0)))
    return curves


def area_under_roc(hits: Hits, rel: int | None = None, N: int | None = None, tail: str = "random") -> Vector:
    """The area under the ROC curve of the whole collection; 0 where no or all documents are relevant.

    tail: what is assumed of the documents that were not retrieved: "random" order (the straight last piece),
    or "worst", the relevant ones last.
    """
    relevant, counts = hits.relevant(rel), decisions(hits, None, rel)
    rest = collection_size(hits, N, rel) - relevant.total
    retrieved = counts.tp + counts.fp
    # of each relevant hit, the non-relevant ones retrieved below it
    below = (retrieved - counts.tp)[relevant.topic] - (relevant.rank - relevant.position)
    pairs = relevant.sum(below.astype(np.float64))
    tied = counts.fn / 2.0 if tail == "random" else np.zeros(hits.topics)
    return ratio(pairs + (rest - counts.fp) * (counts.tp + tied), relevant.total * rest)


def pairwise_accuracy(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """The share of pairs of a relevant and a non-relevant retrieved document that stand in that order.

    ir_measures' Accuracy: the AUC over the top k. 0 where it holds no relevant document (ir_measures leaves
    such topics out), 1 where it holds nothing else (ir_measures fails).
    """
    relevant, counts = hits.relevant(rel), decisions(hits, cutoff, rel)
    within_cutoff = relevant.rank <= (cutoff or inf)
    above = np.where(within_cutoff, relevant.rank - relevant.position, 0).astype(np.float64)
    wrong = ratio(relevant.sum(above), counts.fp * counts.tp)
    return np.where(counts.tp > 0, 1.0 - wrong, 0.0)


def micro_precision_parts(
    hits: Hits, cutoff: int | None = None, rel: int | None = None
) -> tuple[Vector, Vector]:
    """Return tp and tp + fp."""
    counts = decisions(hits, cutoff, rel)
    return counts.tp.astype(np.float64), (counts.tp + counts.fp).astype(np.float64)


def micro_recall_parts(
    hits: Hits, cutoff: int | None = None, rel: int | None = None
) -> tuple[Vector, Vector]:
    """Return tp and tp + fn."""
    counts = decisions(hits, cutoff, rel)
    return counts.tp.astype(np.float64), (counts.tp + counts.fn).astype(np.float64)


def f_parts(
    hits: Hits, cutoff: int | None = None, rel: int | None = None, beta: float = 1.0
) -> tuple[Vector, Vector]:
    """Return (1 + beta^2) tp and (1 + beta^2) tp + beta^2 fn + fp, whose ratio is F_beta."""
    counts, square = decisions(hits, cutoff, rel), beta * beta
    part: Vector = (1.0 + square) * counts.tp.astype(np.float64)
    return part, part + square * counts.fn + counts.fp


def micro_precision(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """tp / (tp + fp): of a topic, set precision; over topics, of the summed counts."""
    return ratio(*micro_precision_parts(hits, cutoff, rel))


def micro_recall(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """tp / (tp + fn): of a topic, set recall; over topics, of the summed counts."""
    return ratio(*micro_recall_parts(hits, cutoff, rel))


def f_beta(hits: Hits, cutoff: int | None = None, rel: int | None = None, beta: float = 1.0) -> Vector:
    """F_beta = (beta^2 + 1) P R / (beta^2 P + R) of the retrieved set, or of the top k.

    Here beta is beta: below 1 favours precision, above 1 recall. (ir_measures' SetF, trec_eval's set_F take
    its square.) With a cut-off, precision divides by the documents there are: min(k, retrieved).
    """
    return ratio(*f_parts(hits, cutoff, rel, beta))


def dice(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """2 |X and Y| / (|X| + |Y|) of the retrieved and the relevant documents, which is their F1."""
    return ratio(*f_parts(hits, cutoff, rel))


WITH_SIZE = {"rel": REL, "N": COLLECTION}
TAIL = Parameter("random", "the order of documents that were not retrieved", choices=("random", "worst"))

MICRO = "Over topics: the sums of the counts, not the mean of the values."


def _count(
    name: str,
    compute: Callable[..., Vector],
    meaning: str,
    parameters: dict[str, Parameter],
    direction: Direction,
    formula: str,
) -> MeasureKind:
    return MeasureKind(
        name, compute, meaning, MANNING, "threshold", high=inf, cutoff=int, average="sum", missing="always",
        parameters=parameters, direction=direction, formula=formula, where="Of the top k with a cut-off.",
    )  # fmt: skip


COLLECTION_DECISIONS = Family("Decisions on the whole collection", (
    _count("TP", true_positives, "How many documents are retrieved and relevant.", {"rel": REL}, "higher",
        formula="TP = tp",
    ),
    _count("FP", false_positives, "How many documents are retrieved and not relevant.", {"rel": REL}, "lower",
        formula="FP = fp",
    ),
    _count("FN", false_negatives, "How many documents are relevant and not retrieved.", {"rel": REL}, "lower",
        formula="FN = fn",
    ),
    _count(
        "TN", true_negatives, "How many documents are neither retrieved nor relevant.", WITH_SIZE, "higher",
        formula="TN = N − tp − fp − fn",
    ),
    MeasureKind(
        "SetAccuracy", set_accuracy, "The share of the collection that was decided rightly: (tp + tn) / N.",
        MANNING, "threshold", cutoff=int, parameters=WITH_SIZE, missing="always", direction="higher",
        formula="SetAccuracy = (tp + tn) / N",
    ),
    MeasureKind(
        "SetError", set_error, "The share of the collection that was decided wrongly: (fp + fn) / N.",
        MANNING, "threshold", cutoff=int, parameters=WITH_SIZE, missing="always", direction="lower",
        formula="SetError = (fp + fn) / N",
    ),
    MeasureKind(
        "Fallout", fallout, "The share of the collection's non-relevant documents that was retrieved.",
        RIJSBERGEN, "threshold", cutoff=int, parameters=WITH_SIZE, missing="always",
        direction="lower",
        formula="Fallout = fp / (fp + tn)", where="0 where every document is relevant.",
    ),
    MeasureKind(
        "Specificity", specificity, "The share of the collection's non-relevant documents left out.",
        MANNING, "threshold", cutoff=int, parameters=WITH_SIZE, missing="always", direction="higher",
        formula="Specificity = tn / (fp + tn) = 1 − Fallout",
    ),
    MeasureKind(
        "AUC", area_under_roc, "The area under the ROC curve over the whole collection.",
        FAWCETT, "threshold",
        parameters={**WITH_SIZE, "tail": TAIL},
        missing="always", direction="higher",
        formula="AUC = pairs (relevant, non-relevant) in the right order / (R (N − R))",
        where=(
            "A pair of two documents that were not retrieved counts 1/2 (tail = random) or 0 (tail = "
            "worst)."
        ),
    ),
    MeasureKind(
        "Accuracy", pairwise_accuracy, "The area under the ROC curve over the retrieved documents.",
        IR_MEASURES, "threshold", cutoff=int, parameters={"rel": REL}, direction="higher",
        formula="Accuracy = pairs (relevant, non-relevant) of the retrieved in the right order / (tp · fp)",
        where="0 where nothing relevant was retrieved, 1 where nothing else was.",
    ),
    MeasureKind(
        "MicroP", micro_precision, "Precision of the summed counts of all topics.", MANNING, "threshold",
        cutoff=int, parameters={"rel": REL}, parts=micro_precision_parts, direction="higher",
        formula="MicroP = Σ tp / Σ (tp + fp)", where=MICRO,
    ),
    MeasureKind(
        "MicroR", micro_recall, "Recall of the summed counts of all topics.", MANNING, "threshold",
        cutoff=int, parameters={"rel": REL}, parts=micro_recall_parts, direction="higher",
        formula="MicroR = Σ tp / Σ (tp + fn)", where=MICRO,
    ),
    MeasureKind(
        "MicroF", f_beta, "F_beta of the summed counts of all topics.", MANNING, "threshold",
        cutoff=int, parameters={"rel": REL, "beta": BETA}, parts=f_parts, direction="higher",
        formula="MicroF = Σ (1 + β²) tp / Σ ((1 + β²) tp + β² fn + fp)", where=MICRO,
    ),
    MeasureKind(
        "FBeta", f_beta, "The weighted harmonic mean of precision and recall; beta is beta.", RIJSBERGEN,
        "threshold", cutoff=int, parameters={"rel": REL, "beta": BETA}, direction="higher",
        formula="F = (β² + 1) P R / (β² P + R) = (1 + β²) tp / ((1 + β²) tp + β² fn + fp)",
    ),
    MeasureKind(
        "Dice", dice, "Twice the common documents over the sum of both sets: F1 of the two.", RIJSBERGEN,
        "threshold", cutoff=int, parameters={"rel": REL}, direction="higher",
        formula="Dice = 2 |retrieved ∩ relevant| / (|retrieved| + |relevant|) = 2 tp / (2 tp + fp + fn)",
    ),
))  # fmt: skip
