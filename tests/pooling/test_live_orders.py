from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.run_order import DESCENDING
from pooling.strategies.build import order_of
from pooling.strategies.draws import draw_source
from pooling.strategies.live_orders import (
    Arm,
    Order,
    _samples,
    hedge,
    max_mean,
    move_to_front,
    next_document,
    simulate,
)
from pooling.strategies.rankings import RunRankings
from pooling.strategies.registry import STRATEGIES
from tests.pooling.rankings import DOCNOS, runs_on_one_topic, some_runs

LIVE = [name for name, each in STRATEGIES.items() if each.live]
labels = st.sets(st.sampled_from(DOCNOS))


def played_by_seed(name: str, runs: list[RunRankings], relevant: str, **parameters: object) -> set[str]:
    """Return the orders that thirty seeds lead to, each as one word."""
    given = {"floor": 0} | parameters
    return {"".join(simulate(order_of(name, runs, "1", given, seed), relevant)) for seed in range(30)}


@pytest.mark.parametrize("name", LIVE)
@given(runs=some_runs, relevant=labels, floor=st.integers(0, 3), budget=st.integers(1, 14))
def test_the_labels_so_far_reproduce_a_live_order(
    name: str, runs: list[RunRankings], relevant: set[str], floor: int, budget: int
) -> None:
    order = order_of(name, runs, "1", {"floor": floor, "budget": budget}, seed=3)
    judged = simulate(order, relevant)
    for count, docno in enumerate([*judged, None]):
        so_far = judged[:count]
        random.Random(count).shuffle(so_far)  # in which order the labels came is all the same
        assert next_document(order, {docno: docno in relevant for docno in so_far}) == docno


@pytest.mark.parametrize("name", LIVE)
@given(runs=some_runs, relevant=labels)
def test_a_live_order_comes_to_every_document_once(
    name: str, runs: list[RunRankings], relevant: set[str]
) -> None:
    judged = simulate(order_of(name, runs, "1", {"floor": 0}), relevant)
    assert sorted(judged) == sorted({docno for run in runs for docno in run.rankings.get("1", ())})


@pytest.mark.parametrize("name", LIVE)
@given(runs=some_runs, relevant=labels, turns=st.integers(1, 12))
def test_judges_at_the_same_time_never_get_the_same_document_and_miss_none(
    name: str, runs: list[RunRankings], relevant: set[str], turns: int
) -> None:
    order = order_of(name, runs, "1", {"floor": 1})
    seen: dict[str, bool] = {}
    on_desks: list[str] = []
    while (docno := next_document(order, seen, on_desks)) is not None or on_desks:
        if docno is not None:
            assert docno not in seen and docno not in on_desks
            on_desks.append(docno)
        if docno is None or len(on_desks) > turns % 3:
            done = on_desks.pop(turns % len(on_desks))
            seen[done] = done in relevant
    assert seen.keys() == {docno for run in runs for docno in run.rankings.get("1", ())}


@pytest.mark.parametrize("name", LIVE)
def test_documents_on_other_desks_count_towards_the_budget(name: str) -> None:
    order = order_of(name, runs_on_one_topic("abc"), "1", {"floor": 0, "budget": 2})
    assert next_document(order, {"a": False}) == "b"
    assert next_document(order, {"a": False}, {"b"}) is None


def test_move_to_front_stays_while_documents_are_relevant_and_leaves_at_the_first_that_is_not() -> None:
    runs = runs_on_one_topic("abcg", "defh")
    # Whichever run comes first; after c and d both are as bad as each other.
    orders = played_by_seed("mtf", runs, relevant="ab")
    assert {order[:4] for order in orders} == {"abcd", "dabc"}
    assert {order[4:] for order in orders} == {"gefh", "egfh"}


def test_move_to_front_passes_judged_documents_without_effect() -> None:
    assert played_by_seed("mtf", runs_on_one_topic("ab", "acd"), relevant="ac") == {"abcd", "acdb"}


def test_max_mean_stays_with_a_run_that_is_better_in_the_mean() -> None:
    runs = runs_on_one_topic("abcg", "defh")
    # r0: 2/3, 3/4, then 3/5 after c, which is still above 1/2 for an untried run.
    assert played_by_seed("maxmean", runs, relevant="abg") == {"abcgdefh", "dabcgefh"}


def test_max_mean_at_rate_nought_remembers_the_last_label_only() -> None:
    runs = runs_on_one_topic("abcg", "defh")
    orders = played_by_seed("maxmean-ns", runs, relevant="abg", rate=0)
    assert {order[:4] for order in orders} == {"abcd", "dabc"}


