"""Discounted cumulated gain as trec_eval knows it: better grades count more, lower ranks count less.

(The kinds nDCG and DCG, which know other forms too, are in `metrics.measures.cumulated`.)

Every function takes `gains`, a text such as "1=3,2=9" that gives grades another gain. Grades that it does
not name keep their number as gain. "-1" stands for documents that nobody pooled, "-2" for pooled ones
without a judgment. The ideal ranking never holds a negative gain.
"""

from __future__ import annotations

import math
from functools import lru_cache
from math import inf

import numpy as np

from metrics.formulas import NO_GAIN, NO_RELEVANT
from metrics.hits import Hits, Ranked, discount, log2, ratio
from metrics.index import QrelsIndex
from metrics.measure import JARVELIN, NIST, BadMeasure, Family, Kind
from metrics.parameters import GAINS, PERSISTENCE, REL, Parameter
from metrics.segments import Segments
from pooling.arrays import IntVector, Vector

SAKAI = "T. Sakai. The Reliability of Metrics Based on Graded Relevance. AIRS 2005"
AHLGREN = (
    "P. Ahlgren and L. Gronqvist. Retrieval Evaluation with Incomplete Relevance Data. SIGIR 2006 workshop"
)


@lru_cache
def gain_of_grade(gains: str) -> dict[int, float]:
    """Return grade -> gain. Raises BadMeasure when the text is not `grade=gain` pairs."""
    found = {}
    for pair in gains.split(",") if gains else ():
        grade, equals, gain = pair.partition("=")
        try:
            found[int(grade)] = float(gain)
        except ValueError:
            equals = ""
        if not equals or not math.isfinite(float(gain)):
            raise BadMeasure(f"expected gains as in '1=3,2=9', found {pair!r}")
    return found


def gains_of(grades: IntVector, gains: str) -> Vector:
    """Return the gain of each grade."""
    found = np.maximum(grades, 0).astype(np.float64)
    for grade, gain in gain_of_grade(gains).items():
        found[grades == grade] = gain
    return found


class Ideal(Ranked):
    """Every judged document of positive gain, by gain descending, however few were retrieved.

    gain: shape (documents,). dcg: the DCG up to each of them. retrieved documents of every run are compared
    with it.
    """

    def __init__(self, index: QrelsIndex, gains: str) -> None:
        judged = index.grades >= 0
        gain, topic = gains_of(index.grades[judged], gains), index.topic_of_grades[judged]
        positive = gain > 0
        gain, topic = gain[positive], topic[positive]
        order = np.lexsort((-gain, topic))
        self.gain = gain[order]
        places = Segments(topic[order], len(index.topics))
        super().__init__(places.topic, places.position, len(index.topics))
        self.dcg = self.running(self.gain / discount(self.rank))

    def place(self, topic: IntVector, rank: IntVector) -> IntVector:
        """Return where the ideal document of a rank stands, the last one for ranks beyond the ideal."""
        found: IntVector = self.offsets[topic] + np.minimum(rank, self.counts[topic]) - 1
        return found


def ideal(index: QrelsIndex, gains: str = "") -> Ideal:
    """Return the ideal ranking of the qrels, made once."""
    return index.keep(("ideal", gains), lambda: Ideal(index, gains))


class Gained(Ranked):
    """The retrieved documents whose gain is not 0. gain, dcg (up to each of them): shape (documents,)."""

    def __init__(self, hits: Hits, gains: str) -> None:
        seen = hits.everything if min(gain_of_grade(gains), default=0) < 0 else hits
        gain = gains_of(seen.grade, gains)
        chosen = np.flatnonzero(gain)
        super().__init__(seen.topic[chosen], seen.rank[chosen], hits.topics)
        self.gain = gain[chosen]
        self.dcg = self.running(self.gain / discount(self.rank))


def gained(hits: Hits, gains: str = "") -> Gained:
    """Return the documents that bring a gain, computed once per run."""
    return hits.keep(("gained", gains), lambda: Gained(hits, gains))


def dcg(hits: Hits, cutoff: int | None = None, gains: str = "") -> Vector:
    """The sum of gain / log2(rank + 1) (trec_eval 10 `dcg`)."""
    found = gained(hits, gains)
    return found.after(found.dcg, found.counts if cutoff is None else found.within(cutoff))


def ideal_dcg(hits: Hits, cutoff: int | None = None, gains: str = "") -> Vector:
    """The DCG of the best possible ranking (trec_eval 10 `ideal_dcg`)."""
    return ideal_dcg_of(hits.index, cutoff, gains)


def ideal_dcg_of(index: QrelsIndex, cutoff: int | None, gains: str = "") -> Vector:
    """Return the DCG of the best possible ranking of each topic."""
    best = ideal(index, gains)
    return best.after(best.dcg, best.counts if cutoff is None else best.within(cutoff))


