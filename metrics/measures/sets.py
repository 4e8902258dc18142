"""The retrieved documents as a set, whatever their order."""

from __future__ import annotations

from math import inf

import numpy as np

from metrics.formulas import NO_RELEVANT
from metrics.hits import Hits, ratio
from metrics.measure import NIST, RIJSBERGEN, Family, Kind
from metrics.parameters import REL, Parameter
from pooling.arrays import Vector

LEWIS = "D. D. Lewis. The TREC-4 Filtering Track. TREC-4, 1995"


def set_precision(hits: Hits, rel: int | None = None) -> Vector:
    """Relevant retrieved over retrieved (trec_eval `set_P`); 0 where nothing was retrieved."""
    return ratio(hits.relevant(rel).counts, hits.retrieved)


def set_recall(hits: Hits, rel: int | None = None) -> Vector:
    """Relevant retrieved over R (trec_eval `set_recall`); 0 where R is 0."""
    relevant = hits.relevant(rel)
    return ratio(relevant.counts, relevant.total)


def set_relative_precision(hits: Hits, rel: int | None = None) -> Vector:
    """Relevant retrieved over min(retrieved, R) (trec_eval `set_relative_P`)."""
    relevant = hits.relevant(rel)
    return ratio(relevant.counts, np.minimum(hits.retrieved, relevant.total))


def set_map(hits: Hits, rel: int | None = None) -> Vector:
    """Set precision times set recall (trec_eval `set_map`)."""
    relevant = hits.relevant(rel)
    return ratio(relevant.counts * relevant.counts, hits.retrieved * relevant.total)


def set_f(hits: Hits, beta: float = 1.0, rel: int | None = None) -> Vector:
    """(x + 1) P R / (x P + R), where `beta` is x (trec_eval `set_F`): the SQUARE of the textbook's beta."""
    precision, recall = set_precision(hits, rel), set_recall(hits, rel)
    return ratio((beta + 1.0) * precision * recall, recall + beta * precision)


def utility(
    hits: Hits,
    a: float = 1.0,
    b: float = -1.0,
    c: float = 0.0,
    d: float = 0.0,
    N: int = 0,
    rel: int | None = None,
) -> Vector:
    """a tp + b fp + c fn + d tn (trec_eval `utility`). N: documents in the collection, for tn.

    As in trec_eval N is 0 by default, so that d gives negative values without it.
    """
    relevant = hits.relevant(rel)
    found = relevant.counts
    negatives = N + found - hits.retrieved - relevant.total
    positives = a * found + b * (hits.retrieved - found)
    return np.asarray(positives + c * (relevant.total - found) + d * negatives)


SQUARED_BETA = Parameter(1.0, "the square of the weight of recall against precision")
WEIGHTS = {
    "a": Parameter(1.0, "the weight of each relevant document retrieved"),
    "b": Parameter(-1.0, "the weight of each other document retrieved"),
    "c": Parameter(0.0, "the weight of each relevant document missed"),
    "d": Parameter(0.0, "the weight of each other document not retrieved"),
    "N": Parameter(0, "documents in the collection"),
    "rel": REL,
}
RETRIEVED_SET = Family("The retrieved documents as a set", (
    Kind(
        "SetP", set_precision, "The share of the retrieved documents that is relevant.",
        RIJSBERGEN, "threshold", parameters={"rel": REL}, trec_eval="set_P", direction="higher",
        formula="SetP = tp / n", where="0 where nothing was retrieved.", judged_only=True,
    ),
    Kind(
        "SetR", set_recall, "The share of the relevant documents that was retrieved.",
        RIJSBERGEN, "threshold", parameters={"rel": REL}, trec_eval="set_recall", perfect=True,
        direction="higher",
        formula="SetR = tp / R", where=NO_RELEVANT,
    ),
    Kind(
        "SetRelP", set_relative_precision, "Relevant retrieved over the most that could have been.",
        NIST, "threshold", parameters={"rel": REL}, trec_eval="set_relative_P", perfect=True,
        direction="higher",
        formula="SetRelP = tp / min(n, R)", where=NO_RELEVANT, judged_only=True,
    ),
    Kind(
        "SetAP", set_map, "Set precision times set recall.", NIST, "threshold",
        parameters={"rel": REL}, trec_eval="set_map", direction="higher",
        formula="SetAP = (tp / n) (tp / R)", where=NO_RELEVANT, judged_only=True,
    ),
    Kind(
        "SetF", set_f, "The harmonic mean of set precision and recall; beta is the textbook's beta squared.",
        RIJSBERGEN, "threshold", parameters={"beta": SQUARED_BETA, "rel": REL}, trec_eval="set_F",
        direction="higher",
        formula="SetF = (β + 1) SetP SetR / (β SetP + SetR)",
        where="β here is the square of the textbook's β, as in trec_eval.", judged_only=True,
    ),
    Kind(
        "Utility", utility, "A sum of tp, fp, fn and tn, each with a weight.", LEWIS, "threshold",
        low=-inf, high=inf, trec_eval="utility", missing="labelled",
        parameters=WEIGHTS, direction="higher",
        formula="Utility = a tp + b fp + c fn + d tn",
    ),
))  # fmt: skip
