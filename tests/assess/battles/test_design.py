"""Designs of battles: balanced in pairs, sides and judges, whatever answers are missing."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.battles.design import Assignment, BattlePlan, Pair, battle_design
from assess.double_judging import MINIMUM_DISTANCE
from pooling.refusals import Refused

Design = dict[str, list[Assignment]]
SYSTEMS, TOPICS, JUDGES = "abcdef", "12345678", ["ann", "bob", "cy", "di"]
SHARES = st.sampled_from([0, 0.1, 0.3, 0.5])
SEEDS = st.integers(0, 1000)
FULL = st.builds(
    lambda systems, topics, judges, per_topic, double, repeated, seed: BattlePlan(
        dict.fromkeys(TOPICS[:topics], SYSTEMS[:systems]), JUDGES[:judges], per_topic, double, repeated, seed
    ),
    st.integers(2, 6), st.integers(1, 8), st.integers(2, 4), st.integers(1, 20), SHARES, SHARES, SEEDS,
)  # fmt: skip
PARTIAL = st.builds(
    lambda answers, judges, per_topic, double, repeated, seed: BattlePlan(
        {"0": "ab", **answers}, JUDGES[:judges], per_topic, double, repeated, seed
    ),
    st.dictionaries(st.sampled_from(TOPICS), st.sets(st.sampled_from(SYSTEMS))),
    st.integers(2, 4), st.integers(1, 20), SHARES, SHARES, SEEDS,
)  # fmt: skip
PLANS = st.one_of(FULL, PARTIAL)


def pair_of(battle: Assignment) -> Pair:
    one, other = sorted((battle.left, battle.right))
    return one, other


def firsts(design: Design) -> list[Assignment]:
    return [battle for own in design.values() for battle in own if not battle.is_repeat]


def shown(design: Design) -> Counter[tuple[str, Pair]]:
    """Return how many judges see each pair on each topic."""
    return Counter((battle.topic, pair_of(battle)) for battle in firsts(design))


def without_second(plan: BattlePlan) -> BattlePlan:
    return BattlePlan(plan.answers, plan.judges, plan.per_topic, 0, 0, plan.seed)


def spread(counts: Counter[Pair], of: set[Pair]) -> int:
    numbers = [counts[pair] for pair in of]
    return max(numbers) - min(numbers)


def per_pair(design: Design) -> Counter[Pair]:
    return Counter(pair_of(battle) for battle in firsts(design))


@given(FULL)
def test_pairs_of_systems_meet_equally_often(plan: BattlePlan) -> None:
    pairs = set(combinations(sorted(next(iter(plan.answers.values()))), 2))
    counts = per_pair(battle_design(without_second(plan)))
    assert spread(counts, pairs) <= 1
    most = min(plan.per_topic, len(plan.judges) * len(pairs))
    assert counts.total() == len(plan.answers) * most
    if counts.total() >= len(pairs):
        assert spread(per_pair(battle_design(plan)), pairs) <= 1  # second judges keep it so


@given(PARTIAL)
def test_missing_answers_leave_nothing_that_an_exchange_would_improve(plan: BattlePlan) -> None:
    design = battle_design(without_second(plan))
    own, counts = shown(design), per_pair(design)
    for topic, systems in plan.answers.items():
        possible = list(combinations(sorted(systems), 2))
        for one, other in product(possible, possible):
            if own[topic, one] > own[topic, other]:
                assert own[topic, one] == own[topic, other] + 1
                assert counts[one] - counts[other] <= 1


@given(PLANS)
def test_battles_are_of_systems_with_answers(plan: BattlePlan) -> None:
    design = battle_design(plan)
    assert design.keys() == set(plan.judges)
    for judge, own in design.items():
        for battle in own:
            assert battle.judge == judge and battle.left != battle.right
            assert {battle.left, battle.right} <= {*plan.answers[battle.topic]}


@given(PLANS)
def test_topics_have_the_battles_that_their_pairs_allow(plan: BattlePlan) -> None:
    every = len(list(combinations({system for own in plan.answers.values() for system in own}, 2)))
    most = min(len(plan.judges), ceil(plan.per_topic / every))
    counts = Counter(battle.topic for battle in firsts(battle_design(without_second(plan))))
    for topic, systems in plan.answers.items():
        assert counts[topic] == min(plan.per_topic, most * len(list(combinations(set(systems), 2))))


@given(PLANS)
def test_no_judge_sees_a_pair_twice_on_a_topic(plan: BattlePlan) -> None:
    for own in battle_design(plan).values():
        seen = Counter((battle.topic, pair_of(battle)) for battle in own if not battle.is_repeat)
        assert max(seen.values(), default=0) <= 1


@given(PLANS)
def test_each_system_is_as_often_left_as_right(plan: BattlePlan) -> None:
    surplus, of_pair = Counter[str](), Counter[tuple[Pair, str]]()
    for battle in firsts(battle_design(plan)):
        for system, side in ((battle.left, 1), (battle.right, -1)):
            surplus[system] += side
            of_pair[pair_of(battle), system] += side
    assert {abs(number) for number in (*surplus.values(), *of_pair.values())} <= {0, 1}


@given(PLANS)
def test_judges_have_equally_many_battles(plan: BattlePlan) -> None:
    loads = [sum(not battle.is_repeat for battle in own) for own in battle_design(plan).values()]
    assert max(loads) - min(loads) <= 1


@given(PLANS)
def test_a_share_has_a_second_judge(plan: BattlePlan) -> None:
    once, design = shown(battle_design(without_second(plan))), shown(battle_design(plan))
    assert once.keys() == design.keys()
    open_battles = sum(number < len(plan.judges) for number in once.values())
    wanted = ceil(round(plan.double * once.total(), 9))
    assert design.total() - once.total() == min(wanted, open_battles)
    assert all(design[battle] - once[battle] in (0, 1) for battle in once)


@given(PLANS)
def test_a_share_is_repeated_later_with_sides_swapped(plan: BattlePlan) -> None:
    for own in battle_design(plan).values():
        numbered = list(enumerate(own))
        places = {(each.topic, pair_of(each)): at for at, each in numbered if not each.is_repeat}
        repeats = [(at, battle) for at, battle in numbered if battle.is_repeat]
        distance = min(MINIMUM_DISTANCE, ceil(len(places) / 2))
        assert len(repeats) == min(int(plan.repeated * len(places) + 1e-9), len(places) - distance)
        assert len({(battle.topic, pair_of(battle)) for _, battle in repeats}) == len(repeats)
        for at, battle in repeats:
            before = places[battle.topic, pair_of(battle)]
            assert at - before >= distance
            assert (own[before].left, own[before].right) == (battle.right, battle.left)


@given(PLANS)
def test_a_judge_gets_one_topic_after_the_other(plan: BattlePlan) -> None:
    for own in battle_design(plan).values():
        topics = [battle.topic for battle in own if not battle.is_repeat]
        changes = sum(one != other for one, other in zip(topics, topics[1:], strict=False))
        assert changes == max(len(set(topics)) - 1, 0)


@given(PLANS)
def test_the_order_in_which_names_are_given_does_not_matter(plan: BattlePlan) -> None:
    turned = BattlePlan(
        {topic: sorted(own, reverse=True) for topic, own in reversed([*plan.answers.items()])},
        [*reversed([*plan.judges])],
        plan.per_topic, plan.double, plan.repeated, plan.seed,
    )  # fmt: skip
    assert battle_design(turned) == battle_design(plan)


def test_another_seed_gives_another_design() -> None:
    plans = [BattlePlan(dict.fromkeys(TOPICS, SYSTEMS), JUDGES, 6, seed=seed) for seed in (1, 2)]
    assert battle_design(plans[0]) == battle_design(plans[0]) != battle_design(plans[1])


def test_systems_and_judges_of_a_topic_are_mixed() -> None:
    """Of 190 pairs 20 are shown on each of 50 topics: hardly a system or a judge's pair is left out."""
    systems = [f"s{number}" for number in range(20)]
    design = battle_design(BattlePlan({f"{topic}": systems for topic in range(50)}, JUDGES, 20, 0))
    battles = firsts(design)
    met = Counter((each.topic, system) for each in battles for system in (each.left, each.right))
    assert len(met) > 980 and max(met.values()) <= 6  # 2 in the mean; at random, 135 would be left out
    for own in design.values():
        seen = Counter(pair_of(battle) for battle in own if not battle.is_repeat)
        assert len(seen) > 170  # of 190, in 250 battles; at random, 139


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (BattlePlan({"7": "ab"}, [], 1), "expected at least one judge"),
        (BattlePlan({}, JUDGES, 1), "expected a topic with answers of two systems"),
        (BattlePlan({"7": "a", "8": "bb"}, JUDGES, 1), "expected a topic with answers of two systems"),
        (BattlePlan({"7": "ab"}, JUDGES, 0), "expected at least one battle of a topic, found 0"),
        (BattlePlan({"7": "ab"}, JUDGES, 1, double=1.1), "expected a share from 0 to 1, found 1.1"),
        (BattlePlan({"7": "ab"}, JUDGES, 1, repeated=-0.1), "expected a share from 0 to 1, found -0.1"),
        (BattlePlan({"7": "ab"}, ["ann"], 1), "expected two judges or more"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(plan: BattlePlan, message: str) -> None:
    with pytest.raises(Refused, match=message):
        battle_design(plan)


def test_one_judge_is_enough_if_no_battle_is_to_have_two() -> None:
    design = battle_design(BattlePlan({"7": SYSTEMS}, ["ann"], 15, double=0, repeated=0.1))
    assert len(design["ann"]) == 16
