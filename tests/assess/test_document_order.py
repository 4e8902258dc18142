from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document_order import POLICIES, QueueKey, burn_in_of, judging_order, next_live, ordered, policy_of
from pooling.strategies.build import order_of
from pooling.strategies.live_orders import simulate
from pooling.strategies.rankings import RunRankings
from pooling.strategies.registry import STRATEGIES
from tests.pooling.rankings import DOCNOS, some_runs

FIXED = [policy.name for policy in POLICIES.values() if policy.order]
LIVE = [name for name, strategy in STRATEGIES.items() if strategy.live]
MANY = [f"D{number}" for number in range(50)]
QUEUE = QueueKey("7", "ada")

docnos = st.lists(st.text(min_size=1), unique=True)
queue_keys = st.builds(
    QueueKey, st.sampled_from(["7", "8"]), st.sampled_from(["ada", "ben"]), st.integers(0, 3)
)
places = st.dictionaries(st.text(min_size=1), st.integers(0, 5))


@given(docnos, st.randoms())
def test_the_order_does_not_depend_on_how_documents_arrive(given_order: list[str], random: object) -> None:
    shuffled = given_order.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert judging_order("7", "ada", shuffled) == judging_order("7", "ada", given_order)


@given(docnos)
def test_a_document_that_joins_later_moves_no_other(before: list[str]) -> None:
    after = judging_order("7", "ada", {*before, "new document"})
    assert [docno for docno in after if docno in before] == judging_order("7", "ada", before)


def test_two_judges_and_two_topics_have_orders_of_their_own() -> None:
    orders = {tuple(judging_order(topic, judge, MANY)) for topic in "78" for judge in ("ada", "ben")}
    assert len(orders) == 4
    assert all(sorted(order) == sorted(MANY) for order in orders)


def test_a_running_campaign_keeps_the_order_that_it_began_with() -> None:
    # By sha256sum of judge, topic and docno with line ends between them: 1ac9…, 4235…, 7116…, 831d…, 9bac…
    began_with = ["FT-5", "FT-2", "FT-4", "FT-3", "FT-1"]
    assert judging_order("7", "ada", sorted(began_with)) == began_with
    assert ordered("random-own", sorted(began_with), QueueKey("7", "ada", seed=0)) == began_with


@pytest.mark.parametrize("policy", FIXED)
@given(docnos=docnos, more=docnos, queue_key=queue_keys, places=places, count=st.integers(0, 8))
def test_documents_that_join_reorder_nothing_and_none_is_lost_or_doubled(
    policy: str, docnos: list[str], more: list[str], queue_key: QueueKey, places: dict[str, int], count: int
) -> None:
    first = burn_in_of({docno: places.get(docno, 9) for docno in docnos}, count, queue_key)
    before = ordered(policy, docnos, queue_key, places, first)
    after = ordered(policy, [*reversed(docnos), *more], queue_key, places, first)
    assert sorted(before) == sorted(docnos)
    assert sorted(after) == sorted({*docnos, *more})
    assert [docno for docno in after if docno in docnos] == before
    assert after[: len(first)] == first


@pytest.mark.parametrize(
    ("policy", "differs_by"),
    [
        ("docno", ""),
        ("random-same", "topic seed"),
        ("random-own", "topic judge seed"),
        ("priority", "topic seed"),  # among documents of one place
        ("triage", "topic seed"),
    ],
)
def test_an_order_differs_by_what_its_sentence_says(policy: str, differs_by: str) -> None:
    others = {"topic": QueueKey("8", "ada"), "judge": QueueKey("7", "ben"), "seed": QueueKey("7", "ada", 1)}
    own = ordered(policy, MANY, QUEUE)
    assert {name for name, queue_key in others.items() if ordered(policy, MANY, queue_key) != own} == set(
        differs_by.split()
    )


def test_priority_follows_the_pool_and_leaves_documents_without_a_place_for_last() -> None:
    order = ordered("priority", MANY, QUEUE, places={"D3": 2, "D9": 1, "D4": 2, "D5": 7})
    assert order[0] == "D9" and set(order[1:3]) == {"D3", "D4"} and order[3] == "D5"


def test_docno_order_is_that_of_the_bytes() -> None:
    assert ordered("docno", ["b", "é", "B", "10", "9"], QUEUE) == ["10", "9", "B", "b", "é"]


