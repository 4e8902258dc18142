"""Novelty and diversity: a topic has subtopics (intents), and repeated subtopics have a lower gain.

A subtopic is a value of the iteration column of the qrels, so qrels must be read `by_iteration`. The n-th
document that is relevant to a subtopic has the gain (1 - alpha)^(n - 1) for it; |S| is the number of
subtopics with a relevant document. These are ndeval's measures, with two differences. By default, ndeval
ranks by the rank column; here the run is ranked by score, as for every other measure. ndeval does not divide
alpha_DCG@1 and ERR_IA@1 by |S|.

The normalised measures divide by a greedy ideal ranking, which takes the document of the highest gain at
every rank, ties by docno descending. The greedy ranking is not always optimal (an optimal one is NP-hard to
find), so the score of a run can exceed 1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import numpy.typing as npt

from metrics.engine.hits import Hits, RankedHits, discount, ratio
from metrics.engine.qrels_index import QrelsIndex
from metrics.measures.base import CHAPELLE, PERSISTENCE, REL, Family, MeasureKind, Parameter
from metrics.measures.dcg import ranks_to
from metrics.measures.user_models import powers
from pooling.arrays import IntVector, Vector, as_words

CLARKE_2008 = "C. L. A. Clarke et al. Novelty and Diversity in Information Retrieval Evaluation. SIGIR 2008"
CLARKE_2009 = (
    "C. L. A. Clarke, M. Kolla and O. Vechtomova. An Effectiveness Measure for Ambiguous Queries. ICTIR 2009"
)
AGRAWAL = "R. Agrawal, S. Gollapudi, A. Halverson and S. Ieong. Diversifying Search Results. WSDM 2009"
ZHAI = "C. Zhai, W. W. Cohen and J. Lafferty. Beyond Independent Relevance. SIGIR 2003"


class Subtopics:
    """The subtopics of the qrels at one relevance level.

    total: the relevant documents of each subtopic, shape (subtopics,). topic: of each subtopic. in_topic: |S|
    of each topic, shape (topics,). Pairs of document and subtopic, by document: subtopic, shape (pairs,);
    those of the document d are first[d] to first[d + 1], shape (rows of the qrels + 1,).
    """

    def __init__(self, index: QrelsIndex, level: int) -> None:
        judgments = index.judgments
        topic = index.codes_of(judgments.topics)[judgments.topic_of_rows()]
        rows = np.flatnonzero(judgments.grades >= max(level, 0))
        labels, label = np.unique(judgments.iterations[rows], return_inverse=True)
        keys = topic[rows] * max(len(labels), 1) + label
        known, subtopic = np.unique(keys, return_inverse=True)
        self.topic: IntVector = known // max(len(labels), 1)
        self.total: IntVector = np.bincount(subtopic, minlength=len(known))
        self.in_topic: IntVector = np.bincount(self.topic, minlength=len(index.topics))
        _, document = index.find(as_words(judgments.docnos[rows]), topic[rows])
        order = np.lexsort((subtopic, document))
        self.document, self.subtopic = document[order], subtopic[order]
        self.first: IntVector = np.searchsorted(self.document, np.arange(len(index.qrels.grades) + 1))


class Diverse(RankedHits):
    """The documents of a ranking that are relevant to a subtopic.

    pair, subtopic: document and subtopic of each relevant pair, shape (pairs,), by topic and rank. seen: the
    number of documents above that are relevant to the same subtopic, shape (pairs,).
    """

    def __init__(self, subtopics: Subtopics, topic: IntVector, rank: IntVector, document: IntVector) -> None:
        counts = subtopics.first[document + 1] - subtopics.first[document]
        selected = np.flatnonzero(counts)
        counts = counts[selected]
        super().__init__(topic[selected], rank[selected], len(subtopics.in_topic))
        self.pair: IntVector = np.repeat(np.arange(len(selected)), counts)
        position = np.arange(len(self.pair)) - np.repeat(np.cumsum(counts) - counts, counts)
        self.subtopic = subtopics.subtopic[subtopics.first[document[selected]][self.pair] + position]
        order = np.argsort(self.subtopic, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.subtopic, minlength=1))])
        self.seen = np.empty_like(order)
        self.seen[order] = np.arange(len(order)) - starts[self.subtopic[order]]

    def gain(self, alpha: float) -> Vector:
        """Return the gain of each document: the sum of (1 - alpha)^seen over its subtopics."""
        worth = powers(1.0 - alpha, self.seen)
        return np.bincount(self.pair, weights=worth, minlength=len(self.rank)).astype(np.float64, copy=False)


def subtopics_of(hits: Hits, rel: int | None) -> Subtopics:
    """Return the subtopics of the qrels, cached for each relevance level."""
    level = hits.level(rel)
    return hits.index.cached(("subtopics", level), lambda: Subtopics(hits.index, level))


def diverse_hits(hits: Hits, rel: int | None) -> Diverse:
    """Return the documents of the run that are relevant to a subtopic."""
    return Diverse(subtopics_of(hits, rel), hits.topic, hits.rank, hits.documents)


def greedy_ideal(hits: Hits, rel: int | None, alpha: float) -> Diverse:
    """Return the greedy ideal ranking of every topic; it is cached.

    A loop over topics and ranks, because the gain of a document depends on all documents ranked above it.
    """
    index, level = hits.index, hits.level(rel)

    def compute() -> Diverse:
        subtopics = subtopics_of(hits, rel)
        documents = np.unique(subtopics.document)
        descending = np.argsort(index.qrels.docnos[documents], kind="stable")[::-1]
        documents = documents[descending]
        topic = index.codes_of(index.qrels.topics)[index.qrels.topic_of_rows()[documents]]
        taken = [_take(subtopics, documents[topic == code], alpha) for code in range(len(index.topics))]
        rank = [np.arange(1, len(documents) + 1) for documents in taken]
        codes = np.repeat(np.arange(len(taken)), [len(documents) for documents in taken])
        none: IntVector = np.empty(0, dtype=np.int64)
        return Diverse(subtopics, codes, np.concatenate([none, *rank]), np.concatenate([none, *taken]))

    return index.cached(("greedy ideal", level, alpha), compute)


def _take(subtopics: Subtopics, documents: IntVector, alpha: float) -> IntVector:
    """Return one topic's documents in greedy order, ties in the order given."""
    members = [subtopics.subtopic[subtopics.first[d] : subtopics.first[d + 1]] for d in documents]
    about = np.unique(np.concatenate(members)) if members else np.empty(0)
    covers: npt.NDArray[np.bool_] = np.array([np.isin(about, member) for member in members])
    worth, order = np.ones(len(about)), []
    left = np.ones(len(documents), dtype=bool)
    for _ in documents:
        # summed in a fixed order, so that equal sums are equal to the last bit
        gains = np.where(left, np.cumsum(covers * worth, axis=1)[:, -1], -1.0)
        best = int(np.argmax(gains))
        order.append(best)
        left[best] = False
        worth = np.where(covers[best], worth * (1.0 - alpha), worth)
    return documents[order]


