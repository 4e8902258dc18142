"""Which documents are cases, and in which order, against plain loops."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.disputes import ORDERS, SHOWS, Wanted, disputes_of, label_columns, letter, letters, queue_of

Labelled = dict[int, dict[int, int | None]]  # document -> judge -> grade
labelled = st.dictionaries(
    st.integers(1, 30),
    st.dictionaries(st.integers(1, 4), st.none() | st.integers(0, 3), min_size=1),
    max_size=12,
)
wishes = st.builds(
    Wanted,
    st.sampled_from(sorted(SHOWS)),
    st.sampled_from(sorted(ORDERS)),
    st.frozensets(st.integers(0, 3), max_size=2),
    st.none() | st.just((1, 2)),
)


def rows(labels: Labelled) -> list[tuple[int, int, int | None]]:
    return [(document, judge, grade) for document, own in labels.items() for judge, grade in own.items()]


def by_loop(labels: Labelled, wanted: Wanted, threshold: int) -> list[int]:
    cases = []
    for place, (document, own) in enumerate(labels.items()):
        said = [grade for judge, grade in own.items() if wanted.pair is None or judge in wanted.pair]
        grades = [grade for grade in said if grade is not None]
        gap = max(grades) - min(grades) if grades else 0
        crosses = bool(grades) and min(grades) < threshold <= max(grades)
        shown = {"differ": gap > 0, "cross": crosses, "cannot": None in said}[wanted.show]
        if shown and wanted.grades <= set(grades):
            key = (-gap, not crosses) if wanted.order == "distance" else (not crosses, -gap)
            cases.append((key, place, document))
    return [document for _, _, document in sorted(cases)]


@given(labelled, wishes, st.integers(1, 3))
def test_the_queue_is_what_a_plain_loop_finds(labels: Labelled, wanted: Wanted, threshold: int) -> None:
    assert queue_of(label_columns(rows(labels)), wanted, threshold).tolist() == by_loop(
        labels, wanted, threshold
    )


@given(labelled, wishes, st.integers(1, 3))
def test_a_queue_names_no_document_twice_and_none_that_nobody_labelled(
    labels: Labelled, wanted: Wanted, threshold: int
) -> None:
    queue = queue_of(label_columns(rows(labels)), wanted, threshold).tolist()
    assert len(queue) == len(set(queue)) and set(queue) <= set(labels)


def test_of_two_gaps_as_wide_the_one_across_the_threshold_comes_first() -> None:
    columns = label_columns([(1, 1, 0), (1, 2, 1), (2, 1, 1), (2, 2, 2), (3, 1, 0), (3, 2, 3)])
    assert queue_of(columns, Wanted(), 2).tolist() == [3, 2, 1]
    columns = label_columns([(1, 1, 2), (1, 2, 5), (2, 1, 1), (2, 2, 2)])
    assert queue_of(columns, Wanted(order="distance"), 2).tolist() == [1, 2]
    assert queue_of(columns, Wanted(order="crossing"), 2).tolist() == [2, 1]


def test_without_labels_there_is_no_case() -> None:
    assert queue_of(label_columns([]), Wanted(), 2).tolist() == []


def test_a_document_whose_labels_are_apart_is_refused() -> None:
    with pytest.raises(ValueError, match="side by side"):
        label_columns([(1, 1, 0), (2, 1, 0), (1, 2, 3)])


def test_a_refusal_is_no_grade() -> None:
    disputes = disputes_of(label_columns([(1, 1, None), (1, 2, 3), (2, 1, None)]))
    assert disputes.distance.tolist() == [0, 0]
    assert disputes.refusals.tolist() == [1, 1]
    assert disputes.crosses(1).tolist() == [False, False]


judges = st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=30)


@given(judges, st.integers(0, 10**9))
def test_letters_are_one_to_one_and_do_not_hang_on_who_came_first(names: list[str], document: int) -> None:
    found = letters(names, document)
    assert sorted(found.values()) == sorted(letter(place) for place in range(len(names)))
    assert letters(reversed(names), document) == found


def test_over_many_documents_a_judge_has_every_letter_about_as_often() -> None:
    given_to_ann = Counter(letters(["ann", "bo", "cy"], document)["ann"] for document in range(3000))
    assert set(given_to_ann) == {"A", "B", "C"}
    assert all(900 < count < 1100 for count in given_to_ann.values())
