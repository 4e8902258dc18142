"""Cumulated gain in every form: trec_eval's, the textbooks', and scaled DCG, which knows no ideal ranking.

The `dcg` parameter names the form:

- `log2`: gain = grade, discount log2(rank + 1); trec_eval's, in `metrics.measures.gain` - `exp-log2`: gain =
2^grade - 1, discount log2(rank + 1); Burges et al. 2005, gdeval, ir_measures - `jk-log2`: gain = grade,
discount log_b(rank) from rank b on, none before; Jarvelin and Kekalainen 2002, b = 2

Only positive grades bring gain. Ranks that a run does not fill bring none.
"""

from __future__ import annotations

from math import log2

import numpy as np

from metrics.formulas import NO_GAIN
from metrics.hits import Hits, Ranked, discount, ratio
from metrics.index import QrelsIndex
from metrics.measure import BadMeasure, Kind, inf
from metrics.measures import gain as trec_eval
from metrics.parameters import GAINS, MAX_REL, MIN_REL, Parameter
from pooling.arrays import IntVector, Vector

JARVELIN = (
    "K. Jarvelin and J. Kekalainen. Cumulated Gain-based Evaluation of IR Techniques. ACM TOIS 20(4), 2002"
)
AZZOPARDI = "L. Azzopardi, P. Thomas and A. Moffat. cwl_eval: An Evaluation Tool for IR. SIGIR 2019"
IR_MEASURES = "S. MacAvaney, C. Macdonald and I. Ounis. Streamlining Evaluation with ir-measures. ECIR 2022"
MOST_RANKS = 1_000_000
HIGHEST_POWER = 1000


def gain_of(grade: IntVector, dcg: str) -> Vector:
    """Return the gain of positive grades in a form of DCG. Raises BadMeasure for powers too large."""
    if dcg == "exp-log2" and grade.max(initial=0) > HIGHEST_POWER:
        raise BadMeasure(f"expected grades of at most {HIGHEST_POWER} for 2^grade, found {grade.max()}")
    return np.exp2(grade) - 1.0 if dcg == "exp-log2" else grade.astype(np.float64)


def rank_discount(rank: IntVector, dcg: str, b: int = 2) -> Vector:
    """Return what a form of DCG divides the gain at each rank by."""
    if dcg != "jk-log2":
        return discount(rank)
    return np.where(rank < b, 1.0, discount(np.maximum(rank, b) - 1) / log2(b))


def cumulated_gain(hits: Hits, cutoff: int | None = None) -> Vector:
    """CG: the sum of the grades of the top k, or of everything retrieved."""
    gained = hits.where(hits.grade > 0)
    running = gained.running(hits.grade[hits.grade > 0].astype(np.float64))
    return gained.after(running, gained.counts if cutoff is None else gained.within(cutoff))


def textbook_dcg(hits: Hits, cutoff: int | None = None, dcg: str = "log2", b: int = 2) -> Vector:
    """DCG of the top k, or of everything retrieved, in the form that `dcg` names."""
    positive = hits.grade > 0
    gained = hits.where(positive)
    running = gained.running(gain_of(hits.grade[positive], dcg) / rank_discount(gained.rank, dcg, b))
    return gained.after(running, gained.counts if cutoff is None else gained.within(cutoff))


def ideal_ranking(index: QrelsIndex, dcg: str, b: int) -> tuple[Ranked, Vector]:
    """Return the judged documents of positive grade, best first, and the DCG up to each of them."""

    def make() -> tuple[Ranked, Vector]:
        positive = index.grades > 0
        topic, grade = index.topic_of_grades[positive], index.grades[positive]
        first = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=len(index.topics)))])
        ideal = Ranked(topic, np.arange(1, len(topic) + 1) - first[topic], len(index.topics))
        return ideal, ideal.running(gain_of(grade, dcg) / rank_discount(ideal.rank, dcg, b))

    return index.keep(("textbook ideal", dcg, b), make)


def textbook_ndcg(hits: Hits, cutoff: int | None = None, dcg: str = "log2", b: int = 2) -> Vector:
    """DCG over that of the ideal ranking of all judged documents, in the form that `dcg` names.

    With a cut-off both are cut there, as in gdeval. 0 where no grade is positive.
    """
    ideal, running = ideal_ranking(hits.index, dcg, b)
    best = ideal.after(running, ideal.counts if cutoff is None else ideal.within(cutoff))
    return ratio(textbook_dcg(hits, cutoff, dcg, b), best)


def _is_textbook(form: str, gains: str) -> bool:
    if form != "log2" and gains:
        raise BadMeasure(f"expected gains or dcg={form!r}, found both")
    return form != "log2"


def dcg_of_form(
    hits: Hits, cutoff: int | None = None, dcg: str = "log2", gains: str = "", b: int = 2
) -> Vector:
    """DCG in the form that `dcg` names; gains: other gains for grades, for `log2`; b: for `jk-log2`."""
    if _is_textbook(dcg, gains):
        return textbook_dcg(hits, cutoff, dcg, b)
    return trec_eval.dcg(hits, cutoff, gains)


