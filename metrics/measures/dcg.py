"""Cumulated gain: better grades count more, and lower ranks count less.

The parameter `dcg` of DCG and nDCG names the form of gain and discount:

- `log2`: gain = grade, discount = log2(rank + 1), as trec_eval
- `exp-log2`: gain = 2^grade - 1, discount = log2(rank + 1), as gdeval and ir_measures (Burges et al. 2005)
- `jk-log2`: gain = grade, discount = log_b(rank) from rank b on and 1 before, by default b = 2
  (Jarvelin and Kekalainen 2002)

The parameter `gains` belongs to `log2` and is a text such as "1=3,2=9" that gives grades another gain; a
grade that it does not name keeps its number as gain. "-1" stands for documents that were not pooled, "-2" for
pooled documents without a judgment. Otherwise only positive grades bring gain. The ideal ranking never holds
a negative gain. Ranks that a run does not fill bring no gain.
"""

from __future__ import annotations

import math
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np

from metrics.engine.hits import Hits, RankedHits, discount, log2, ratio
from metrics.engine.qrels_index import QrelsIndex
from metrics.engine.segments import Segments
from metrics.measures.base import (
    GAINS,
    JARVELIN,
    MAX_REL,
    MIN_REL,
    NIST,
    NO_GAIN,
    NO_RELEVANT,
    REL,
    BadMeasure,
    Family,
    MeasureKind,
    Parameter,
)
from pooling.arrays import IntVector, Vector

AZZOPARDI = "L. Azzopardi, P. Thomas and A. Moffat. cwl_eval: An Evaluation Tool for IR. SIGIR 2019"
SAKAI = "T. Sakai. The Reliability of Metrics Based on Graded Relevance. AIRS 2005"
AHLGREN = (
    "P. Ahlgren and L. Gronqvist. Retrieval Evaluation with Incomplete Relevance Data. SIGIR 2006 workshop"
)
MOST_RANKS = 1_000_000
HIGHEST_POWER = 1000


@lru_cache
def gain_of_grade(gains: str) -> dict[int, float]:
    """Return grade -> gain. Raises BadMeasure when the text is not `grade=gain` pairs."""
    gain_of = {}
    for pair in gains.split(",") if gains else ():
        grade, equals, gain = pair.partition("=")
        try:
            gain_of[int(grade)] = float(gain)
        except ValueError:
            equals = ""
        if not equals or not math.isfinite(float(gain)):
            raise BadMeasure(f"expected gains as in '1=3,2=9', found {pair!r}")
    return gain_of


class Form(NamedTuple):
    """A form of DCG: `dcg`, `gains` and `b` as the module's docstring explains them."""

    dcg: str = "log2"
    gains: str = ""
    b: int = 2

    def gain(self, grades: IntVector) -> Vector:
        """Return the gain of each grade. Raises BadMeasure for grades too large for a power of 2."""
        if self.dcg == "exp-log2":
            if grades.max(initial=0) > HIGHEST_POWER:
                message = f"expected grades of at most {HIGHEST_POWER} for 2^grade"
                raise BadMeasure(f"{message}, found {grades.max()}")
            exponential: Vector = np.exp2(np.maximum(grades, 0)) - 1.0
            return exponential
        gains: Vector = np.maximum(grades, 0).astype(np.float64)
        for grade, gain in gain_of_grade(self.gains).items():
            gains[grades == grade] = gain
        return gains

    def discount(self, rank: IntVector) -> Vector:
        """Return the divisor of the gain at each rank."""
        if self.dcg != "jk-log2":
            return discount(rank)
        return np.where(rank < self.b, 1.0, discount(np.maximum(rank, self.b) - 1) / math.log2(self.b))


LOG2 = Form()


def dcg_form(dcg: str, gains: str, b: int) -> Form:
    """Return a form of DCG. Raises BadMeasure for gains with a form that takes none."""
    if dcg != "log2" and gains:
        raise BadMeasure(f"expected gains or dcg={dcg!r}, found both")
    return Form(dcg, gains, b if dcg == "jk-log2" else 2)


class Ideal(RankedHits):
    """The ideal ranking: every judged document of positive gain, by gain descending, retrieved or not.

    gain: shape (documents,). dcg: the DCG up to each of them, shape (documents,).
    """

    def __init__(self, index: QrelsIndex, form: Form) -> None:
        judged = index.grades >= 0
        gain, topic = form.gain(index.grades[judged]), index.topic_of_grades[judged]
        positive = gain > 0
        gain, topic = gain[positive], topic[positive]
        order = np.lexsort((-gain, topic))
        self.gain = gain[order]
        segments = Segments(topic[order], len(index.topics))
        super().__init__(segments.topic, segments.position, len(index.topics))
        self.dcg = self.running(self.gain / form.discount(self.rank))

    def place(self, topic: IntVector, rank: IntVector) -> IntVector:
        """Return the row of the ideal document at a rank, the last one for ranks beyond the ideal ranking."""
        rows: IntVector = self.offsets[topic] + np.minimum(rank, self.counts[topic]) - 1
        return rows


