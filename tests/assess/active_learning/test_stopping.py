"""Stopping rules: the worked numbers, what each says at its limit, and what it needs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom

from assess.active_learning.quant import expected_recall, probability_sums
from assess.active_learning.rule_figures import (
    ALPHA,
    documents_to_draw,
    knee,
    knee_threshold,
    least_relevant,
    missed_test,
    missed_test_of_order,
    more_for_missed_test,
    quantile_needed,
    relevant_for_misses,
)
from assess.active_learning.simulation import KnownSample, draw_sample, first_stops, states
from assess.active_learning.stopping import RULES, Advice, RandomSample, ReviewState, advise
from pooling.refusals import Refused
from tests.assess.active_learning.labelled_texts import review_of


def state_of(labels: list[bool], collection: int = 10_000, sample: RandomSample | None = None) -> ReviewState:
    return ReviewState(np.array(labels), np.array([len(labels)]), collection, sample)


def said(rule: str, state: ReviewState, target: float = 0.8) -> Advice:
    [advice] = advise(state, target, [rule])
    return advice


def test_the_worked_knee() -> None:
    reviewed = np.array([100, 200, 300, 400, 800, 1200])
    found = np.array([50, 80, 95, 100, 102, 103])
    ratios, thresholds = [], []
    for points in range(2, 7):
        knee_here = knee(reviewed[:points], found[:points])
        assert knee_here is not None
        ratios.append(f"{knee_here.rho:.2f}")
        thresholds.append(knee_threshold(int(found[points - 1])))
    assert ratios == ["1.61", "2.17", "3.81", "19.79", "31.67"]
    assert thresholds == [76, 61, 56, 54, 53]
    assert knee(reviewed[:1], found[:1]) is None and knee(reviewed, np.zeros(6, dtype=int)) is None


def test_knee_stops_where_the_curve_is_flat_enough() -> None:
    """100 relevant documents, then none: rho = 1 / (1 / misses), and 56 are needed."""
    assert not said("knee", state_of([True] * 100 + [False] * 55)).stop
    advice = said("knee", state_of([True] * 100 + [False] * 56))
    assert advice.stop and advice.promise.startswith("none")
    assert advice.because == "after document 100 the gain curve is 56.00 times flatter (56 at least)"


def test_budget_needs_both_or_three_quarters() -> None:
    flat = [True] * 50 + [False] * 150
    assert said("budget", state_of(flat, collection=1000)).stop  # 200 >= 10 * 1000 / 50
    assert not said("budget", state_of(flat, collection=1001)).stop
    even = [True, False] * 100
    assert not said("budget", state_of(even, collection=267)).stop
    assert said("budget", state_of(even, collection=266)).stop
    assert not said("budget", state_of([False] * 74, collection=100)).stop
    assert said("budget", state_of([False] * 75, collection=100)).stop


@pytest.mark.parametrize(
    ("recall", "expected"),
    [
        (0.7, {10: 10, 14: 13, 22: 20, 30: 26, 50: 41, 100: 78}),
        (0.8, {14: 14, 22: 21, 30: 28, 50: 45, 100: 87}),
        (0.9, {30: 30, 50: 49, 100: 96}),
    ],
)
def test_the_worked_quantiles(recall: float, expected: dict[int, int]) -> None:
    assert {relevant: quantile_needed(relevant, recall) for relevant in expected} == expected


def test_the_worked_sizes_of_samples() -> None:
    assert [least_relevant(recall) for recall in (0.7, 0.75, 0.8, 0.9, 0.95)] == [9, 11, 14, 29, 59]


@given(relevant=st.integers(0, 120), recall=st.floats(0.05, 0.99))
def test_the_quantile_is_the_smallest_that_keeps_the_error(relevant: int, recall: float) -> None:
    needed = quantile_needed(relevant, recall)
    fitting = np.flatnonzero(binom.sf(np.arange(relevant + 1) - 1, relevant, recall) <= 0.05)
    assert needed == (fitting[0] if len(fitting) else None)


@pytest.mark.parametrize("recall", [0.7, 0.8, 0.9, 0.95])
def test_a_sample_for_misses_is_the_smallest_that_allows_them(recall: float) -> None:
    for missed in range(12):
        size = relevant_for_misses(missed, recall)
        needed, before = quantile_needed(size, recall), quantile_needed(size - 1, recall)
        assert needed is not None and size - needed >= missed
        assert before is None or size - 1 - before < missed


def test_qbcb_says_what_is_found_and_what_the_sample_lacks() -> None:
    labels = [True] * 20 + [False] * 80
    few = said("qbcb", state_of(labels, 2000, RandomSample(200, 13, 20, 13)))
    assert (few.stop, few.because) == (
        False,
        "needs 14 relevant documents in the sample, has 13: about 16 more random documents",
    )
    almost = said("qbcb", state_of(labels, 2000, RandomSample(400, 22, 20, 20)))
    enough = said("qbcb", state_of([*labels[:20], *labels], 2000, RandomSample(400, 22, 25, 21)))
    assert not almost.stop and enough.stop
    assert almost.because == (
        "20 of the 22 relevant documents of the sample are found; 21 are enough: more batches may find the"
        " others, or a larger sample allows 2 misses: about 146 more random documents"
    )
    assert enough.because == "21 of the 22 relevant documents of the sample are found; 21 are enough"
    missing = said("qbcb", state_of(labels, 20_000, RandomSample(400, 12, 20, 10)))
    assert missing.because == (  # 2 more relevant documents are not enough while 2 of them are not found
        "needs 14 relevant documents in the sample, all of them found, or 30 with 2 misses, has 12: about 600"
        " more random documents"
    )
    none = said("qbcb", state_of(labels, 2000, RandomSample(50, 0, 5, 0)))
    assert none.because == "needs 14 relevant documents in the sample, has 0"
    assert (documents_to_draw(30, 1600, 22), documents_to_draw(30, 1600, 0)) == (582, None)


def test_target_needs_ten_and_all_of_them() -> None:
    labels = [True] * 20 + [False] * 80
    assert not said("target", state_of(labels, 2000, RandomSample(100, 9, 12, 9))).stop
    assert not said("target", state_of(labels, 2000, RandomSample(100, 10, 12, 9))).stop
    assert said("target", state_of(labels, 2000, RandomSample(100, 10, 12, 10))).stop


@pytest.mark.parametrize(
    ("size", "relevant", "missed", "p"),
    [
        (300, 0, 6, "0.1169"),
        (400, 0, 6, "0.0462"),
        (500, 0, 6, "0.0154"),
        (500, 1, 7, "0.0618"),
        (700, 1, 7, "0.0037"),
    ],
)
def test_the_worked_tests_of_what_is_missed(size: int, relevant: int, missed: int, p: str) -> None:
    test = missed_test(1000, 100, size, relevant, 0.95)
    assert (test.missed, f"{test.p:.4f}") == (missed, p)


def test_chm_tests_the_part_of_the_sample_that_is_left() -> None:
    labels = [True] * 100 + [False] * 300
    sample = RandomSample(size=500, relevant=30, reached=100, found=30)
    advice = said("chm", state_of(labels, 1400, sample), 0.95)
    assert advice.stop and "0 of 400 random documents that are left are relevant: p = 0.046" in advice.because
    assert not said("chm", state_of(labels, 1400, sample._replace(size=400)), 0.95).stop


@given(
    rest=st.integers(1, 3000),
    found=st.integers(0, 300),
    size=st.integers(0, 3000),
    relevant=st.integers(0, 3),
    recall=st.sampled_from([0.5, 0.8, 0.95]),
)
def test_chm_needs_no_fewer_random_documents_than_it_says(
    rest: int, found: int, size: int, relevant: int, recall: float
) -> None:
    assume(relevant <= size <= rest)
    more = more_for_missed_test(rest, found, size, relevant, recall)
    assert missed_test(rest, found, size + more, relevant, recall).p < ALPHA
    assert not more or missed_test(rest, found, size + more - 1, relevant, recall).p >= ALPHA


def test_a_recall_that_is_a_decimal_fraction_is_taken_exactly() -> None:
    """19 / 0.95 is 20: one more missed document than found would be 2. Binary 0.95 could say otherwise."""
    for found in range(19, 1900, 19):
        assert missed_test(10_000, found, 10, 0, 0.95).missed == found // 19 + 1
    assert missed_test(3, 100, 1, 0, 0.5) == (101, 0)


def test_chm_without_a_sample_takes_the_lowest_p_of_all_stretches() -> None:
    labels = np.array([True] * 30 + [False] * 70)
    ends = np.array([10, 30, 60, 100])
    lowest = missed_test_of_order(labels, ends, 200, 0.8)
    assert lowest == min(
        missed_test(170, 30, 70, 0, 0.8), missed_test(140, 30, 40, 0, 0.8), key=lambda test: test.p
    )
    assert missed_test_of_order(labels[:30], ends[:2], 200, 0.8) is None
    state = ReviewState(labels, ends, 200)
    assert said("chm_order", state).stop and said("chm_order", state).promise.startswith("none")


def test_the_worked_expected_recall() -> None:
    sums = probability_sums([0.9, 0.8, 0.7, 0.2], [0.6, 0.3, 0.1, 0.05, 0.05, 0.02])
    recall = expected_recall(sums)
    assert (f"{recall.value:.4f}", f"{recall.variance:.4f}") == ("0.6989", "0.0898")
    state = ReviewState(np.ones(4, dtype=bool), np.array([4]), 10, expected=sums)
    assert said("quant", state, 0.69).stop and not said("quant", state, 0.7).stop
    assert said("quant_2", state, 0.099).stop and not said("quant_2", state, 0.1).stop  # 0.6989 - 2 x 0.2997
    assert expected_recall(probability_sums([0.0], [0.0])) == (None, None)
    with pytest.raises(ValueError, match="from 0 to 1"):
        probability_sums([0.5], [1.5])


def test_the_simple_rules_at_their_limits() -> None:
    batches = ReviewState(np.array([True] * 10 + [True] * 5 + [False] * 195), np.array([10, 210]), 1000)
    assert said("precision", batches).stop
    richer = batches._replace(labels=np.array([True] * 10 + [True] * 6 + [False] * 194))
    assert not said("precision", richer).stop
    assert not said("fixed", state_of([True] * 10 + [False] * 2400)).stop  # 2411 are needed
    assert said("fixed", state_of([True] * 10 + [False] * 2401)).stop
    assert not said("misses", state_of([True] + [False] * 49)).stop
    assert said("misses", state_of([True] + [False] * 50)).stop
    assert "unsafe" in said("misses", state_of([True])).promise


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_answers_in_every_state(rule: str) -> None:
    """Also before the first document, after the last, and without anything relevant."""
    for labels in ([], [False], [True], [False] * 20, [True] * 20):
        for collection in (20, 500):
            sample = RandomSample(0, 0, 0, 0)
            state = ReviewState(
                np.array(labels, dtype=bool),
                np.array([len(labels)] if labels else [], dtype=int),
                collection,
                sample,
                probability_sums([0.5] * len(labels), [0.5] * (collection - len(labels))),
            )
            advice = said(rule, state)
            assert advice.because and advice.promise and advice.cost
            if not labels:
                assert not advice.stop


def test_a_rule_without_what_it_needs_says_so() -> None:
    found = {advice.rule: advice for advice in advise(state_of([True] * 100 + [False] * 900))}
    assert found.keys() == RULES.keys()
    for rule in ("target", "qbcb", "chm"):
        assert (found[rule].stop, found[rule].because) == (False, "needs a random sample")
    assert found["quant"].because == "needs the model of the next batch" and not found["quant"].stop


def test_states_that_contradict_themselves_are_refused() -> None:
    state = state_of([True, False, False], 10)
    with pytest.raises(Refused, match=r"a stopping rule \(knee, budget, .*found 'luck'"):
        advise(state, 0.8, ["luck"])
    with pytest.raises(Refused, match="a target recall between 0 and 1, found 1"):
        advise(state, 1)
    with pytest.raises(Refused, match="a collection of at least 3 documents, found 2"):
        advise(state._replace(collection=2))
    for ends in ([1, 2], [2, 2, 3], [0, 3]):
        with pytest.raises(Refused, match="ascending ends of batches up to 3 documents"):
            advise(state._replace(ends=np.array(ends)))
    for sample in ((3, 1, 0, 1), (3, 2, 3, 2), (9, 0, 0, 0), (2, 1, 3, 0), (4, 0, 3, 0)):
        with pytest.raises(Refused, match="a sample that fit the review"):
            advise(state._replace(sample=RandomSample(*sample)))


def test_the_first_stop_is_at_the_first_batch_end_that_says_so() -> None:
    labels = np.zeros(2000, dtype=bool)
    labels[:40] = labels[45:60] = True
    review = review_of(labels)
    sample = draw_sample(labels, 600, seed=1)
    stops = first_stops(review, 2000, sample, 0.8)
    assert stops.keys() == RULES.keys()
    for state in states(review, 2000, sample):
        for advice in advise(state, 0.8):
            if state.reviewed < stops[advice.rule].reviewed:
                assert not advice.stop
            if state.reviewed == stops[advice.rule].reviewed:
                assert advice.stop == stops[advice.rule].has_stopped
    assert stops["misses"].found == 55 and stops["misses"].beside == 0
    left = np.count_nonzero(sample.documents >= stops["qbcb"].reviewed)
    assert stops["qbcb"].beside == left > 0 and stops["qbcb"].effort == stops["qbcb"].reviewed + left
    assert not stops["quant"].has_stopped and stops["quant"].reviewed == 2000


def test_a_random_sample_is_what_it_says() -> None:
    labels = np.arange(100) % 7 == 0
    sample = draw_sample(labels, 30, seed=1)
    assert len(set(sample.documents.tolist())) == 30 and (np.diff(sample.documents) > 0).all()
    assert (sample.relevant == labels[sample.documents]).all()
    again, other, whole = (draw_sample(labels, *how) for how in ((30, 1), (30, 2), (200, 1)))
    assert (again.documents == sample.documents).all() and (other.documents != sample.documents).any()
    assert whole.documents.tolist() == list(range(100))
    [*_, last] = states(review_of(labels), 100, KnownSample(np.array([3, 7]), labels[[3, 7]]))
    assert last.sample == RandomSample(2, 1, 2, 1)
