from __future__ import annotations

import statistics
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.consensus import RULES, Decision, NoDecision, RuleInput, majority, nearest_to_mean

SCALE = (0, 1, 2, 4)


@pytest.mark.parametrize(
    ("grades", "agreed"), [([1], 1), ([0, 2, 2], 2), ([3, 0], 0), ([1, 1, 3, 3, 0], 1), ([0, 1, 2], 0)]
)
def test_the_majority_decides_and_a_tie_goes_to_the_lower_grade(grades: list[int], agreed: int) -> None:
    assert majority(grades) == agreed


@given(st.lists(st.integers(0, 4), min_size=1))
def test_the_order_of_the_judges_does_not_matter(grades: list[int]) -> None:
    assert majority(grades) == majority(sorted(grades)) in grades


def test_nobody_has_no_majority() -> None:
    with pytest.raises(ValueError, match="empty"):
        majority([])


def decided(rule: str, grades: dict[str, int], **known: object) -> Decision:
    return RULES[rule].decide(RuleInput(grades, scale=SCALE, **known))  # type: ignore[arg-type]


def among(*grades: int) -> dict[str, int]:
    return {f"judge{place}": grade for place, grade in enumerate(grades)}


@pytest.mark.parametrize(
    ("rule", "grades", "expected"),
    [
        ("majority, ties to the lower grade", (0, 2), 0),
        ("majority, ties to the higher grade", (0, 2), 2),
        ("majority, ties left out", (0, 2), NoDecision.TIED),
        ("majority, ties left out", (0, 2, 2), 2),
        ("median, lower of two", (0, 1, 2, 4), 1),
        ("median, lower of two", (4, 0, 4), 4),
        ("mean, halves to the lower grade", (1, 2), 1),
        ("mean, halves to the higher grade", (1, 2), 2),
        ("mean, halves to the lower grade", (2, 4, 4), 4),  # 3.33 lies nearer to 4 than to 2
        ("mean, halves to the lower grade", (2, 4), 2),  # 3 is no grade of this scale
        ("mean, halves to the higher grade", (2, 4), 4),
        ("maximum", (0, 4, 1), 4),
        ("minimum", (2, 4, 1), 1),
    ],
)
def test_a_rule_does_what_its_name_says(rule: str, grades: tuple[int, ...], expected: Decision) -> None:
    assert decided(rule, among(*grades)) == expected


def test_a_tie_goes_to_the_primary_judge_if_that_grade_is_tied_and_else_to_the_lowest() -> None:
    rule = "majority, ties to the primary judge"
    assert decided(rule, among(0, 2), primary="judge1") == 2
    assert decided(rule, among(1, 1, 2, 2, 4), primary="judge4") == 1
    assert decided(rule, among(0, 2)) == 0


def test_what_was_adjudicated_stands_before_the_primary_judge_and_before_the_majority() -> None:
    grades = among(0, 1, 1)
    assert decided("adjudicated, else primary", grades, primary="judge0") == 0
    assert decided("adjudicated, else primary", grades, primary="judge0", settled=4) == 4
    assert decided("adjudicated, else primary", grades, primary="somebody else") is NoDecision.ABSENT
    assert (
        decided("adjudicated, else primary", grades, primary="x", cannot=frozenset("x")) is NoDecision.CANNOT
    )
    assert decided("adjudicated, else majority", grades) == 1
    assert decided("adjudicated, else majority", grades, settled=0) == 0
    assert decided("majority, ties to the lower grade", grades, settled=0) == 1


def test_one_judge_speaks_alone() -> None:
    assert decided("one judge", among(0, 4), chosen="judge1") == 4
    assert decided("one judge", among(0, 4), chosen="judge7") is NoDecision.ABSENT


@pytest.mark.parametrize("name", RULES)
def test_a_rule_without_a_grade_says_why(name: str) -> None:
    rule = RULES[name]
    assert len(rule.sentence) > 20 and len(name) <= 40
    assert rule.decide(RuleInput({}, scale=SCALE, chosen="a", primary="a")) is NoDecision.ABSENT
    assert (
        rule.decide(RuleInput({}, frozenset("a"), scale=SCALE, chosen="a", primary="a")) is NoDecision.CANNOT
    )


@given(grades=st.lists(st.sampled_from(SCALE), min_size=1, max_size=7))
@pytest.mark.parametrize("name", RULES)
def test_judges_who_agree_are_never_overruled_and_their_order_does_not_matter(
    name: str, grades: list[int]
) -> None:
    one = decided(name, among(*[grades[0]] * len(grades)), primary="judge0", chosen="judge0")
    assert one == grades[0]
    votes = among(*grades)
    backwards = dict(reversed(votes.items()))
    found = decided(name, votes, primary="judge0", chosen="judge0")
    assert found == decided(name, backwards, primary="judge0", chosen="judge0")
    assert found in SCALE or found is NoDecision.TIED


@given(st.lists(st.sampled_from(SCALE), min_size=1, max_size=9))
def test_median_mean_and_modes_are_those_of_the_standard_library(grades: list[int]) -> None:
    votes = among(*grades)
    assert decided("median, lower of two", votes) == statistics.median_low(grades)
    assert decided("majority, ties to the higher grade", votes) == max(statistics.multimode(grades))
    assert decided("majority, ties to the lower grade", votes) == min(statistics.multimode(grades))
    mean = statistics.mean(map(Fraction, grades))
    nearest = min(abs(grade - mean) for grade in SCALE)
    within = [grade for grade in SCALE if abs(grade - mean) == nearest]
    assert nearest_to_mean(grades, SCALE) == within[0]
    assert nearest_to_mean(grades, SCALE, up=True) == within[-1]
    assert (decided("majority, ties left out", votes) is NoDecision.TIED) == (
        len(statistics.multimode(grades)) > 1
    )
    assert Counter(grades)[max(grades)] and decided("maximum", votes) == max(grades)
