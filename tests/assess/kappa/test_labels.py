from __future__ import annotations

from random import Random
from typing import cast

import numpy as np
import pytest

from assess.kappa import tables
from assess.kappa.agreement import coefficients, coefficients_by_topic
from assess.kappa.labels import Labels, labels_of, labels_of_records
from assess.kappa.marginals import relevant_rates
from assess.kappa.tables import _unique_long_rows, label_counts, patterns_of, unique_rows

from .published import near

RECORDS = [
    ("7", "D1", "alice", 0), ("8", "D1", "alice", 3), ("7", "D2", "bob", 1), ("7", "D1", "bob", 1),
    ("8", "D9", "bob", 3), ("8", "D1", "bob", 3),
]  # fmt: skip


def test_records_become_a_matrix_of_places_with_its_topics_together() -> None:
    labels = labels_of_records(RECORDS, scale=[0, 1, 3])
    assert (labels.judges, labels.topics) == (("alice", "bob"), ("7", "8"))
    assert labels.items == (("7", "D1"), ("7", "D2"), ("8", "D1"), ("8", "D9"))
    assert labels.places.tolist() == [[0, -1, 2, -1], [1, 1, 2, 2]]
    assert labels.topic.tolist() == [0, 0, 1, 1]


def test_the_same_docno_in_two_topics_is_two_items() -> None:
    assert coefficients(labels_of_records(RECORDS, scale=[0, 1, 3]))[0].n == 2


def test_one_topic_can_be_taken_out_and_so_can_judges() -> None:
    labels = labels_of_records(RECORDS, scale=[0, 1, 3])
    eight = labels.of_topic("8")
    assert (eight.topics, eight.items) == (("8",), (("8", "D1"), ("8", "D9")))
    assert eight.places.tolist() == [[2, -1], [2, 2]]
    assert labels.of_judges(["bob"]).places.tolist() == [[1, 1, 2, 2]]
    with pytest.raises(ValueError):
        labels.of_topic("9")


def test_what_cannot_be_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="one label of bob for 7 D1, found a second"):
        labels_of_records([*RECORDS, ("7", "D1", "bob", 1)], scale=[0, 1, 3])
    with pytest.raises(ValueError, match=r"of the scale \[1, 3\], found 0 of alice"):
        labels_of_records(RECORDS, scale=[1, 3])
    with pytest.raises(ValueError, match="two or more ascending grades"):
        labels_of([[0]], scale=[0])
    with pytest.raises(ValueError, match=r"threshold among \[1\], found 0"):
        labels_of([[0]], scale=[0, 1], threshold=0)
    with pytest.raises(ValueError, match="places from -1 to 1"):
        labels_of([[2]], scale=[0, 1])
    with pytest.raises(ValueError, match="names for 1 judges and 2 items"):
        labels_of([[0, 1]], scale=[0, 1], judges=["a", "b"])


def test_a_judge_without_labels_is_no_judge() -> None:
    labels = labels_of([[0, 1], [-1, -1], [0, 1]], [0, 1])
    assert {each.judges for each in coefficients(labels)} == {2}
    assert [rate.rate for rate in relevant_rates(labels)] == [0.5, None, 0.5]


def test_the_binary_threshold_need_not_be_the_second_grade() -> None:
    labels = labels_of([[0, 1, 2]], scale=[0, 1, 2], threshold=2)
    (rate,) = relevant_rates(labels)
    assert (rate.labels, rate.relevant, rate.rate) == (3, 1, near(1 / 3))


@pytest.mark.parametrize("judges", [3, 40, 200])
def test_patterns_hold_every_item_once_however_they_are_counted(judges: int) -> None:
    """Few judges: codes counted in an array; more: codes sorted; very many: rows sorted."""
    random = np.random.default_rng(judges)
    places = random.integers(-1, 10, (judges, 300))
    labels = labels_of(places, range(10), topic=[str(column % 7) for column in range(300)])
    counts, found_patterns = label_counts(labels), patterns_of(labels)
    assert counts.sum() == (places >= 0).sum()
    found = sorted(
        (int(topic), tuple(found_patterns.counts[pattern].tolist()))
        for topic, pattern, times in zip(
            found_patterns.topic, found_patterns.pattern, found_patterns.items, strict=True
        )
        for _ in range(times)
    )
    assert found == sorted(zip(labels.topic.tolist(), map(tuple, counts.tolist()), strict=True))


def test_rows_sorted_and_codes_sorted_or_counted_give_the_same_patterns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = label_counts(labels_of(np.random.default_rng(0).integers(-1, 4, (4, 500)), range(4)))
    by_row, counted = _unique_long_rows(counts), unique_rows(counts)
    monkeypatch.setattr(tables, "MAX_COUNTED_CODES", 1)
    for different, own in (by_row, counted, unique_rows(counts)):
        assert different[own].tolist() == counts.tolist()
        assert {tuple(row) for row in different.tolist()} == {tuple(row) for row in counts.tolist()}
        assert len(different) == len(by_row[0])


def empty(judges: int, items: int) -> Labels:
    return labels_of(np.full((judges, items), -1), [0, 1])


@pytest.mark.parametrize("labels", [empty(0, 0), empty(2, 0), empty(0, 3), empty(3, 3)])
def test_no_labels_are_no_error(labels: Labels) -> None:
    (of_topic,) = coefficients_by_topic(labels).values()
    assert {each.reason for each in [*coefficients(labels), *of_topic]} == {"there are no labels"}


@pytest.mark.parametrize("seed", range(30))
def test_a_matrix_of_records_has_every_label_and_no_other(seed: int) -> None:
    draw = Random(seed)
    pairs = {
        (str(draw.randrange(3)), f"d{draw.randrange(6)}", f"j{draw.randrange(4)}"): draw.choice([0, 1, 3])
        for _ in range(draw.randrange(40))
    }
    found = labels_of_records(((*pair, grade) for pair, grade in pairs.items()), [0, 1, 3])
    assert set(found.judges) == {judge for *_, judge in pairs}
    items = [(str(topic), str(docno)) for topic, docno in cast(tuple[tuple[str, str], ...], found.items)]
    assert [found.topics[code] for code in found.topic] == [topic for topic, _ in items]
    given = {
        (*item, judge): (0, 1, 3)[place]
        for judge, row in zip(found.judges, found.places.tolist(), strict=True)
        for item, place in zip(items, row, strict=True)
        if place >= 0
    }
    assert given == pairs
