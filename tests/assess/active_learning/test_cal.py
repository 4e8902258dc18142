"""The order of a review: batches, seeds, random draws, and that it finds what is relevant first."""

from __future__ import annotations

from itertools import accumulate, islice
from typing import Any

import numpy as np
import pytest

from assess.active_learning.cal import Review, review
from assess.active_learning.effort import recall_effort
from assess.active_learning.features import text_features
from assess.active_learning.ranking import PRESUMED, Judged, batch_sizes, rank_rest
from assess.active_learning.regression import LogisticModel, fit_logistic
from pooling.arrays import Flags, IntVector
from tests.assess.active_learning.labelled_texts import LabelledTexts, themed

NONE: IntVector = np.zeros(0, dtype=np.int64)


def reviewed(collection: LabelledTexts, seed: int = 0, limit: int | None = None) -> Review:
    features = text_features(collection.texts)
    vector = features.vector_of(collection.topic)
    return review(features.matrix, collection.relevant, vector, NONE, seed, limit)


def test_batches_grow_by_a_tenth() -> None:
    sizes = list(islice(batch_sizes(), 35))
    assert sizes == [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 21, 24, 27, 30, 33, 37, 41, 46, 51, 57, 63, 70, 77,
        85, 94, 104, 115, 127, 140, 154,
    ]  # fmt: skip
    assert sum(sizes) == 1526


def test_a_review_shows_each_document_once_and_relevant_ones_first() -> None:
    collection = themed(400, seed=1)
    found = reviewed(collection)
    assert sorted(found.documents.tolist()) == list(range(400))
    assert (found.relevant == collection.relevant[found.documents]).all()
    assert found.ends.tolist()[:-1] == list(accumulate(islice(batch_sizes(), len(found.ends) - 1)))
    effort = recall_effort(found.relevant, int(collection.relevant.sum()), 400)
    recall, saved = effort.recall_at(2), effort.wss()
    assert recall is not None and recall > 0.9 and saved is not None and saved > 0.7
    for start, end in zip([0, *found.ends[:-1]], found.ends, strict=True):
        assert (np.diff(found.scores[start:end]) <= 0).all()


def test_the_same_seed_gives_the_same_order_and_another_one_another() -> None:
    collection = themed(400, seed=2)
    first, second, other = (reviewed(collection, seed) for seed in (5, 5, 6))
    assert (first.documents == second.documents).all() and (first.scores == second.scores).all()
    assert (first.documents != other.documents).any()


def test_a_limit_ends_the_same_order_earlier() -> None:
    collection = themed(300, seed=3)
    whole, part = reviewed(collection), reviewed(collection, limit=100)
    assert (part.documents == whole.documents[:100]).all()
    assert part.ends.tolist() == [*(end for end in whole.ends.tolist() if end < 100), 100]
    assert len(reviewed(collection, limit=0).documents) == 0


def test_seed_documents_are_the_first_batch_and_can_replace_the_topic() -> None:
    collection = themed(300, seed=4)
    features = text_features(collection.texts)
    seeds = np.flatnonzero(collection.relevant)[[3, 0]]
    found = review(features.matrix, collection.relevant, None, seeds)
    assert found.documents[:2].tolist() == seeds.tolist() and found.ends[:3].tolist() == [2, 3, 5]
    assert np.isnan(found.scores[:2]).all() and not np.isnan(found.scores[2:]).any()
    effort = recall_effort(found.relevant, int(collection.relevant.sum()), 300)
    recall = effort.recall_at(2)
    assert recall is not None and recall > 0.9
    with pytest.raises(ValueError, match="expected a topic's text"):
        review(features.matrix, collection.relevant, None, np.flatnonzero(~collection.relevant)[:2])


def test_presumed_documents_are_drawn_anew_from_those_without_a_label(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collection = themed(500, seed=5)
    features = text_features(collection.texts)
    trained = []

    def fit(matrix: Any, relevant: Flags, *given: Any, **options: Any) -> LogisticModel:
        trained.append((matrix, relevant))
        return fit_logistic(matrix, relevant, *given, **options)

    monkeypatch.setattr("assess.active_learning.ranking.fit_logistic", fit)
    judged = Judged(np.arange(40), collection.relevant[:40])
    rest = np.arange(40, 500)
    for number in range(2):
        rank_rest(features.matrix, features.vector_of(collection.topic), judged, rest, 0, number)
    rows = []
    for matrix, relevant in trained:
        assert matrix.shape[0] == 40 + PRESUMED + 1
        assert relevant.tolist() == [*collection.relevant[:40].tolist(), *[False] * 100, True]
        assert (matrix[:40] != features.matrix[:40]).nnz == 0
        rows.append(matrix[40:140].toarray())
    assert (rows[0] != rows[1]).any()
    unlabelled = {row.tobytes() for row in features.matrix[40:].toarray()}
    assert {row.tobytes() for row in np.concatenate(rows)} <= unlabelled


def test_equal_documents_are_ranked_by_row() -> None:
    features = text_features(["wing flow"] * 5 + ["heat soup"] * 5 + ["wing soup"])
    judged = Judged(np.array([0, 9]), np.array([True, False]))
    ranking = rank_rest(features.matrix, None, judged, np.array([1, 2, 3, 4, 5, 6, 7, 8, 10]), 0, 0)
    assert ranking.documents.tolist() == [1, 2, 3, 4, 10, 5, 6, 7, 8]
    assert ranking.probabilities == pytest.approx(1 / (1 + np.exp(-ranking.scores)))
