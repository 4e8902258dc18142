from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document_order import MIN_OPEN_CARDS, QueueKey
from assess.double_judging import (
    MINIMUM_DISTANCE,
    OVERLAP_RULES,
    planned_repeats,
    repeats_due,
    shared_sample,
    stratified_sample,
)

MANY = [f"D{number}" for number in range(200)]
QUEUE = QueueKey("7", "ada")

docnos = st.sets(st.text(min_size=1), max_size=40)
shares = st.floats(0, 1)
labelled = st.lists(st.tuples(st.text(min_size=1, max_size=3), st.sampled_from([0, 1, 2])), max_size=40).map(
    dict
)


@pytest.mark.parametrize(
    ("documents", "share", "expected"),
    [(0, 0.5, 0), (200, 0, 0), (200, 0.1, 20), (100, 0.07, 7), (1, 0.03, 1), (11, 0.1, 2), (200, 1, 200)],
)
def test_a_share_is_of_the_documents_and_rounded_up(documents: int, share: float, expected: int) -> None:
    assert len(shared_sample(MANY[:documents], share, "7")) == expected


@given(docnos, shares, shares)
def test_a_larger_share_only_adds(docnos: set[str], one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert shared_sample(docnos, less, "7") <= shared_sample(docnos, more, "7") <= docnos


@given(docnos, docnos, shares, st.integers(0, 3))
def test_a_share_that_was_given_only_grows_when_documents_join(
    before: set[str], joined: set[str], share: float, seed: int
) -> None:
    first = shared_sample(before, share, "7", seed)
    after = shared_sample(before | joined, share, "7", seed, given=first)
    assert first <= after
    assert len(after) == len(shared_sample(before | joined, share, "7", seed))


def test_a_share_differs_by_topic_and_seed() -> None:
    assert len({frozenset(shared_sample(MANY, 0.1, topic, seed)) for topic in "78" for seed in (0, 1)}) == 4


@given(labelled, st.integers(0, 5), st.integers(0, 3))
def test_a_finished_topic_gives_its_quota_of_every_stratum(
    strata: dict[str, int], each: int, seed: int
) -> None:
    chosen = stratified_sample(strata, [], each, "7", seed)
    sizes = Counter(strata.values())
    assert Counter(strata[docno] for docno in chosen) == Counter(
        {stratum: min(each, size) for stratum, size in sizes.items()}
    )


@given(labelled, st.integers(0, 5), st.randoms(use_true_random=False))
def test_what_second_judges_get_only_grows_as_the_primary_goes_on(
    strata: dict[str, int], each: int, random: object
) -> None:
    order = list(strata)
    random.shuffle(order)  # type: ignore[attr-defined]
    before: set[str] = set()
    for count in range(len(order) + 1):
        done = {docno: strata[docno] for docno in order[:count]}
        now = stratified_sample(done, order[count:], each, "7")
        assert before <= now <= set(done)
        assert now == stratified_sample(done, order[count:], each, "7", given=before)
        before = now
    assert before == stratified_sample(strata, [], each, "7")  # in whatever order the labels came


@given(labelled, labelled, st.integers(0, 5), docnos)
def test_what_was_given_stays_when_labels_change_and_documents_join(
    strata: dict[str, int], changed: dict[str, int], each: int, joined: set[str]
) -> None:
    first = stratified_sample(strata, [], each, "7")
    now = strata | changed
    after = stratified_sample(now, joined - now.keys(), each, "7", given=first)
    assert first <= after <= set(now)
    for stratum, size in Counter(now[docno] for docno in after).items():
        kept = sum(now[docno] == stratum for docno in first)
        assert size <= max(each, kept)


def test_documents_of_a_stratum_have_the_same_chance() -> None:
    # 40 relevant of 200, 10 given, 500 seeds: each is given 125 times, within five standard errors.
    strata = {docno: place < 40 for place, docno in enumerate(MANY)}
    given = Counter(docno for seed in range(500) for docno in stratified_sample(strata, [], 10, "7", seed))
    assert all(abs(given[docno] - 125) < 5 * (500 * 0.25 * 0.75) ** 0.5 for docno in MANY[:40])


def test_a_document_that_waits_for_others_is_not_given() -> None:
    # With one of each, only the document of the lowest lot of all is certain before the rest is labelled.
    assert sum(len(stratified_sample({docno: 1}, set(MANY) - {docno}, 1, "7")) for docno in MANY) == 1


def test_a_document_the_primary_could_not_judge_is_not_given() -> None:
    assert stratified_sample({"a": True}, [], 25, "7") == {"a"}


def stream_of(documents: int, share: float, judge: str = "ada") -> list[str]:
    """Return what a judge sees of these documents with repeats, each as soon as it is due."""
    stream, waiting, repeated = list[str](), [f"D{number}" for number in range(documents)], set[str]()
    to_come = planned_repeats(documents, share)
    while waiting:
        due = repeats_due(stream, repeated, share, QueueKey("7", judge))[: to_come - len(repeated)]
        repeated.update(due)
        stream += due or [waiting.pop(0)]
    return stream


def test_each_document_has_the_same_chance_of_a_repeat_and_each_judge_has_others() -> None:
    shown = Counter[int]()
    for judge in range(1000):
        stream = stream_of(65, 0.1, f"judge {judge}")
        shown.update(int(docno[1:]) for docno, count in Counter(stream).items() if count == 2)
    assert sum(shown.values()) == 4000 and set(shown) == set(range(40))
    assert all(abs(count - 100) < 5 * (1000 * 0.1 * 0.9) ** 0.5 for count in shown.values())


@given(st.integers(0, 90), st.sampled_from([0.0, 0.01, 0.03, 0.1, 0.2]))
def test_planned_repeats_come_once_far_enough_behind_and_before_the_end(documents: int, share: float) -> None:
    stream = stream_of(documents, share)
    assert len(stream) == documents + planned_repeats(documents, share)
    assert len(set(stream[-MIN_OPEN_CARDS:]) - {*stream[:-MIN_OPEN_CARDS]}) == min(documents, MIN_OPEN_CARDS)
    for docno, count in Counter(stream).items():
        first, last = stream.index(docno), len(stream) - 1 - stream[::-1].index(docno)
        assert count == 1 or (count == 2 and last - first >= MINIMUM_DISTANCE)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_beyond_the_whole_is_refused(share: float) -> None:
    for attempt in (lambda: shared_sample(MANY, share, "7"), lambda: repeats_due([], [], share, QUEUE)):
        with pytest.raises(ValueError, match="expected a share from 0 to 1"):
            attempt()


def test_counts_below_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="0 or more documents of each stratum"):
        stratified_sample({}, [], -1, "7")


def test_every_rule_says_in_a_sentence_what_it_does() -> None:
    assert list(OVERLAP_RULES) == ["all", "share", "stratified"]
    for name, overlap in OVERLAP_RULES.items():
        assert overlap.name == name and overlap.meaning.endswith(".") and overlap.title