def ndcg(hits: Hits, cutoff: int | None = None, gains: str = "") -> Vector:
    """DCG over the ideal DCG, discount log2(rank + 1) (trec_eval `ndcg`, `ndcg_cut`).

    Without a cut-off the ideal is not cut at the number of documents retrieved. 0 where no gain is positive.
    """
    return ratio(dcg(hits, cutoff, gains), ideal_dcg(hits, cutoff, gains))


def ndcg_at_ranks(index: QrelsIndex, grades: IntVector, level: int) -> Vector:
    """nDCG of many rankings at once, see `Kind`: added up rank by rank, as `ndcg` does, to the last bit."""
    cutoff = grades.shape[-1]
    gain = np.maximum(grades, 0) / discount(np.arange(1, cutoff + 1))
    return ratio(np.cumsum(gain, axis=-1)[..., -1], ideal_dcg_of(index, cutoff))


def ndcg_at_relevant(hits: Hits, gains: str = "") -> Vector:
    """nDCG averaged over the ranks of the documents of positive gain (trec_eval `ndcg_rel`).

    Those that were not retrieved count with the nDCG of the whole ranking.
    """
    found, best = gained(hits, gains), ideal(hits.index, gains)
    if not len(best.rank):
        return np.zeros(hits.topics)
    comparable = (found.gain > 0) & (best.counts[found.topic] > 0)
    terms = ratio(found.dcg, best.dcg[best.place(found.topic, found.rank)])
    retrieved = np.bincount(found.topic[comparable], minlength=hits.topics)
    rest = ratio((best.counts - retrieved) * dcg(hits, None, gains), ideal_dcg(hits, None, gains))
    total = found.sum(np.where(comparable, terms, 0.0)) + rest
    return ratio(np.maximum(total, 0.0), best.counts)


def ndcg_at_levels(hits: Hits, gains: str = "") -> Vector:
    """nDCG averaged over the ranks where the ideal gain falls (trec_eval `Rndcg`): R-precision for grades.

    One more term, the whole ranking's nDCG, is averaged in where more than T + 1 documents were retrieved, T
    being the documents of positive gain. 0 where no document reaches the threshold.
    """
    found, best = gained(hits, gains), ideal(hits.index, gains)
    if not len(best.rank):
        return np.zeros(hits.topics)
    same_topic = np.append(best.topic[1:] == best.topic[:-1], False)
    same_gain = np.append(best.gain[1:] == best.gain[:-1], False)
    breaks = np.flatnonzero(~(same_topic & same_gain))
    topic, rank = best.topic[breaks], best.rank[breaks]
    counts = found.within_each(topic, np.minimum(rank, hits.retrieved[topic]))
    places = np.maximum(found.offsets[topic] + counts - 1, 0)
    reached = np.where(counts > 0, found.dcg[places] if len(found.dcg) else 0.0, 0.0)
    total = np.bincount(topic, weights=reached / best.dcg[breaks], minlength=hits.topics)
    terms = np.bincount(topic, minlength=hits.topics)
    longer = hits.retrieved > best.counts + 1
    total = np.where(longer, total + ndcg(hits, None, gains), total)
    return np.where(hits.relevant().total > 0, ratio(total, terms + longer), 0.0)


def g_measure(hits: Hits, gains: str = "") -> Vector:
    """Gain, discounted by how much cost exceeds it (trec_eval `G`).

    sum of gain / log2(2 + C - S) over the ideal's gain; S: gain so far; C: cost so far, a rank costing the
    ideal gain there, at least 1. 0 where no gain is positive.
    """
    found, best = gained(hits, gains), ideal(hits.index, gains)
    if not len(best.rank):
        return np.zeros(hits.topics)
    costs = best.running(np.maximum(best.gain, 1.0))
    within = best.counts[found.topic]
    cost = np.where(within > 0, costs[best.place(found.topic, found.rank)], 0.0)
    cost += np.maximum(found.rank - within, 0)
    terms = found.gain / log2(2.0 + cost - found.running(found.gain))
    return ratio(found.sum(terms), best.sum(best.gain))


def binary_g(hits: Hits, rel: int | None = None) -> Vector:
    """G with relevance of 0 and 1 (trec_eval `binG`): the mean of 1 / log2(2 + non-relevant above)."""
    relevant = hits.relevant(rel)
    return ratio(relevant.sum(1.0 / discount(relevant.rank - relevant.position + 1)), relevant.total)


def rank_biased(hits: Hits, p: float = 0.9, gains: str = "") -> Vector:
    """(1 - p) sum of gain / highest p^(rank - 1), highest: the topic's highest gain if above 1 (`rbp`).

    This is what trec_eval 10 means to compute; its binary reads variables that it never set.
    """
    found, best = gained(hits, gains), ideal(hits.index, gains)
    first = np.minimum(best.offsets[:-1], max(len(best.gain) - 1, 0))
    highest = np.where(best.counts > 0, best.gain[first], 1.0) if len(best.gain) else np.ones(hits.topics)
    scaled = found.gain / np.maximum(highest, 1.0)[found.topic]
    return (1.0 - p) * found.sum(scaled * persistence(p, found.rank - 1))