def ndcg_of_form(
    hits: Hits, cutoff: int | None = None, dcg: str = "log2", gains: str = "", b: int = 2
) -> Vector:
    """nDCG in the form that `dcg` names; gains: other gains for grades, for `log2`; b: for `jk-log2`."""
    if _is_textbook(dcg, gains):
        return textbook_ndcg(hits, cutoff, dcg, b)
    return trec_eval.ndcg(hits, cutoff, gains)


def scaled_gain(index: QrelsIndex, grade: IntVector, min_rel: int = 0, max_rel: int | None = None) -> Vector:
    """Return grades as gains from 0 (min_rel and below) to 1 (max_rel and above).

    max_rel: None for the highest grade of the qrels. Raises BadMeasure when it is not above min_rel.
    """
    if max_rel is None:
        max_rel = max(int(index.grades.max(initial=0)), min_rel + 1)
    if max_rel <= min_rel:
        raise BadMeasure(f"expected max_rel above min_rel, found max_rel={max_rel} and min_rel={min_rel}")
    found: Vector = (np.clip(np.maximum(grade, 0), min_rel, max_rel) - min_rel) / (max_rel - min_rel)
    return found


def ranks_to(depth: int) -> IntVector:
    """Return 1, 2, ... depth. Raises BadMeasure for a depth that no ranking has."""
    if depth > MOST_RANKS:
        raise BadMeasure(f"expected a cut-off of at most {MOST_RANKS:,}, found {depth:,}")
    return np.arange(1, depth + 1)


def scaled_dcg(
    hits: Hits, cutoff: int, dcg: str = "log2", min_rel: int = 0, max_rel: int | None = None
) -> Vector:
    """SDCG: DCG of gains from 0 to 1 over that of a ranking with nothing but top grades (cwl_eval's NDCG).

    No ideal ranking is asked, so a topic with few relevant documents cannot reach 1.
    """
    kept = hits.where(hits.rank <= cutoff)
    gains = scaled_gain(hits.index, hits.grade[hits.rank <= cutoff], min_rel, max_rel)
    best = np.cumsum(1.0 / discount(ranks_to(cutoff)))[-1]
    return kept.sum(gains / discount(kept.rank)) / float(best)


def judged(hits: Hits, cutoff: int | None = None) -> Vector:
    """The share of the top k that the qrels name, over min(k, retrieved), as ir_measures counts.

    Any line in the qrels counts, also one of negative grade: trec_eval's `unj` calls that unjudged, and
    divides by k, so the two do not add up to 1. 0 where nothing was retrieved.
    """
    found = hits.all.counts if cutoff is None else hits.all.within(cutoff)
    return ratio(found, hits.retrieved if cutoff is None else np.minimum(hits.retrieved, cutoff))


FORM = {
    "dcg": Parameter("log2", "the form of gain and discount", choices=("log2", "exp-log2", "jk-log2")),
    "gains": GAINS,
    "b": Parameter(
        2, "the first rank that is discounted, and the base of the logarithm, of jk-log2", 2, 1000
    ),
}
SCALED = Parameter("log2", "the form of the discount", choices=("log2",))
TITLE = "Cumulated gain"
KINDS = (
    Kind(
        "nDCG", ndcg_of_form, "Cumulated gain, discounted by rank, over that of the best possible ranking.",
        JARVELIN, "grades", cutoff=int, trec_eval="ndcg", trec_eval_cut="ndcg_cut", perfect=True,
        parameters=FORM, at_ranks=trec_eval.ndcg_at_ranks,
        direction="higher",
        formula="nDCG@k = DCG@k / IdealDCG@k", where=f"DCG@k = Σ g(i) / log₂(i + 1). {NO_GAIN}",
        judged_only=True,
    ),
    Kind(
        "DCG", dcg_of_form, "Gain, discounted by the logarithm of the rank, summed.",
        JARVELIN, "grades", high=inf, cutoff=int, trec_eval="dcg",
        parameters=FORM, direction="higher",
        formula="DCG@k = Σ g(i) / log₂(i + 1) over ranks i ≤ k",
        where="dcg='exp-log2': 2^g(i) − 1 instead of g(i); 'jk-log2': no discount before rank b.",
    ),
    Kind(
        "CG", cumulated_gain, "The sum of the grades in the top k.", JARVELIN, "grades", high=inf, cutoff=int,
        direction="higher",
        formula="CG@k = Σ g(i) over ranks i ≤ k",
    ),
    Kind(
        "SDCG", scaled_dcg, "Discounted cumulated gain over that of a ranking full of top grades.",
        AZZOPARDI, "grades", cutoff=int, needs_cutoff=True,
        parameters={"dcg": SCALED, "min_rel": MIN_REL, "max_rel": MAX_REL}, direction="higher",
        formula="SDCG@k = Σ r(i) / log₂(i + 1) / Σ 1 / log₂(i + 1), both over ranks i ≤ k",
        where="r(i): the grade scaled to 0 … 1.",
    ),
    Kind(
        "Judged", judged, "The share of the top k that was judged.", IR_MEASURES, "neither", cutoff=int,
        direction="higher",
        formula="Judged@k = (judged documents in the top k) / min(k, n)",
        where="0 where nothing was retrieved.",
    ),
)  # fmt: skip
