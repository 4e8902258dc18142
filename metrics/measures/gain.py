"""Discounted cumulated gain: better grades count more, lower ranks count less."""

from __future__ import annotations

import numpy as np

from metrics.hits import Hits, Ranked, discount, ratio
from metrics.index import QrelsIndex
from metrics.measure import Kind
from pooling.columns import IntVector, Vector

JARVELIN = (
    "K. Jarvelin and J. Kekalainen. Cumulated Gain-based Evaluation of IR Techniques. ACM TOIS 20(4), 2002"
)


def ideal_dcg(index: QrelsIndex) -> tuple[Ranked, Vector]:
    """Return the ideal ranking's documents of positive grade, and the DCG up to each of them.

    The ideal ranking holds every judged document, by grade descending, however few were retrieved.
    """

    def make() -> tuple[Ranked, Vector]:
        positive = index.grades > 0
        topic, gain = index.topic_of_grades[positive], index.grades[positive].astype(np.float64)
        counts = np.bincount(topic, minlength=len(index.topics))
        first = np.concatenate([[0], np.cumsum(counts)])
        ideal = Ranked(topic, np.arange(1, len(topic) + 1) - first[topic], len(index.topics))
        return ideal, ideal.running(gain / discount(ideal.rank))

    return index.keep("ideal dcg", make)


def ndcg(hits: Hits, cutoff: int | None = None) -> Vector:
    """DCG over the ideal DCG, gain = grade, discount log2(rank + 1) (trec_eval `ndcg`, `ndcg_cut`).

    Without a cut-off the ideal is not cut at the number of documents retrieved. 0 where no grade is positive.
    """
    gained = hits.where(hits.grade > 0)
    gain = hits.grade[hits.grade > 0].astype(np.float64)
    running = gained.running(gain / discount(gained.rank))
    ideal, ideal_running = ideal_dcg(hits.index)
    counts: IntVector = gained.counts if cutoff is None else gained.within(cutoff)
    ideal_counts = ideal.counts if cutoff is None else ideal.within(cutoff)
    return ratio(gained.after(running, counts), ideal.after(ideal_running, ideal_counts))


KINDS = (
    Kind(
        "nDCG", ndcg, "Cumulated gain, discounted by rank, over that of the best possible ranking.",
        JARVELIN, "grades", cutoff=int, trec_eval="ndcg", trec_eval_cut="ndcg_cut", perfect=True,
    ),
)  # fmt: skip
