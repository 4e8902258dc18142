"""AP and nDCG inferred from stratified samples of the pool (sample_eval.pl of TREC): xinfAP and infNDCG.

Judgments are prels (`pooling.formats.qrels`): every pooled document with its stratum; sampled documents have
a grade of 0 or more, the others a negative one. The estimates use the sample of each stratum and weight
strata by their size. As in sample_eval.pl, only the first 1,000 ranks count.
"""

from __future__ import annotations

from math import inf

import numpy as np

from metrics.engine.hits import Hits, discount, ratio
from metrics.engine.qrels_index import QrelsIndex
from metrics.engine.segments import Segments
from metrics.measures.base import REL, BadMeasure, Family, MeasureKind
from pooling.arrays import Flags, IntVector, Vector

YILMAZ = "E. Yilmaz et al. A Simple and Efficient Sampling Method for Estimating AP and NDCG. SIGIR 2008"
RANKS = 1000
RELEVANT, SAMPLED = (
    1e-5,
    3e-5,
)  # the smoothing of sample_eval.pl; trec_eval's infAP has 2e-5 in the denominator


class Strata:
    """The strata of every topic, numbered over all topics.

    topic, size, sampled, place (in its topic, from 0): of each stratum, shape (strata,). of_document: of each
    row of the qrels.
    """

    def __init__(self, index: QrelsIndex) -> None:
        if index.qrels.strata is None:
            raise BadMeasure("expected sampled judgments of five columns (topic 0 docno stratum grade)")
        labels, label = np.unique(index.qrels.strata, return_inverse=True)
        topic = index.codes_of(index.qrels.topics)[index.qrels.topic_of_rows()]
        known, self.of_document = np.unique(topic * len(labels) + label, return_inverse=True)
        self.topic: IntVector = known // len(labels)
        self.place = Segments(self.topic, len(index.topics)).position - 1
        self.size: IntVector = np.bincount(self.of_document)
        self.grades = index.qrels.grades
        self.sampled = self.count(self.grades >= 0)

    def count(self, documents: Flags) -> IntVector:
        """Return the number of flagged documents in each stratum."""
        return np.bincount(self.of_document[documents], minlength=len(self.topic))

    def estimate(self, documents: Flags) -> Vector:
        """Return the number of such documents in each stratum, estimated from its sample."""
        return ratio(self.count(documents & (self.grades >= 0)) * self.size, self.sampled)


def strata_and_hits(hits: Hits) -> tuple[Strata, Hits, IntVector]:
    """Return the strata, the hits in the top 1,000, and the stratum of each of these."""
    strata = hits.index.cached("strata", lambda: Strata(hits.index))
    seen = hits.limited(RANKS)
    return strata, seen, strata.of_document[seen.documents]


def precision_above(hits: Hits, stratum: IntVector, relevant: Flags) -> Vector:
    """Return the estimated precision at each relevant hit, shape (relevant hits,).

    place: of each hit's stratum. 1/k + (d/k) sum over strata of (d_s/d) (rel_s + 1e-5) / (sampled_s + 3e-5),
    counted above rank k; d: pooled. The loop is over strata, because a topic has few; each step treats the
    stratum of one number in all topics.
    """
    above = np.zeros(int(relevant.sum()))
    for number in range(int(stratum.max(initial=-1)) + 1):
        here = stratum == number
        pooled, relevant_pooled, sampled = (
            hits.all.count_before(flags)[relevant]
            for flags in (here, here & relevant, here & (hits.grade >= 0))
        )
        above += pooled * (relevant_pooled + RELEVANT) / (sampled + SAMPLED)
    return (1.0 + above) / hits.rank[relevant]


def inferred_ap(hits: Hits, rel: int | None = None) -> Vector:
    """xinfAP: mean estimated precision at relevant documents, strata weighted by their relevant documents.

    With one stratum that is sampled completely, it is AP except for the smoothing. 0 if nothing is relevant.
    """
    strata, seen, stratum = strata_and_hits(hits)
    level = max(hits.level(rel), 0)
    relevant = seen.grade >= level
    precision = precision_above(seen, strata.place[stratum], relevant)
    sums = np.bincount(stratum[relevant], weights=precision, minlength=len(strata.topic))
    estimate = strata.estimate(strata.grades >= level)
    terms = estimate * ratio(sums, strata.count(strata.grades >= level))
    return ratio(_by_topic(hits, strata, terms), _by_topic(hits, strata, estimate))


def inferred_ndcg(hits: Hits) -> Vector:
    """infNDCG: estimated DCG divided by the DCG of an ideal ranking with the estimated number of each grade.

    The estimates are rounded to whole documents, and the ideal ranking ends at rank 1,000. (At that rank,
    sample_eval.pl still adds one term for each lower grade.)
    """
    strata, seen, stratum = strata_and_hits(hits)
    gained = seen.grade > 0
    gain = seen.grade[gained] / discount(seen.rank[gained])
    sums = np.bincount(stratum[gained], weights=gain, minlength=len(strata.topic))
    pooled = np.bincount(stratum, minlength=len(strata.topic))
    sampled = np.bincount(stratum[seen.grade >= 0], minlength=len(strata.topic))
    best = hits.index.cached("inferred ideal", lambda: _ideal_dcg(hits, strata))
    return ratio(_by_topic(hits, strata, ratio(pooled * sums, sampled)), best)


def _ideal_dcg(hits: Hits, strata: Strata) -> Vector:
    upto = np.concatenate([[0.0], np.cumsum(1.0 / discount(np.arange(1, RANKS + 1)))])
    start = np.zeros(hits.topics, dtype=np.int64)
    dcg = np.zeros(hits.topics)
    for grade in np.unique(strata.grades[strata.grades > 0])[::-1].tolist():
        estimate = _by_topic(hits, strata, strata.estimate(strata.grades == grade))
        end = start + np.floor(estimate + 0.5).astype(np.int64)
        dcg += grade * (upto[np.minimum(end, RANKS)] - upto[np.minimum(start, RANKS)])
        start = end
    return dcg


def _by_topic(hits: Hits, strata: Strata, values: Vector) -> Vector:
    return np.bincount(strata.topic, weights=values, minlength=hits.topics).astype(np.float64, copy=False)


FROM_SAMPLES = Family("Estimates from samples", (
    MeasureKind(
        "xinfAP", inferred_ap, "AP estimated from a stratified sample of the pool.", YILMAZ, "threshold",
        high=inf, parameters={"rel": REL}, needs="strata", direction="higher",
        formula=(
            "xinfAP = Σ over strata ê(s) · mean over relevant retrieved of P̂(k) / Σ ê(s), P̂(k) = (1/k) (1"
            " + Σ over strata d(s) (rel + 0.00001)/(sampled + 0.00003))"
        ),
        where="ê(s): estimated relevant in the stratum; d, rel, sampled: counted above rank k.",
    ),
    MeasureKind(
        "infNDCG", inferred_ndcg, "nDCG estimated from a stratified sample of the pool.", YILMAZ, "grades",
        high=inf, needs="strata", direction="higher",
        formula="infNDCG = Σ over strata (pooled/sampled) Σ g(k) / D(k) / estimated IdealDCG",
        where="D(k) = log₂(k + 1). Only the first 1,000 ranks count.",
    ),
))  # fmt: skip
