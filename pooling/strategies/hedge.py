"""Hedge: runs are advisers, whose weight falls with every document that they ranked wrongly."""

from __future__ import annotations

import numpy as np

from pooling.arrays import Vector
from pooling.strategies.live import Known, Order
from pooling.strategies.runs import ASCENDING, Lists, in_docno_order

SAME = 12  # decimals: sums that differ only beyond them differ by the order of their terms


def hedge(lists: Lists, known: Known, beta: float = 0.1, deepest: int = 100, ties: str = ASCENDING) -> Order:
    """Hedge (Aslam, Pavlu & Savell 2003): judge the document that the runs, weighted, rank highest.

    A run of weight w ranks a document at r with the value H(deepest) - H(r), H the harmonic numbers; one that
    it does not hold has the mean value of the ranks behind its list. A label multiplies the run's weight by
    beta to the power of its loss: half the value, negative for a relevant document. Equal sums are ordered by
    the tie rule; nothing is random.
    """
    docnos = in_docno_order({docno for ranking in lists.values() for docno in ranking}, ties)
    column = {docno: place for place, docno in enumerate(docnos)}
    values = _values(lists, column, deepest)
    losses = np.zeros(len(lists))
    left = np.ones(len(docnos), dtype=bool)

    def learn(docno: str, label: bool | None) -> None:
        left[column[docno]] = False
        if label is not None:
            losses[:] += values[:, column[docno]] / (-2 if label else 2)

    for docno, label in known.items():
        learn(docno, label)
    while left.any():
        weights = beta ** (losses - losses.min())
        sums = (values * (weights / weights.sum())[:, None]).sum(axis=0)
        docno = docnos[int(np.where(left, sums.round(SAME), -1.0).argmax())]
        learn(docno, (yield docno))


def _values(lists: Lists, column: dict[str, int], deepest: int) -> Vector:
    """Return what each run gives each document; float64 of shape (runs, documents)."""
    harmonic = np.cumsum(1 / np.arange(1, deepest + 1))
    of_rank = harmonic[-1] - harmonic
    values = np.empty((len(lists), len(column)))
    for row, ranking in zip(values, lists.values(), strict=True):
        behind = of_rank[len(ranking) :]
        row[:] = behind.mean() if len(behind) else 0.0
        row[[column[docno] for docno in ranking]] = of_rank[: len(ranking)]
    return values