def discounted(
    ranking: Diverse, alpha: float, cutoff: int | None, weight: Callable[[IntVector], Vector]
) -> Vector:
    """Return the sum of gain times the weight of its rank, over each topic's top k."""
    running = ranking.running(ranking.gain(alpha) * weight(ranking.rank))
    return ranking.after(running, ranking.counts if cutoff is None else ranking.within(cutoff))


def highest_possible(
    hits: Hits, alpha: float, cutoff: int | None, weight: Callable[[IntVector], Vector]
) -> Vector:
    """Return the sum of `discounted` if every document were relevant to every subtopic, with |S| = 1."""
    depth = hits.retrieved if cutoff is None else np.full(hits.topics, cutoff)
    rank = ranks_to(int(depth.max(initial=0)))
    upto = np.concatenate([[0.0], np.cumsum(powers(1.0 - alpha, rank - 1) * weight(rank))])
    return upto[depth]


def log_weight(rank: IntVector) -> Vector:
    """Return 1 / log2(rank + 1)."""
    return 1.0 / discount(rank)


def reciprocal_weight(rank: IntVector) -> Vector:
    """Return 1 / rank."""
    return 1.0 / rank


def alpha_dcg(hits: Hits, cutoff: int | None = None, rel: int | None = None, alpha: float = 0.5) -> Vector:
    """alpha-DCG divided by that of documents relevant to every subtopic (ndeval alpha-DCG)."""
    gain = discounted(diverse_hits(hits, rel), alpha, cutoff, log_weight)
    return ratio(gain, subtopics_of(hits, rel).in_topic * highest_possible(hits, alpha, cutoff, log_weight))


