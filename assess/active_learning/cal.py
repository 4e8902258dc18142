"""Continuous active learning on documents whose labels are known: the order in which it reviews them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assess.active_learning.quant import ProbabilitySums, probability_sums
from assess.active_learning.ranking import Judged, batch_sizes, rank_rest
from assess.active_learning.regression import LogisticModel
from pooling.arrays import Flags, IntVector, Vector


class Review(NamedTuple):
    """Documents in the order of review.

    documents: rows of the features, shape (reviewed,). relevant: their labels. scores: the score by which
    each was chosen, nan for seed documents. ends: how many documents were reviewed at the end of each batch,
    shape (batches,); seed documents are a batch before the first. expected: of each batch end, the sums of
    the probabilities of the model that was trained with it; None where no further model was trained.
    """

    documents: IntVector
    relevant: Flags
    scores: Vector
    ends: IntVector
    expected: tuple[ProbabilitySums | None, ...]


def review(
    matrix: Any,
    relevant: Flags,
    topic: Any | None,
    seeds: IntVector,
    seed: int = 0,
    limit: int | None = None,
    intercept: bool = False,
) -> Review:
    """Return the order in which continuous active learning reviews documents: AutoTAR.

    Batches have 1, 2, ... documents (`batch_sizes`); before each, a model is trained with all labels
    (`rank_rest`), and its best documents are the batch.

    matrix: CSR matrix of shape (documents, terms), as of `text_features`. relevant: the label of each
    document, shape (documents,). topic: the vector of the topic's text, or None. seeds: rows of documents
    that are judged before the first model. seed: of the random draws; the same seed gives the same order.
    limit: the number of documents after which to end, seed documents included; all by default. intercept:
    whether the model has one; without it, it is the learner of the published check figures. Raises ValueError
    without a topic and a relevant seed document.
    """
    documents = matrix.shape[0]
    limit = documents if limit is None else min(limit, documents)
    is_left = np.ones(documents, dtype=bool)
    is_left[seeds] = False
    order, scores = [seeds], [np.full(len(seeds), np.nan)]
    count, ends, expected = len(seeds), list[int](), list[ProbabilitySums | None]()
    if count:
        ends.append(count)
    model: LogisticModel | None = None
    for number, size in enumerate(batch_sizes()):
        if count >= limit:
            break
        judged = np.concatenate(order)
        rest: IntVector = np.flatnonzero(is_left)
        ranking = rank_rest(
            matrix, topic, Judged(judged, relevant[judged]), rest, seed, number, model, intercept
        )
        model = ranking.model
        if ends:
            known = model.probabilities(matrix[judged])
            expected.append(probability_sums(known, ranking.probabilities))
        batch = slice(min(size, limit - count))
        order.append(ranking.documents[batch])
        scores.append(ranking.scores[batch])
        is_left[order[-1]] = False
        count += len(order[-1])
        ends.append(count)
    reviewed = np.concatenate(order)
    last = [None] * (len(ends) - len(expected))
    return Review(
        reviewed,
        relevant[reviewed],
        np.concatenate(scores),
        np.array(ends, dtype=np.int64),
        (*expected, *last),
    )
