"""The next batch depends on the labels and the seed alone."""

from __future__ import annotations

import numpy as np
import pytest

from assess.active_learning.batches import choose_batch, next_of_sample, sample_rows, size_after
from assess.active_learning.features import text_features
from assess.active_learning.ranking import Judged, batch_sizes
from pooling.arrays import IntVector
from tests.assess.active_learning.labelled_texts import themed

GIVEN = themed(200, seed=3)
FEATURES = text_features(GIVEN.texts)


def judged(rows: IntVector) -> Judged:
    return Judged(rows, GIVEN.relevant[rows])


def test_the_same_labels_give_the_same_batch_in_any_order() -> None:
    topic, rows = FEATURES.vector_of(GIVEN.topic), np.arange(30)
    first = choose_batch(FEATURES.matrix, topic, judged(rows), rows, 7, 3, 11)
    again = choose_batch(FEATURES.matrix, topic, judged(rows[::-1]), rows, 7, 3, 11)
    assert first is not None and again is not None
    assert first.rows.tolist() == again.rows.tolist()
    assert first.scores.tolist() == again.scores.tolist()
    assert len(first.rows) == 11 and not set(first.rows.tolist()) & set(rows.tolist())
    assert (np.diff(first.scores) <= 0).all()
    assert GIVEN.relevant[first.rows].mean() > GIVEN.relevant.mean()
    assert first.labels == 30


def test_documents_that_wait_for_a_label_are_not_chosen_again() -> None:
    topic, rows = FEATURES.vector_of(GIVEN.topic), np.arange(30)
    first = choose_batch(FEATURES.matrix, topic, judged(rows), rows, 7, 3, 11)
    assert first is not None and first.expected is not None
    reached = np.concatenate([rows, first.rows])
    second = choose_batch(FEATURES.matrix, topic, judged(rows), reached, 7, 4, 11)
    assert second is not None and not set(second.rows.tolist()) & set(reached.tolist())
    expected = first.expected.judged + first.expected.rest
    assert 0 < first.expected.judged < 30 and expected < 200


def test_without_a_word_and_a_relevant_document_the_batch_is_random() -> None:
    nothing, none = FEATURES.vector_of("zzz"), np.flatnonzero(~GIVEN.relevant)[:5]
    drawn = choose_batch(FEATURES.matrix, nothing, judged(none), none, 7, 2, 4)
    assert drawn is not None and len(set(drawn.rows.tolist()) - set(none.tolist())) == 4
    assert np.isnan(drawn.scores).all() and drawn.expected is None and drawn.labels == 0
    other = choose_batch(FEATURES.matrix, nothing, judged(none), none, 8, 2, 4)
    assert other is not None and other.rows.tolist() != drawn.rows.tolist()


def test_nothing_is_chosen_where_nothing_is_left() -> None:
    every = np.arange(200)
    topic = FEATURES.vector_of(GIVEN.topic)
    assert choose_batch(FEATURES.matrix, topic, judged(every), every, 7, 2, 4) is None


def test_sizes_are_those_of_the_published_batches() -> None:
    size, found = 0, []
    for _ in range(35):
        size = size_after(1, size)
        found.append(size)
    published = batch_sizes()
    assert found == [next(published) for _ in range(35)] and sum(found) == 1526


def test_each_first_part_of_a_sample_is_random_and_without_repeats() -> None:
    drawn = np.array([sample_rows(seed, 20, 5) for seed in range(2000)])
    assert all(len(set(row)) == 5 for row in drawn.tolist())
    for size in (1, 5):
        counts = np.bincount(drawn[:, :size].ravel(), minlength=20)
        expected = 2000 * size / 20
        # chi-square with 19 degrees of freedom is above 43.8 in one of a thousand; less without replacement
        assert ((counts - expected) ** 2 / expected).sum() < 43.8
    assert sample_rows(7, 3, 10).tolist() == sample_rows(7, 3, 3).tolist()


@pytest.mark.parametrize(("known", "expected"), [(set(), [4, 2]), ({4}, [2, 9]), ({4, 2, 9}, [1])])
def test_the_sample_goes_on_where_it_was(known: set[int], expected: list[int]) -> None:
    assert next_of_sample(np.array([4, 2, 9, 1]), known, 2) == expected
