"""Triage: people first judge documents of which a machine is uncertain, or that decide the order of runs.

Labels in this order are no random sample of a topic, so no interval may be computed from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from assess.event_columns import Floats

DEPTH = 10  # ranks that have a weight
DIGITS = 12  # of a priority, because the last digits of sums differ between machines


def disagreement(grades: Sequence[int]) -> float | None:
    """Return the uncertainty of some samples of one document: 1 - share of the most frequent grade.

    None for fewer than two samples, which cannot disagree.

    >>> disagreement([2, 2, 1, 2]), disagreement([2])
    (0.25, None)
    """
    if len(grades) < 2:
        return None
    return 1 - max(Counter(grades).values()) / len(grades)


def doubt(probabilities: Sequence[Mapping[str, float]]) -> float:
    """Return the uncertainty of a document: 1 - the highest probability of a grade, of the mean over samples.

    probabilities: of each sample, at least one: grade -> probability.

    >>> doubt([{"0": 0.25, "1": 0.75}, {"0": 0.75, "1": 0.25}])
    0.5
    """
    grades = {grade for sample in probabilities for grade in sample}
    means = [sum(sample.get(grade, 0.0) for sample in probabilities) / len(probabilities) for grade in grades]
    return 1 - max(means, default=0.0)


def rank_weights(lists: Sequence[Sequence[str]], docnos: Sequence[str], depth: int = DEPTH) -> Floats:
    """Return the weight of each document in the DCG of each run: 1 / log2(rank + 1), 0 below `depth`.

    lists: of each run, its docnos of one topic, best first. Shape (documents, runs).

    >>> rank_weights([["a", "b"], ["b"]], ["a", "b"]).round(2).tolist()
    [[1.0, 0.0], [0.63, 1.0]]
    """
    place = {docno: row for row, docno in enumerate(docnos)}
    weights = np.zeros((len(docnos), len(lists)))
    for run, ranking in enumerate(lists):
        for rank, docno in enumerate(ranking[:depth], start=1):
            if docno in place:
                weights[place[docno], run] = 1 / np.log2(rank + 1)
    return weights


def influence(lists: Sequence[Sequence[str]], docnos: Sequence[str], depth: int = DEPTH) -> dict[str, float]:
    """Return docno -> standard deviation of the document's weight over runs: its grade moves them apart.

    Empty for fewer than two runs, which have no order.

    >>> influence([["a", "b"], ["a"]], ["a", "b", "c"], depth=1)
    {'a': 0.0, 'b': 0.0, 'c': 0.0}
    """
    if len(lists) < 2:
        return {}
    spread = rank_weights(lists, docnos, depth).std(axis=1)
    return dict(zip(docnos, spread.tolist(), strict=True))


def triage_places(uncertainty: Mapping[str, float], influence: Mapping[str, float]) -> dict[str, int]:
    """Return docno -> place in the order of triage, from 1; equal priorities have one place.

    The priority is the sum of uncertainty and influence, each divided by the greatest of the topic, so that
    either alone moves a document forward. What is not known adds nothing. A document of which neither is
    known has no place.

    >>> triage_places({"a": 0.4, "b": 0.1}, {"a": 0.0, "b": 0.0, "c": 0.2})
    {'a': 1, 'c': 1, 'b': 2}
    """
    priority: dict[str, float] = {}
    for known in (uncertainty, influence):
        greatest = max(known.values(), default=0.0) or 1.0
        for docno, value in known.items():
            priority[docno] = priority.get(docno, 0.0) + value / greatest
    rounded = {docno: round(value, DIGITS) for docno, value in priority.items()}
    place_of = {
        value: place for place, value in enumerate(sorted({*rounded.values()}, reverse=True), start=1)
    }
    return {
        docno: place_of[value]
        for docno, value in sorted(rounded.items(), key=lambda each: (-each[1], each[0]))
    }