def ideal(index: QrelsIndex, form: Form = LOG2) -> Ideal:
    """Return the ideal ranking of the qrels, computed once for each form."""
    return index.cached(("ideal", form), lambda: Ideal(index, form))


class Gained(RankedHits):
    """The retrieved documents whose gain is not 0.

    gain, dcg (up to each of them): shape (documents,).
    """

    def __init__(self, hits: Hits, form: Form) -> None:
        seen = hits.all_retrieved if min(gain_of_grade(form.gains), default=0) < 0 else hits
        gain = form.gain(seen.grade)
        rows = np.flatnonzero(gain)
        super().__init__(seen.topic[rows], seen.rank[rows], hits.topics)
        self.gain = gain[rows]
        self.dcg = self.running(self.gain / form.discount(self.rank))


def gained(hits: Hits, form: Form = LOG2) -> Gained:
    """Return the retrieved documents whose gain is not 0, computed once per run and form."""
    return hits.cached(("gained", form), lambda: Gained(hits, form))


def cumulated_gain(hits: Hits, cutoff: int | None = None) -> Vector:
    """CG: the sum of the grades of the top k, or of everything retrieved."""
    actual = gained(hits)
    return actual.after(
        actual.running(actual.gain), actual.counts if cutoff is None else actual.within(cutoff)
    )


def dcg_of(hits: Hits, cutoff: int | None, form: Form) -> Vector:
    """Return the DCG of the top k, or of everything retrieved."""
    actual = gained(hits, form)
    return actual.after(actual.dcg, actual.counts if cutoff is None else actual.within(cutoff))


def ideal_dcg_of(index: QrelsIndex, cutoff: int | None, form: Form = LOG2) -> Vector:
    """Return the DCG of the ideal ranking of each topic."""
    best = ideal(index, form)
    return best.after(best.dcg, best.counts if cutoff is None else best.within(cutoff))


def ndcg_of(hits: Hits, cutoff: int | None, form: Form) -> Vector:
    """Return DCG over the DCG of the ideal ranking; both are cut at the cut-off, if there is one."""
    return ratio(dcg_of(hits, cutoff, form), ideal_dcg_of(hits.index, cutoff, form))


def dcg(hits: Hits, cutoff: int | None = None, dcg: str = "log2", gains: str = "", b: int = 2) -> Vector:
    """DCG: the sum of gain over discount (trec_eval 10 `dcg`)."""
    return dcg_of(hits, cutoff, dcg_form(dcg, gains, b))


def ndcg(hits: Hits, cutoff: int | None = None, dcg: str = "log2", gains: str = "", b: int = 2) -> Vector:
    """DCG over the DCG of the ideal ranking (trec_eval `ndcg`, `ndcg_cut`).

    Without a cut-off the ideal ranking is not cut at the number of documents retrieved. 0 where no gain is
    positive.
    """
    return ndcg_of(hits, cutoff, dcg_form(dcg, gains, b))


def ideal_dcg(hits: Hits, cutoff: int | None = None, gains: str = "") -> Vector:
    """The DCG of the ideal ranking (trec_eval 10 `ideal_dcg`)."""
    return ideal_dcg_of(hits.index, cutoff, Form(gains=gains))


def ndcg_at_ranks(index: QrelsIndex, grades: IntVector, level: int) -> Vector:
    """nDCG of many rankings at once, see `MeasureKind.at_ranks`: equal to `ndcg` to the last bit."""
    cutoff = grades.shape[-1]
    gain = np.maximum(grades, 0) / discount(np.arange(1, cutoff + 1))
    return ratio(np.cumsum(gain, axis=-1)[..., -1], ideal_dcg_of(index, cutoff))


def ndcg_at_relevant(hits: Hits, gains: str = "") -> Vector:
    """nDCG averaged over the ranks of the documents of positive gain (trec_eval `ndcg_rel`).

    Those that were not retrieved count with the nDCG of the whole ranking.
    """
    form = Form(gains=gains)
    actual, best = gained(hits, form), ideal(hits.index, form)
    if not len(best.rank):
        return np.zeros(hits.topics)
    comparable = (actual.gain > 0) & (best.counts[actual.topic] > 0)
    terms = ratio(actual.dcg, best.dcg[best.place(actual.topic, actual.rank)])
    retrieved = np.bincount(actual.topic[comparable], minlength=hits.topics)
    rest = ratio((best.counts - retrieved) * dcg_of(hits, None, form), ideal_dcg_of(hits.index, None, form))
    total = actual.sum(np.where(comparable, terms, 0.0)) + rest
    return ratio(np.maximum(total, 0.0), best.counts)