def rank_biased_residual(hits: Hits, p: float = 0.9, tail: bool = False) -> Vector:
    """How much RBP could still grow if everything not judged were relevant (trec_eval 10 `rbp_resid`).

    p^n + (1 - p) sum over unjudged of p^(rank - 1). trec_eval gives 0 where everything retrieved was judged;
    with `tail` the p^n of what was not retrieved is kept there too.
    """
    judged = hits.judged
    known = judged.sum(persistence(p, judged.rank - 1))
    unknown = (1.0 - persistence(p, hits.retrieved)) / (1.0 - p) - known
    residual = persistence(p, hits.retrieved) + (1.0 - p) * unknown
    return np.where((judged.counts < hits.retrieved) | tail, residual, 0.0)


def persistence(p: float, power: IntVector) -> Vector:
    """Return p ** power by repeated multiplication, as a C loop over ranks does."""
    if not 0 < p < 1:
        raise BadMeasure(f"expected a persistence p between 0 and 1, found {p}")
    steps = np.full(int(power.max(initial=0)) + 1, p, dtype=np.float64)
    steps[0] = 1.0
    powers: Vector = np.cumprod(steps, dtype=np.float64)
    return powers[power]


PERSISTENCE_OF_TREC = Parameter(0.9, PERSISTENCE.meaning)  # trec_eval sets no limits
TAIL = Parameter(False, "whether what would come after the ranking counts as unjudged")
TREC_EVAL_GAIN = Family("Cumulated gain, as trec_eval knows it", (
    Kind(
        "IdealDCG", ideal_dcg, "The DCG of the best possible ranking.",
        JARVELIN, "grades", high=inf, parameters={"gains": GAINS}, cutoff=int, trec_eval="ideal_dcg",
        direction="neither",
        formula="IdealDCG@k = Σ g*(i) / log₂(i + 1)",
        where="g*: the grades of all judged documents, best first.",
    ),
    Kind(
        "nDCGrel", ndcg_at_relevant, "nDCG, averaged over the ranks of the relevant documents.",
        NIST, "grades", parameters={"gains": GAINS}, trec_eval="ndcg_rel", perfect=True, direction="higher",
        formula="nDCGrel = mean over documents of positive grade of nDCG at their rank",
        where="Those not retrieved count with nDCG of the whole ranking.",
    ),
    Kind(
        "Rndcg", ndcg_at_levels, "nDCG, averaged over the ranks where the ideal gain falls.",
        NIST, "grades", parameters={"gains": GAINS}, trec_eval="Rndcg", perfect=True, direction="higher",
        formula="Rndcg = mean of nDCG at the ranks where the ideal ranking's grade falls",
        where="With one more term, nDCG of the whole ranking, where more than one document too many came.",
    ),
    Kind(
        "G", g_measure, "Gain, discounted by how much the cost of reading exceeds it.",
        NIST + "; compare " + SAKAI, "grades", parameters={"gains": GAINS}, trec_eval="G", perfect=True,
        direction="higher",
        formula="G = Σ g(k) / log₂(2 + C(k) − S(k)) / Σ g*(i)",
        where="S(k): grades summed to rank k; C(k): the ideal's, at least 1 a rank. " + NO_GAIN,
    ),
    Kind(
        "binG", binary_g, "The mean over relevant documents of 1 / log2(2 + non-relevant above).",
        NIST + "; compare " + AHLGREN, "threshold", parameters={"rel": REL}, trec_eval="binG", perfect=True,
        direction="higher",
        formula="binG = (1 / R) Σ rel(k) / log₂(2 + non-relevant above k)", where=NO_RELEVANT,
    ),
    Kind(
        "TrecRBP", rank_biased, "Rank-biased precision, grades scaled by the topic's highest.",
        "A. Moffat and J. Zobel. Rank-Biased Precision. ACM TOIS 27(1), 2008; " + NIST,
        "grades", parameters={"p": PERSISTENCE_OF_TREC, "gains": GAINS}, trec_eval="rbp", direction="higher",
        formula="rbp = (1 − p) Σ (g(k) / gmax) p^(k − 1)",
        where="gmax: the topic's highest grade, at least 1.",
    ),
    Kind(
        "TrecRBPResidual", rank_biased_residual, "How much unjudged documents could add to RBP.",
        "A. Moffat and J. Zobel. Rank-Biased Precision. ACM TOIS 27(1), 2008; " + NIST,
        "neither", parameters={"p": PERSISTENCE_OF_TREC, "tail": TAIL}, trec_eval="rbp_resid",
        missing="labelled", direction="lower",
        formula="rbp_resid = p^n + (1 − p) Σ over unjudged p^(k − 1)",
        where="0 where everything retrieved was judged, unless tail is set.",
    ),
))  # fmt: skip
