"""The retrieved documents as a set, whatever their order: counts, precision, recall and F."""

from __future__ import annotations

from math import inf

import numpy as np

from metrics.engine.hits import Hits, ratio
from metrics.measures.base import (
    NIST,
    NO_RELEVANT,
    REL,
    RIJSBERGEN,
    Direction,
    Family,
    MeasureKind,
    Parameter,
)
from pooling.arrays import Vector


def number_of_topics(hits: Hits) -> Vector:
    """1 for every topic (trec_eval `num_q` is their sum)."""
    return np.ones(hits.topics)


def number_retrieved(hits: Hits) -> Vector:
    """How many documents the run has for each topic (trec_eval `num_ret`)."""
    return np.where(hits.in_run, hits.retrieved, 0).astype(np.float64)


def number_relevant(hits: Hits, rel: int | None = None) -> Vector:
    """R: how many documents were judged relevant (trec_eval `num_rel`)."""
    return hits.relevant(rel).total.astype(np.float64)


def number_relevant_retrieved(hits: Hits, rel: int | None = None) -> Vector:
    """How many of the retrieved documents are relevant (trec_eval `num_rel_ret`)."""
    return hits.relevant(rel).counts.astype(np.float64)


def number_nonrelevant_retrieved(hits: Hits, rel: int | None = None) -> Vector:
    """How many of the retrieved documents were judged and are not relevant (`num_nonrel_judged_ret`)."""
    return (hits.judged.counts - hits.relevant(rel).counts).astype(np.float64)


def _count(
    name: str,
    compute: object,
    meaning: str,
    trec_eval: str,
    takes_rel: bool,
    direction: Direction,
    formula: str,
) -> MeasureKind:
    return MeasureKind(
        name=name,
        compute=compute,  # type: ignore[arg-type]
        meaning=meaning,
        citation=NIST,
        uses="threshold" if takes_rel else "neither",
        high=inf,
        parameters={"rel": REL} if takes_rel else {},
        trec_eval=trec_eval,
        average="sum",
        direction=direction,
        formula=formula,
        where="Summed over topics.",
    )


COUNTS = Family("Counts", (
    _count(
        "NumQ",
        number_of_topics,
        "The number of topics.",
        "num_q",
        False,
        "neither",
        formula="NumQ = 1",
    ),
    _count(
        "NumRet",
        number_retrieved,
        "The number of documents retrieved.",
        "num_ret",
        False,
        "neither",
        formula="NumRet = n",
    ),
    _count(
        "NumRel",
        number_relevant,
        "The number of relevant documents in the qrels.",
        "num_rel",
        True,
        "neither",
        formula="NumRel = R",
    ),
    _count(
        "NumRelRet",
        number_relevant_retrieved,
        "The number of relevant documents retrieved.",
        "num_rel_ret",
        True,
        "higher",
        formula="NumRelRet = Σ rel(k)",
    ),
    _count(
        "NumNonRelRet",
        number_nonrelevant_retrieved,
        "The number of documents retrieved that were judged not relevant.",
        "num_nonrel_judged_ret",
        True,
        "lower",
        formula="NumNonRelRet = judged retrieved − Σ rel(k)",
    ),
))  # fmt: skip


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
    tp = relevant.counts
    negatives = N + tp - hits.retrieved - relevant.total
    positives = a * tp + b * (hits.retrieved - tp)
    return np.asarray(positives + c * (relevant.total - tp) + d * negatives)


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
    MeasureKind(
        "SetP", set_precision, "The share of the retrieved documents that is relevant.",
        RIJSBERGEN, "threshold", parameters={"rel": REL}, trec_eval="set_P", direction="higher",
        formula="SetP = tp / n", where="0 where nothing was retrieved.", judged_only=True,
    ),
    MeasureKind(
        "SetR", set_recall, "The share of the relevant documents that was retrieved.",
        RIJSBERGEN, "threshold", parameters={"rel": REL}, trec_eval="set_recall", perfect=True,
        direction="higher",
        formula="SetR = tp / R", where=NO_RELEVANT,
    ),
    MeasureKind(
        "SetRelP", set_relative_precision, "Relevant retrieved over the most that could have been.",
        NIST, "threshold", parameters={"rel": REL}, trec_eval="set_relative_P", perfect=True,
        direction="higher",
        formula="SetRelP = tp / min(n, R)", where=NO_RELEVANT, judged_only=True,
    ),
    MeasureKind(
        "SetAP", set_map, "Set precision times set recall.", NIST, "threshold",
        parameters={"rel": REL}, trec_eval="set_map", direction="higher",
        formula="SetAP = (tp / n) (tp / R)", where=NO_RELEVANT, judged_only=True,
    ),
    MeasureKind(
        "SetF", set_f, "The harmonic mean of set precision and recall; beta is the textbook's beta squared.",
        RIJSBERGEN, "threshold", parameters={"beta": SQUARED_BETA, "rel": REL}, trec_eval="set_F",
        direction="higher",
        formula="SetF = (β + 1) SetP SetR / (β SetP + SetR)",
        where="β here is the square of the textbook's β, as in trec_eval.", judged_only=True,
    ),
    MeasureKind(
        "Utility", utility, "A sum of tp, fp, fn and tn, each with a weight.", LEWIS, "threshold",
        low=-inf, high=inf, trec_eval="utility", missing="labelled",
        parameters=WEIGHTS, direction="higher",
        formula="Utility = a tp + b fp + c fn + d tn",
    ),
))  # fmt: skip
