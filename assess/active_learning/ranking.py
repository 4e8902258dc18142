"""One round of continuous active learning: train with what was judged, rank the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from assess.active_learning.regression import LogisticModel, chances_of, fit_logistic
from pooling.arrays import Flags, IntVector, Vector
from pooling.extras import import_extra

PRESUMED = 100  # random documents that count as non-relevant for one round


def next_batch_size(size: int) -> int:
    """Return the size of the batch after one of `size` documents: B + ceil(B / 10).

    >>> next_batch_size(10), next_batch_size(11)
    (11, 13)
    """
    return size + (size + 9) // 10


def batch_sizes(first: int = 1) -> Iterator[int]:
    """Yield the sizes of batches without end (Cormack & Grossman, AutoTAR, 2015).

    >>> from itertools import islice
    >>> list(islice(batch_sizes(), 14))
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17]
    """
    while True:
        yield first
        first = next_batch_size(first)


class Judged(NamedTuple):
    """Documents with a label. documents: rows of the features. relevant: their labels, both (judged,)."""

    documents: IntVector
    relevant: Flags


class Ranking(NamedTuple):
    """The documents that are left, best first.

    documents: rows of the features, shape (left,). scores: their log odds of relevance, descending; equal
    ones by ascending row. model: what scored them.
    """

    documents: IntVector
    scores: Vector
    model: LogisticModel

    @property
    def probabilities(self) -> Vector:
        """The model's probabilities of relevance, in the same order (`LogisticModel.probabilities`)."""
        return chances_of(self.scores)


def rank_rest(
    matrix: Any,
    topic: Any | None,
    judged: Judged,
    rest: IntVector,
    seed: int,
    number: int,
    start: LogisticModel | None = None,
    intercept: bool = False,
) -> Ranking:
    """Train the model of a round and rank the documents that are left with it.

    Training rows: the judged documents; the topic's text as one relevant document; and 100 documents of the
    rest, drawn at random, which count as non-relevant in this round only. The draw depends on the seed and
    the number of the round, from 0, and on the rest.

    matrix: CSR matrix of shape (documents, terms). topic: CSR matrix of shape (1, terms), or None. rest: rows
    without a label that may be shown next, ascending; at least one. start: the model of the round before.
    intercept: as for `fit_logistic`.
    Raises ValueError without a relevant document and a topic. Source: Cormack & Grossman, Autonomy and
    reliability of continuous active learning, arXiv 1504.06868, 2015.
    """
    vstack = import_extra("scipy.sparse").vstack
    if topic is None and not judged.relevant.any():
        raise ValueError("expected a topic's text, or a document that was judged relevant")
    random = np.random.default_rng([seed, number])
    presumed = random.choice(rest, size=min(PRESUMED, len(rest)), replace=False)
    rows = [matrix[judged.documents], matrix[presumed], *([] if topic is None else [topic])]
    relevant = np.concatenate(
        [judged.relevant, np.zeros(len(presumed), dtype=bool), [True] * (len(rows) - 2)]
    )
    model = fit_logistic(vstack(rows, format="csr"), relevant, start, intercept=intercept)
    scores = model.scores(matrix)[rest]
    order = np.argsort(-scores, kind="stable")
    return Ranking(rest[order], scores[order], model)