def test_a_label_teaches_the_played_run_or_every_holder() -> None:
    runs = runs_on_one_topic("ab", "ac", "de")
    after_a = {
        credit: {order[order.index("a") + 1] for order in played_by_seed("maxmean", runs, "a", credit=credit)}
        for credit in ("played", "holders")
    }
    assert after_a == {"played": {"b", "c"}, "holders": {"b", "c"}}
    # b, not relevant, brings a run that learnt from a down to 2/4; the other holder still has 2/3.
    third = {
        credit: {order for order in played_by_seed("maxmean", runs, "a", credit=credit) if order[:2] == "ab"}
        for credit in ("played", "holders")
    }
    assert {order[2] for order in third["holders"]} == {"c"}
    assert {order[2] for order in third["played"]} == {"c", "d"}


def test_a_floor_teaches_every_run_what_its_own_first_documents_were() -> None:
    runs = runs_on_one_topic("abcd", "mnop", "abyz")
    order = max_mean(
        {run.tag: run.rankings["1"] for run in runs},
        {"a": True, "m": False, "b": True, "n": False},
        draw_source(seed=1, topic="1"),
    )
    assert next(order) in "cy"


def test_a_floor_lowers_the_priority_of_runs_whose_first_documents_were_not_relevant() -> None:
    lists = {"r0": list("abcd"), "r1": list("mnop"), "r2": list("axyz")}
    known = {"a": True, "m": False, "b": False, "n": False, "x": True}
    for seed in range(20):
        assert next(move_to_front(lists, known, draw_source(seed, "1"))) == "y"


def test_an_arm_forgets_at_its_rate() -> None:
    arm = Arm()
    for label in (True, True, None, False):
        arm.learn(label, rate=0.5)
    # relevant: 1, 1.5, 0.75; judged: 1, 1.5, 1.75; nothing is learnt from a document that nobody could judge.
    assert (arm.relevant, arm.judged) == (0.75, 1.75)
    assert arm.mean == 1.75 / 3.75


def test_thompson_draws_from_the_beta_distribution_of_each_run() -> None:
    draw = draw_source(seed=1, topic="1")
    arms = {"good": Arm(relevant=7, judged=8), "new": Arm()}
    drawn = np.array([list(_samples(arms, draw, step).values()) for step in range(3000)])
    # Beta(8, 2) and Beta(1, 1): means 0.8 and 0.5, variances ab / ((a + b)^2 (a + b + 1)).
    assert drawn.mean(axis=0) == pytest.approx([0.8, 0.5], abs=0.02)
    assert drawn.var(axis=0) == pytest.approx([16 / 1100, 1 / 12], rel=0.1)


def test_thompson_plays_a_good_run_more_often() -> None:
    good, poor = "".join(map(chr, range(1000, 1100))), "".join(map(chr, range(2000, 2100)))
    runs = runs_on_one_topic(good, poor)
    for seed in range(5):
        order = order_of("thompson", runs, "1", {"floor": 0, "budget": 60}, seed)
        judged = Counter(docno in good for docno in simulate(order, good))
        assert judged[True] > 40


def test_hedge_follows_the_run_that_has_ranked_well() -> None:
    lists = {"r0": ["a", "b", "c"], "r1": ["d", "e", "f"]}
    # H = 1, 1.5, 1.8333, so ranks are worth 0.8333, 0.3333, 0. a and d tie at 0.41667: a by docno.
    assert first_two(hedge(lists, {}, deepest=3), True) == ("a", "b")  # 0.723 * 0.3333 > 0.277 * 0.8333
    assert first_two(hedge(lists, {}, deepest=3), False) == ("a", "d")
    assert first_two(hedge(lists, {}, deepest=3, ties=DESCENDING), True) == ("d", "e")


def test_hedge_learns_nothing_at_beta_one() -> None:
    lists = {"r0": ["a", "b", "c"], "r1": ["d", "e", "f"]}
    assert first_two(hedge(lists, {}, beta=1, deepest=3), True) == ("a", "d")


def test_hedge_gives_a_document_that_a_short_run_lacks_the_mean_of_the_ranks_behind() -> None:
    # deepest 3: r0 gives b and c (0.3333 + 0) / 2 each, so b: 0.8333 + 0.1667 = 1.0 = a, and c: 0.5.
    order = hedge({"r0": ["a"], "r1": ["b", "c"]}, {}, beta=1, deepest=3)
    # a: 0.8333 + r1's mean behind its two, 0 = 0.8333 < b.
    assert [next(order), order.send(None), order.send(None)] == ["b", "a", "c"]


def first_two(order: Order, label: bool) -> tuple[str, str]:
    return next(order), order.send(label)
