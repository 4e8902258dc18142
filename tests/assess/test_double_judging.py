from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document_order import QueueKey
from assess.double_judging import OVERLAP_RULES, is_repeated, repeat_due, shared_sample, stratified_sample

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


@given(docnos, shares, shares)
def test_a_larger_share_of_repeats_only_adds(docnos: set[str], one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert all(is_repeated(docno, more, QUEUE) for docno in docnos if is_repeated(docno, less, QUEUE))


def test_about_the_share_returns_and_each_judge_has_other_repeats() -> None:
    many = [f"D{number}" for number in range(10_000)]
    mine = {docno for docno in many if is_repeated(docno, 0.03, QUEUE)}
    bens = {docno for docno in many if is_repeated(docno, 0.03, QueueKey("7", "ben"))}
    assert abs(len(mine) - 300) < 5 * (10_000 * 0.03 * 0.97) ** 0.5
    assert len(mine & bens) < 40


@given(st.integers(0, 60), st.integers(0, 20), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_repeats_come_once_and_far_enough_behind(documents: int, distance: int, share: float) -> None:
    stream: list[str] = []
    waiting = MANY[:documents]
    while waiting or repeat_due(stream, share, distance, QUEUE):
        due = repeat_due(stream, share, distance, QUEUE)
        stream.append(due or waiting.pop(0))
    assert set(stream) == set(MANY[:documents])
    places = {docno: [place for place, other in enumerate(stream) if other == docno] for docno in stream}
    for docno, shown in places.items():
        late = len(stream) - shown[0] <= distance
        assert len(shown) == (2 if is_repeated(docno, share, QUEUE) and not late else 1)
        assert shown[-1] - shown[0] > distance or len(shown) == 1


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_beyond_the_whole_is_refused(share: float) -> None:
    for attempt in (lambda: shared_sample(MANY, share, "7"), lambda: is_repeated("D1", share, QUEUE)):
        with pytest.raises(ValueError, match="expected a share from 0 to 1"):
            attempt()


def test_counts_below_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="0 or more documents of each stratum"):
        stratified_sample({}, [], -1, "7")
    with pytest.raises(ValueError, match="a distance of 0 or more"):
        repeat_due([], 0.5, -1, QUEUE)


def test_every_rule_says_in_a_sentence_what_it_does() -> None:
    assert list(OVERLAP_RULES) == ["all", "share", "stratified"]
    for name, overlap in OVERLAP_RULES.items():
        assert overlap.name == name and overlap.meaning.endswith(".") and overlap.title