def ndcg_at_levels(hits: Hits, gains: str = "") -> Vector:
    """nDCG averaged over the ranks where the ideal gain falls (trec_eval `Rndcg`): R-precision for grades.

    One more term, the whole ranking's nDCG, is averaged in where more than T + 1 documents were retrieved, T
    being the documents of positive gain. 0 where no document reaches the threshold.
    """
    form = Form(gains=gains)
    actual, best = gained(hits, form), ideal(hits.index, form)
    if not len(best.rank):
        return np.zeros(hits.topics)
    same_topic = np.append(best.topic[1:] == best.topic[:-1], False)
    same_gain = np.append(best.gain[1:] == best.gain[:-1], False)
    breaks = np.flatnonzero(~(same_topic & same_gain))
    topic, rank = best.topic[breaks], best.rank[breaks]
    counts = actual.within_each(topic, np.minimum(rank, hits.retrieved[topic]))
    places = np.maximum(actual.offsets[topic] + counts - 1, 0)
    reached = np.where(counts > 0, actual.dcg[places] if len(actual.dcg) else 0.0, 0.0)
    total = np.bincount(topic, weights=reached / best.dcg[breaks], minlength=hits.topics)
    terms = np.bincount(topic, minlength=hits.topics)
    longer = hits.retrieved > best.counts + 1
    total = np.where(longer, total + ndcg_of(hits, None, form), total)
    return np.where(hits.relevant().total > 0, ratio(total, terms + longer), 0.0)


def g_measure(hits: Hits, gains: str = "") -> Vector:
    """Gain, discounted by how much cost exceeds it (trec_eval `G`).

    sum of gain / log2(2 + C - S) over the ideal's gain; S: gain so far; C: cost so far, a rank costing the
    ideal gain there, at least 1. 0 where no gain is positive.
    """
    form = Form(gains=gains)
    actual, best = gained(hits, form), ideal(hits.index, form)
    if not len(best.rank):
        return np.zeros(hits.topics)
    costs = best.running(np.maximum(best.gain, 1.0))
    within = best.counts[actual.topic]
    cost = np.where(within > 0, costs[best.place(actual.topic, actual.rank)], 0.0)
    cost += np.maximum(actual.rank - within, 0)
    terms = actual.gain / log2(2.0 + cost - actual.running(actual.gain))
    return ratio(actual.sum(terms), best.sum(best.gain))


def binary_g(hits: Hits, rel: int | None = None) -> Vector:
    """G with relevance of 0 and 1 (trec_eval `binG`): the mean of 1 / log2(2 + non-relevant above)."""
    relevant = hits.relevant(rel)
    return ratio(relevant.sum(1.0 / discount(relevant.rank - relevant.position + 1)), relevant.total)


