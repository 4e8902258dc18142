from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from assess.judge_checks import (
    GoldHitRate,
    TrainingAnswer,
    TrainingResult,
    gold_hit_rate,
    training_result,
    wilson,
)

SCALE = [0, 1, 2, 3]
EXPECTED = {"a": 3, "b": 2, "c": 0, "d": 1, "e": 0}

some_grades = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(SCALE))


def test_feedback_states_exact_off_by_one_and_the_direction() -> None:
    judged = training_result({"a": 3, "b": 3, "c": 2, "d": 0, "z": 3}, EXPECTED, SCALE)
    assert judged.answers == [
        TrainingAnswer("a", 3, 3, 0),
        TrainingAnswer("b", 3, 2, 1),
        TrainingAnswer("c", 2, 0, 2),
        TrainingAnswer("d", 0, 1, -1),
    ]
    assert (judged.exact, judged.off_by_one, judged.higher, judged.lower) == (0.25, 0.5, 0.5, 0.25)
    assert judged.left == 1


def test_a_step_is_one_of_the_scale_and_not_one_of_its_numbers() -> None:
    judged = training_result({"a": 10, "b": 0}, {"a": 5, "b": 10}, scale=[0, 5, 10])
    assert [answer.steps for answer in judged.answers] == [1, -2]
    assert judged.off_by_one == 0.5


@pytest.mark.parametrize(("grades", "left"), [({}, 5), ({"z": 1}, 5)])
def test_a_training_not_begun_has_no_figures(grades: dict[str, int], left: int) -> None:
    assert training_result(grades, EXPECTED, SCALE) == TrainingResult([], left, None, None, None, None, None)


def test_a_training_of_one_grade_has_no_kappa() -> None:
    judged = training_result({"c": 0, "e": 0}, EXPECTED, SCALE)
    assert (judged.exact, judged.kappa) == (1, None)


def test_a_grade_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="grades of the scale"):
        training_result({"a": 4}, EXPECTED, SCALE)


@given(some_grades, some_grades)
def test_the_shares_add_up_and_kappa_is_that_of_scikit_learn(
    grades: dict[str, int], expected: dict[str, int]
) -> None:
    judged = training_result(grades, expected, SCALE)
    shared = [docno for docno in expected if docno in grades]
    assert len(judged.answers) + judged.left == len(expected)
    if judged.exact is None or judged.higher is None or judged.lower is None:
        assert not shared
    else:
        assert judged.exact + judged.higher + judged.lower == pytest.approx(1)
    if judged.kappa is None:
        assert len({grades[d] for d in shared} | {expected[d] for d in shared}) <= 1
    else:
        theirs = cohen_kappa_score([grades[d] for d in shared], [expected[d] for d in shared])
        assert judged.kappa == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("threshold", "hits", "n"),
    [(None, 1, 4), (1, 3, 4), (2, 3, 4), (3, 3, 4)],
)
def test_gold_is_hit_by_its_grade_or_on_its_side_of_the_threshold(
    threshold: int | None, hits: int, n: int
) -> None:
    # Given 2 2 1 2 where gold is 3 2 0 1: threshold 1 makes the third wrong, 2 the fourth, 3 the first.
    rate = gold_hit_rate({"a": 2, "b": 2, "c": 1, "d": 2}, EXPECTED, threshold)
    assert (rate.hits, rate.n, rate.rate) == (hits, n, hits / n)


def test_a_judge_has_a_hit_rate_even_without_gold() -> None:
    assert gold_hit_rate({"a": 3, "b": 2}, EXPECTED)[:3] == (2, 2, 1.0)
    assert gold_hit_rate({"z": 1}, EXPECTED) == GoldHitRate(0, 0, None, None)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilsons_interval_is_that_of_scipy(counts: tuple[int, int], confidence: float) -> None:
    hits, n = counts
    theirs = binomtest(hits, n).proportion_ci(confidence, method="wilson")
    ours = wilson(hits, n, confidence)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert ours is not None and 0 <= ours[0] <= hits / n <= ours[1] <= 1


@pytest.mark.parametrize(("hits", "n", "confidence"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 0), (1, 2, 1)])
def test_an_interval_of_the_impossible_is_refused(hits: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="^expected"):
        wilson(hits, n, confidence)