def alpha_ndcg(hits: Hits, cutoff: int | None = None, rel: int | None = None, alpha: float = 0.5) -> Vector:
    """alpha-DCG divided by that of the greedy ideal ranking (ndeval alpha-nDCG)."""
    gain = discounted(diverse_hits(hits, rel), alpha, cutoff, log_weight)
    return ratio(gain, discounted(greedy_ideal(hits, rel, alpha), alpha, cutoff, log_weight))


def err_ia(hits: Hits, cutoff: int | None = None, rel: int | None = None, alpha: float = 0.5) -> Vector:
    """Intent-aware ERR divided by that of documents relevant to every subtopic (ndeval ERR-IA).

    The probability that a document satisfies the user is alpha for every grade.
    """
    gain = discounted(diverse_hits(hits, rel), alpha, cutoff, reciprocal_weight)
    return ratio(
        gain, subtopics_of(hits, rel).in_topic * highest_possible(hits, alpha, cutoff, reciprocal_weight)
    )


def normalised_err_ia(
    hits: Hits, cutoff: int | None = None, rel: int | None = None, alpha: float = 0.5
) -> Vector:
    """Intent-aware ERR divided by that of the greedy ideal ranking (ndeval nERR-IA)."""
    gain = discounted(diverse_hits(hits, rel), alpha, cutoff, reciprocal_weight)
    return ratio(gain, discounted(greedy_ideal(hits, rel, alpha), alpha, cutoff, reciprocal_weight))