def scaled_gain(index: QrelsIndex, grade: IntVector, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """Return grades as gains from 0 (min_rel and below) to 1 (max_rel and above).

    max_rel: None for the highest grade of the qrels. Raises BadMeasure when it is not above min_rel.
    """
    if max_rel is None:
        max_rel = max(int(index.grades.max(initial=0)), min_rel + 1)
    if max_rel <= min_rel:
        raise BadMeasure(f"expected max_rel above min_rel, found max_rel={max_rel} and min_rel={min_rel}")
    gain: Vector = (np.clip(np.maximum(grade, 0), min_rel, max_rel) - min_rel) / (max_rel - min_rel)
    return gain


def ranks_to(depth: int) -> IntVector:
    """Return 1, 2, ... depth. Raises BadMeasure for a depth that no ranking has."""
    if depth > MOST_RANKS:
        raise BadMeasure(f"expected a cut-off of at most {MOST_RANKS:,}, found {depth:,}")
    return np.arange(1, depth + 1)


def scaled_dcg(
    hits: Hits, cutoff: int, dcg: str = "log2", min_rel: int = 0, max_rel: int | None = None
) -> Vector:
    """SDCG: DCG of gains from 0 to 1 over that of a ranking with nothing but top grades (cwl_eval's NDCG).

    There is no ideal ranking of the topic, so a topic with few relevant documents cannot reach 1.
    """
    within_cutoff = hits.where(hits.rank <= cutoff)
    gains = scaled_gain(hits.index, hits.grade[hits.rank <= cutoff], min_rel, max_rel)
    best = np.cumsum(1.0 / discount(ranks_to(cutoff)))[-1]
    return within_cutoff.sum(gains / discount(within_cutoff.rank)) / float(best)


FORM_PARAMETERS = {
    "dcg": Parameter("log2", "the form of gain and discount", choices=("log2", "exp-log2", "jk-log2")),
    "gains": GAINS,
    "b": Parameter(
        2, "the first rank that is discounted, and the base of the logarithm, of jk-log2", 2, 1000
    ),
}
SCALED = Parameter("log2", "the form of the discount", choices=("log2",))
CUMULATED_GAIN = Family("Cumulated gain", (
    MeasureKind(
        "nDCG", ndcg, "Cumulated gain, discounted by rank, over that of the best possible ranking.",
        JARVELIN, "grades", cutoff=int, trec_eval="ndcg", trec_eval_cut="ndcg_cut", perfect=True,
        parameters=FORM_PARAMETERS, at_ranks=ndcg_at_ranks,
        direction="higher",
        formula="nDCG@k = DCG@k / IdealDCG@k", where=f"DCG@k = Σ g(i) / log₂(i + 1). {NO_GAIN}",
        judged_only=True,
    ),
    MeasureKind(
        "DCG", dcg, "Gain, discounted by the logarithm of the rank, summed.",
        JARVELIN, "grades", high=inf, cutoff=int, trec_eval="dcg",
        parameters=FORM_PARAMETERS, direction="higher",
        formula="DCG@k = Σ g(i) / log₂(i + 1) over ranks i ≤ k",
        where="dcg='exp-log2': 2^g(i) − 1 instead of g(i); 'jk-log2': no discount before rank b.",
    ),
    MeasureKind(
        "CG", cumulated_gain, "The sum of the grades in the top k.", JARVELIN, "grades", high=inf, cutoff=int,
        direction="higher",
        formula="CG@k = Σ g(i) over ranks i ≤ k",
    ),
    MeasureKind(
        "SDCG", scaled_dcg, "Discounted cumulated gain over that of a ranking full of top grades.",
        AZZOPARDI, "grades", cutoff=int, needs_cutoff=True,
        parameters={"dcg": SCALED, "min_rel": MIN_REL, "max_rel": MAX_REL}, direction="higher",
        formula="SDCG@k = Σ r(i) / log₂(i + 1) / Σ 1 / log₂(i + 1), both over ranks i ≤ k",
        where="r(i): the grade scaled to 0 … 1.",
    ),
))  # fmt: skip
TREC_EVAL_GAIN = Family("Cumulated gain, as trec_eval knows it", (
    MeasureKind(
        "IdealDCG", ideal_dcg, "The DCG of the best possible ranking.",
        JARVELIN, "grades", high=inf, parameters={"gains": GAINS}, cutoff=int, trec_eval="ideal_dcg",
        direction="neither",
        formula="IdealDCG@k = Σ g*(i) / log₂(i + 1)",
        where="g*: the grades of all judged documents, best first.",
    ),
    MeasureKind(
        "nDCGrel", ndcg_at_relevant, "nDCG, averaged over the ranks of the relevant documents.",
        NIST, "grades", parameters={"gains": GAINS}, trec_eval="ndcg_rel", perfect=True, direction="higher",
        formula="nDCGrel = mean over documents of positive grade of nDCG at their rank",
        where="Those not retrieved count with nDCG of the whole ranking.",
    ),
    MeasureKind(
        "Rndcg", ndcg_at_levels, "nDCG, averaged over the ranks where the ideal gain falls.",
        NIST, "grades", parameters={"gains": GAINS}, trec_eval="Rndcg", perfect=True, direction="higher",
        formula="Rndcg = mean of nDCG at the ranks where the ideal ranking's grade falls",
        where="With one more term, nDCG of the whole ranking, where more than one document too many came.",
    ),
    MeasureKind(
        "G", g_measure, "Gain, discounted by how much the cost of reading exceeds it.",
        NIST + "; compare " + SAKAI, "grades", parameters={"gains": GAINS}, trec_eval="G", perfect=True,
        direction="higher",
        formula="G = Σ g(k) / log₂(2 + C(k) − S(k)) / Σ g*(i)",
        where="S(k): grades summed to rank k; C(k): the ideal's, at least 1 a rank. " + NO_GAIN,
    ),
    MeasureKind(
        "binG", binary_g, "The mean over relevant documents of 1 / log2(2 + non-relevant above).",
        NIST + "; compare " + AHLGREN, "threshold", parameters={"rel": REL}, trec_eval="binG", perfect=True,
        direction="higher",
        formula="binG = (1 / R) Σ rel(k) / log₂(2 + non-relevant above k)", where=NO_RELEVANT,
    ),
))  # fmt: skip