@given(st.sets(st.text(min_size=1)), st.integers(0, 12), queue_keys)
def test_a_burn_in_takes_one_document_of_every_part(
    docnos: set[str], count: int, queue_key: QueueKey
) -> None:
    ranked = sorted(docnos)
    chosen = burn_in_of({docno: place for place, docno in enumerate(ranked)}, count, queue_key)
    size = min(count, len(ranked))
    cuts = [len(ranked) * part // size for part in range(size + 1)] if size else []
    assert [len({*ranked[start:end]} & {*chosen}) for start, end in pairwise(cuts)] == [1] * size
    assert len(chosen) == size


def test_a_burn_in_mixes_top_and_bottom_for_all_judges_alike() -> None:
    places = {docno: place for place, docno in enumerate(MANY)}
    first = burn_in_of(places, 5, QUEUE)
    assert sorted(places[docno] // 10 for docno in first) == [0, 1, 2, 3, 4]
    assert first != sorted(first, key=places.__getitem__)
    assert first == burn_in_of(places, 5, QueueKey("7", "ben"))
    assert first != burn_in_of(places, 5, QueueKey("7", "ada", seed=1))


def test_a_burn_in_document_that_is_not_this_judges_is_left_out() -> None:
    assert ordered("docno", ["a", "b"], QUEUE, burn_in=["z", "b", "b"]) == ["b", "a"]


@pytest.mark.parametrize("strategy", LIVE)
@given(
    runs=some_runs, relevant=st.sets(st.sampled_from(DOCNOS)), floor=st.integers(0, 3), queue_key=queue_keys
)
def test_a_live_queue_judges_the_floor_and_then_as_the_strategy_does(
    strategy: str, runs: list[RunRankings], relevant: set[str], floor: int, queue_key: QueueKey
) -> None:
    order = order_of(strategy, runs, "1", {"floor": floor, "budget": 8}, seed=3)
    labels: dict[str, bool] = {}
    while (docno := next_live(order, queue_key, labels)) is not None:
        assert docno not in labels
        labels[docno] = docno in relevant
    judged, expected = list(labels), simulate(order, relevant)
    assert sorted(judged[: len(order.floor)]) == sorted(order.floor)
    assert judged[len(order.floor) :] == expected[len(order.floor) :]


@given(runs=some_runs, queue_key=queue_keys, labelled=st.sets(st.sampled_from(DOCNOS)))
def test_a_document_in_the_queue_of_another_judge_is_not_shown(
    runs: list[RunRankings], queue_key: QueueKey, labelled: set[str]
) -> None:
    order = order_of("mtf", runs, "1", {"floor": 2})
    labels = {docno: docno < "f" for docno in labelled}
    ahead: list[str] = []
    while (docno := next_live(order, queue_key, labels, ahead)) is not None:
        assert docno not in labels and docno not in ahead
        ahead.append(docno)
    assert {*ahead, *labels} >= set(simulate(order, ()))


def test_a_live_floor_is_shuffled_by_topic_and_seed() -> None:
    run = RunRankings("one", {"1": MANY})
    order = order_of("mtf", [run], "1", {"floor": 50})
    seen = {next_live(order, QueueKey(topic, "ada", seed), {}) for topic in "78" for seed in range(5)}
    assert len(seen) > 3
    assert next_live(order, QueueKey("7", "ada"), {}) == next_live(order, QueueKey("7", "ben"), {})


@pytest.mark.parametrize(
    ("attempt", "expected"),
    [
        (lambda: policy_of("alphabet"), "expected an order .random-own, .*, found 'alphabet'"),
        (lambda: ordered("live", MANY, QUEUE), "not known in advance"),
        (lambda: burn_in_of({}, -1, QUEUE), "expected 0 or more burn-in documents"),
    ],
)
def test_what_cannot_be_ordered_is_refused(attempt: object, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        attempt()  # type: ignore[operator]


def test_every_policy_says_in_a_sentence_what_it_does() -> None:
    for name, policy in POLICIES.items():
        assert policy.name == name and policy.meaning.endswith(".") and policy.title
    assert list(POLICIES)[0] == "random-own"  # as it was before there was a choice


def test_a_shuffle_is_even() -> None:
    # Each of ten documents comes first for about a tenth of a thousand judges: within five standard errors.
    firsts = [ordered("random-own", MANY[:10], QueueKey("7", f"judge {n}"))[0] for n in range(1000)]
    assert all(abs(firsts.count(docno) - 100) < 5 * (1000 * 0.1 * 0.9) ** 0.5 for docno in MANY[:10])
