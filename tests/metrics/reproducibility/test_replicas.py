"""Measures of reproducibility: published figures of repro_eval, plain loops, and what changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.rankings.rank_overlap import rbo_of_lists
from metrics.reproducibility.replicas import (
    NO_BASELINE,
    NO_EFFECT,
    NO_VARIANCE,
    TOO_FEW,
    Experiment,
    document_orders,
    effect_ratio,
    relative_delta,
    rmse,
    tau_by_docno,
    tau_of_union,
    unpaired_t_test,
)
from metrics.significance.paired import paired_t_test
from pooling.arrays import Vector


def tenths(text: str) -> Vector:
    return np.array([int(word) for word in text.split()]) / 10


# P@10 by topic of WCRobust04 and WCRobust0405 in TREC Common Core 2017, of their reproduction by
# constellation 14 on the same 50 topics, and of its replication on 25 topics of Common Core 2018, from
# irgroup/sigir2020-measure-reproducibility, evaluation/matlab/results. What the README of repro_eval prints
# for these runs is expected below.
BASE = tenths(
    "7 8 6 8 4 5 7 1 10 10 9 10 10 4 0 9 3 3 5 2 6 5 9 8 0 "
    "8 8 6 4 4 5 9 6 9 9 7 9 3 0 5 7 10 10 10 10 6 8 10 8 3"
)
ADVANCED = tenths(
    "9 10 6 9 7 5 5 1 10 10 9 8 10 4 0 10 8 5 10 3 9 5 9 10 10 "
    "9 8 7 7 8 5 10 4 9 9 9 8 6 4 8 8 10 10 10 10 6 8 9 8 3"
)
BASE_AGAIN = tenths(
    "9 8 9 8 5 0 6 7 9 10 10 9 10 6 0 10 9 5 7 2 6 3 9 5 0 "
    "7 8 6 6 8 5 9 5 9 9 4 8 0 3 7 6 10 9 10 9 7 8 9 8 3"
)
ADVANCED_AGAIN = tenths(
    "8 10 7 9 9 6 8 1 10 10 10 8 10 7 0 10 9 6 9 2 7 5 8 10 10 "
    "9 8 8 8 10 4 10 6 9 9 9 9 4 4 8 8 10 10 10 9 6 8 9 8 3"
)
BASE_ELSEWHERE = tenths("2 0 6 5 3 3 10 9 2 1 6 10 2 7 0 10 0 2 1 3 4 7 10 3 0")
ADVANCED_ELSEWHERE = tenths("2 1 4 5 1 5 10 9 5 3 3 10 2 10 0 10 5 3 4 2 3 8 10 3 0")
ORIGINAL = Experiment(ADVANCED, BASE)


def test_root_mean_square_errors_that_repro_eval_published() -> None:
    assert rmse(BASE, BASE_AGAIN) == pytest.approx(0.2000, abs=5e-5)
    assert rmse(ADVANCED, ADVANCED_AGAIN) == pytest.approx(0.1020, abs=5e-5)


def test_the_effect_of_a_reproduction_that_repro_eval_published() -> None:
    again = Experiment(ADVANCED_AGAIN, BASE_AGAIN)
    assert effect_ratio(ORIGINAL, again).value == pytest.approx(0.9615, abs=5e-5)
    assert relative_delta(ORIGINAL, again).value == pytest.approx(0.0117, abs=5e-5)


def test_the_effect_of_a_replication_that_repro_eval_published() -> None:
    elsewhere = Experiment(ADVANCED_ELSEWHERE, BASE_ELSEWHERE)
    assert effect_ratio(ORIGINAL, elsewhere).value == pytest.approx(0.4615, abs=5e-5)
    assert relative_delta(ORIGINAL, elsewhere).value == pytest.approx(0.0478, abs=5e-5)


def test_p_of_a_replication_that_repro_eval_published() -> None:
    base, advanced = unpaired_t_test(BASE, BASE_ELSEWHERE), unpaired_t_test(ADVANCED, ADVANCED_ELSEWHERE)
    assert base.p == pytest.approx(0.0055, abs=5e-5) and base.n == (50, 25)
    assert advanced.p == pytest.approx(0.0002, abs=5e-5)


def test_p_of_a_reproduction_is_that_of_the_paired_test() -> None:
    """The README has 0.6547, which follows from these scores neither paired nor unpaired: its open issue."""
    assert paired_t_test(BASE, BASE_AGAIN).p == pytest.approx(0.4016, abs=5e-5)


# The first documents of a run of Common Core 2018 for topic 321, cut short; two tied ones stand the other way
# in the replica: irgroup/ipm-reproducibility, notebooks/KTU_test.ipynb, which prints 0.98947368421053.
TOPIC_321 = [
    "e9aea", "81a3c", "34c01", "46645", "44e6f", "a1d50", "5845e", "aaa6d", "eacd3", "3ee24",
    "705b0", "ebf57", "70c17", "55090", "cc01d", "a6f35", "e2750", "7468d", "8e123", "aab75",
]  # fmt: skip


@pytest.mark.parametrize("tau", [tau_of_union, tau_by_docno])
def test_tau_of_the_union_that_repro_eval_published(tau: Callable[..., float]) -> None:
    swapped = [*TOPIC_321[:3], TOPIC_321[4], TOPIC_321[3], *TOPIC_321[5:]]
    assert tau(swapped, TOPIC_321) == pytest.approx(0.98947368421053, abs=5e-15)
    assert tau(TOPIC_321, TOPIC_321) == pytest.approx(1, abs=1e-15)


def test_names_matter_to_the_tau_of_repro_eval_alone() -> None:
    """The example of the paper, [1, 2, 3] and [1, 2, 4], and the same with other names."""
    assert tau_by_docno("abc", "abd") == pytest.approx(1)
    assert tau_by_docno("bca", "bcd") == pytest.approx(-1 / 3)
    assert tau_of_union("abc", "abd") == tau_of_union("bca", "bcd") == pytest.approx(2 / 3)


def test_runs_without_a_common_document_disagree() -> None:
    assert tau_of_union("ab", "xy") == pytest.approx(-4 / 5)
    found = document_orders({"1": list("ab")}, {"1": list("xy")}).by_topic["1"]
    assert (found.rbo, found.common) == (0, 0) and found.tau == pytest.approx(-4 / 5)


def test_lists_are_cut() -> None:
    assert tau_of_union("abcd", "abdc", depth=2) == pytest.approx(1)
    assert tau_of_union("a", "a") is tau_of_union("", "ab") is tau_by_docno("ab", "a") is None
    assert tau_of_union("ab", "a") == pytest.approx(1)  # the lacking one stands behind


documents = st.lists(st.integers(0, 30), unique=True, min_size=2, max_size=12)


@given(documents, documents)
def test_tau_of_the_union_is_that_of_a_plain_loop(first: list[int], second: list[int]) -> None:
    union = sorted({*first, *second})
    ranks = [[each.index(d) if d in each else 99 for d in union] for each in (first, second)]
    signs = np.array(
        [[np.sign(rank[b] - rank[a]) for rank in ranks] for a, b in combinations(range(len(union)), 2)]
    )
    untied = np.abs(signs).sum(axis=0)
    assert tau_of_union(first, second) == pytest.approx((signs[:, 0] @ signs[:, 1]) / np.sqrt(untied.prod()))


@given(documents, documents, st.permutations(range(31)))
def test_names_and_direction_do_not_matter(first: list[int], second: list[int], names: list[int]) -> None:
    one, other = ([names[document] for document in each] for each in (first, second))
    assert tau_of_union(one, other) == pytest.approx(tau_of_union(first, second))
    assert tau_of_union(second, first) == pytest.approx(tau_of_union(first, second))
    assert tau_of_union(first, first) == pytest.approx(1)
    assert tau_of_union(first, first[::-1]) == pytest.approx(-1)


@given(documents, documents)
def test_orders_are_of_the_topics_of_both_runs(first: list[int], second: list[int]) -> None:
    found = document_orders({"1": first, "2": first}, {"1": second, "3": first}, depth=5, p=0.8)
    assert list(found.by_topic) == ["1"]
    assert found.tau == found.by_topic["1"].tau == tau_of_union(first, second, 5)
    assert found.rbo == rbo_of_lists(first[:5], second[:5], 0.8).extrapolated
    assert found.by_topic["1"].common == len({*first[:5]} & {*second[:5]})


def test_without_a_common_topic_there_is_no_order() -> None:
    found = document_orders({"1": ["a"]}, {"2": ["a"]})
    assert (found.by_topic, found.tau, found.rbo) == ({}, None, None)


scores = st.lists(st.floats(0, 1), min_size=3, max_size=3).map(np.array)


@given(scores, scores, scores, st.floats(0.1, 5))
def test_an_experiment_is_reproduced_by_itself(
    first: Vector, second: Vector, third: Vector, by: float
) -> None:
    original = Experiment(first, second)
    ratio, delta = effect_ratio(original, original), relative_delta(original, original)
    assert ratio.value is None or ratio.value == 1
    assert delta.value is None or delta.value == 0
    assert rmse(first, first) == 0
    assert rmse(first, third) == pytest.approx(rmse(third, first))
    assert rmse(first * by, third * by) == pytest.approx(by * (rmse(first, third) or 0), abs=1e-9)


def test_an_effect_is_measured_in_units_of_the_original_one() -> None:
    base = np.array([0.2, 0.4])
    original = Experiment(base + 0.1, base)
    assert effect_ratio(original, Experiment(base + 0.2, base)).value == pytest.approx(2)
    assert effect_ratio(original, Experiment(base - 0.1, base)).value == pytest.approx(-1)
    assert relative_delta(original, Experiment(base - 0.1, base)).value == pytest.approx(2 / 3)


def test_what_is_undefined_says_why() -> None:
    flat, base = np.array([0.2, 0.2]), np.array([0.1, 0.3])
    none = Experiment(flat, base)  # the improvements cancel
    assert effect_ratio(none, none).reason == NO_EFFECT
    zero = Experiment(base, np.zeros(2))
    assert relative_delta(zero, none).reason == relative_delta(none, zero).reason == NO_BASELINE
    assert unpaired_t_test(flat, flat).reason == NO_VARIANCE
    assert unpaired_t_test(flat, base[:1]).reason == TOO_FEW
    assert rmse(np.array([]), np.array([])) is None
    with pytest.raises(ValueError, match="the same topics"):
        rmse(base, base[:1])
    with pytest.raises(ValueError, match="the same topics"):
        relative_delta(none, Experiment(base, base[:1]))
