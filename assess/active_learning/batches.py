"""The next batch of a review: what the model chooses, and the next part of the random sample."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from assess.active_learning.quant import ProbabilitySums, probability_sums
from assess.active_learning.ranking import Judged, next_batch_size, rank_rest
from pooling.arrays import IntVector, Vector

SAMPLE_DRAW = 2**32 - 1  # beside the seed: no round has this number


def sample_rows(seed: int, documents: int, size: int) -> IntVector:
    """Return the rows of the random sample of a collection, in the order in which judges get them.

    Each first part of it is a random sample as well. size: at most the number of documents.

    >>> sample_rows(7, 10, 4).tolist() == sample_rows(7, 10, 10)[:4].tolist()
    True
    """
    random = np.random.default_rng([seed, SAMPLE_DRAW])
    order: IntVector = random.permutation(documents)[:size]
    return order


class Batch(NamedTuple):
    """rows: documents, best first. scores: their log odds; nan for documents that were drawn at random.

    expected: over reached documents and the rest; None without a model. labels: how many it was trained with.
    """

    rows: IntVector
    scores: Vector
    expected: ProbabilitySums | None
    labels: int


def choose_batch(
    matrix: Any, topic: Any, judged: Judged, reached: IntVector, seed: int, number: int, size: int
) -> Batch | None:
    """Return the documents that the model of a round chooses; None if the review has reached all.

    matrix: CSR matrix of shape (documents, terms). topic: the vector of the topic's text, shape (1, terms).
    judged: the documents with a label among those that the review has reached. reached: their rows, with
    those that wait for a label. seed, number: as for `rank_rest`. The same labels give the same batch, in
    whatever order they came. Where the topic has no word of the collection and no document is relevant, there
    is nothing to train with: the batch is drawn at random.
    """
    is_left = np.ones(matrix.shape[0], dtype=bool)
    is_left[reached] = False
    rest: IntVector = np.flatnonzero(is_left)
    if not len(rest):
        return None
    order = np.argsort(judged.documents)
    trained = Judged(judged.documents[order], judged.relevant[order])
    vector = topic if topic.nnz else None
    if vector is None and not judged.relevant.any():
        drawn = np.random.default_rng([seed, number]).permutation(rest)[:size]
        return Batch(drawn, np.full(len(drawn), np.nan), None, 0)
    ranking = rank_rest(matrix, vector, trained, rest, seed, number, intercept=True)
    known = ranking.model.probabilities(matrix[reached]) if len(reached) else np.zeros(0)
    expected = probability_sums(known, ranking.probabilities)
    return Batch(ranking.documents[:size], ranking.scores[:size], expected, len(order))


def size_after(first: int, last: int) -> int:
    """Return how many documents the model chooses next. last: how many it chose before, 0 for none.

    >>> size_after(10, 0), size_after(10, 10)
    (10, 11)
    """
    return next_batch_size(last) if last else first


def next_of_sample(sample: IntVector, known: Collection[int], size: int) -> list[int]:
    """Return the next rows of the sample that are not yet in the review, at most so many as `size`.

    sample: in its order. known: the rows of the review, and those that the model has chosen now.

    >>> next_of_sample(np.array([4, 2, 9, 1]), {2}, 2)
    [4, 9]
    """
    return [row for row in sample.tolist() if row not in known][:size]