def nrbp(hits: Hits, rel: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> Vector:
    """Novelty- and rank-biased precision: (1 - (1 - alpha) beta) / |S| sum of gain beta^(rank - 1)."""
    gain = discounted(diverse_hits(hits, rel), alpha, None, lambda rank: powers(beta, rank - 1))
    return ratio((1.0 - (1.0 - alpha) * beta) * gain, subtopics_of(hits, rel).in_topic)


def normalised_nrbp(hits: Hits, rel: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> Vector:
    """NRBP divided by that of the greedy ideal ranking."""
    gain = discounted(diverse_hits(hits, rel), alpha, None, lambda rank: powers(beta, rank - 1))
    ideal = greedy_ideal(hits, rel, alpha)
    return ratio(gain, discounted(ideal, alpha, None, lambda rank: powers(beta, rank - 1)))


def average_precision_ia(hits: Hits, rel: int | None = None) -> Vector:
    """The mean of average precision over the subtopics with a relevant document (ndeval MAP-IA)."""
    subtopics, subtopic_hits = subtopics_of(hits, rel), diverse_hits(hits, rel)
    precision = (subtopic_hits.seen + 1) / subtopic_hits.rank[subtopic_hits.pair]
    sums = np.bincount(subtopic_hits.subtopic, weights=precision, minlength=len(subtopics.total))
    of_topic = np.bincount(subtopics.topic, weights=sums / subtopics.total, minlength=hits.topics)
    return ratio(of_topic, subtopics.in_topic)


def precision_ia(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """The mean over subtopics of precision at k, or of all retrieved documents (ndeval P-IA)."""
    subtopic_hits = diverse_hits(hits, rel)
    selected = (
        np.ones(len(subtopic_hits.pair), dtype=bool)
        if cutoff is None
        else subtopic_hits.rank[subtopic_hits.pair] <= cutoff
    )
    relevant = np.bincount(subtopic_hits.topic[subtopic_hits.pair[selected]], minlength=hits.topics)
    return ratio(relevant, (hits.retrieved if cutoff is None else cutoff) * subtopics_of(hits, rel).in_topic)


def subtopic_recall(hits: Hits, cutoff: int | None = None, rel: int | None = None) -> Vector:
    """The share of the subtopics that the top k covers (ndeval strec)."""
    subtopic_hits = diverse_hits(hits, rel)
    new = subtopic_hits.seen == 0
    selected = new if cutoff is None else new & (subtopic_hits.rank[subtopic_hits.pair] <= cutoff)
    covered = np.bincount(subtopic_hits.topic[subtopic_hits.pair[selected]], minlength=hits.topics)
    return ratio(covered, subtopics_of(hits, rel).in_topic)


PARAMETERS = {
    "rel": REL,
    "alpha": Parameter(0.5, "the share of the gain that each repetition of a subtopic removes", 0, 1),
    "beta": PERSISTENCE.with_default(0.5),
}
SUBTOPICS = "|S|: subtopics with a relevant document; c(s, k): relevant to s above rank k. "


def _kind(
    name: str,
    compute: Callable[..., Vector],
    meaning: str,
    citation: str,
    high: float,
    *parameters: str,
    cut: bool,
    formula: str,
    where: str = "",
    judged_only: bool = False,
) -> MeasureKind:
    return MeasureKind(
        name, compute, meaning, citation, "threshold", high=high, cutoff=int if cut else None,
        parameters={name: PARAMETERS[name] for name in ("rel", *parameters)}, needs="subtopics",
        direction="higher", formula=formula, where=SUBTOPICS + where, judged_only=judged_only,
    )  # fmt: skip


DIVERSITY = Family("Novelty and diversity", (
    _kind(
        "alpha_DCG", alpha_dcg, "DCG in which the gain decreases with each repetition of a subtopic.",
        CLARKE_2008, 1.0, "alpha", cut=True,
        formula="α-DCG@k = Σ gain(i) / log₂(i + 1) / highest possible, gain(i) = Σ (1 − α)^c(s, i)",
        where="Highest possible: every document relevant to every subtopic.", judged_only=True,
    ),
    _kind(
        "alpha_nDCG", alpha_ndcg, "alpha-DCG divided by that of the greedy ideal ranking.",
        CLARKE_2008, inf, "alpha", cut=True,
        formula="α-nDCG@k = Σ gain(i) / log₂(i + 1) / the same of the greedy ideal",
        where="gain(i) = Σ (1 − α)^c(s, i).",
        judged_only=True,
    ),
    _kind(
        "ERR_IA", err_ia, "Expected reciprocal rank, averaged over subtopics.",
        CHAPELLE, 1.0, "alpha", cut=True,
        formula="ERR-IA@k = Σ gain(i) / i / highest possible", where="gain(i) = Σ (1 − α)^c(s, i).",
        judged_only=True,
    ),
    _kind(
        "nERR_IA", normalised_err_ia, "Intent-aware ERR divided by that of the greedy ideal ranking.",
        CHAPELLE, inf, "alpha", cut=True,
        formula="nERR-IA@k = Σ gain(i) / i / the same of the greedy ideal",
        where="gain(i) = Σ (1 − α)^c(s, i).",
        judged_only=True,
    ),
    _kind(
        "NRBP", nrbp, "Rank-biased precision in which the gain decreases with each repetition of a subtopic.",
        CLARKE_2009, 1.0, "alpha", "beta", cut=False,
        formula="NRBP = ((1 − (1 − α) β) / |S|) Σ gain(k) β^(k − 1)",
        where="gain(k) = Σ (1 − α)^c(s, k).",
    ),
    _kind(
        "nNRBP", normalised_nrbp, "NRBP divided by that of the greedy ideal ranking.",
        CLARKE_2009, inf, "alpha", "beta", cut=False,
        formula="nNRBP = NRBP / NRBP of the greedy ideal",
    ),
    _kind(
        "AP_IA", average_precision_ia, "Average precision, averaged over subtopics.",
        AGRAWAL, 1.0, cut=False,
        formula="AP-IA = (1 / |S|) Σ over subtopics of AP", judged_only=True,
    ),
    _kind(
        "P_IA", precision_ia, "Precision at k, averaged over subtopics.",
        AGRAWAL, 1.0, cut=True,
        formula="P-IA@k = (1 / |S|) Σ over subtopics of P@k", judged_only=True,
    ),
    _kind(
        "StRecall", subtopic_recall, "The share of the subtopics that the top k covers.", ZHAI, 1.0, cut=True,
        formula="StRecall@k = subtopics with a relevant document in the top k / |S|",
    ),
))  # fmt: skip
