"""Results of matchings: the worked numbers of TREC RAG 2024, agreement by hand, nuggets that separate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.kappa.doubled import NO_PAIRS, ONE_VALUE
from assess.nuggets.assignments import Assignment
from metrics.matchings.result import (
    NOT_ALL_ANSWERS,
    MatchedNugget,
    MatchingResult,
    matching_result,
    separating,
    two_judges,
)
from metrics.matchings.rubric import BankedNugget

S, P, N, C = Assignment
SEVEN = [BankedNugget(key, f"nugget {key}", "vital" if key < 5 else "okay") for key in range(1, 8)]
WORKED = {"vital": 0.625, "vital_strict": 0.5, "all": 0.5714, "all_strict": 0.4286} | {
    "weighted": 0.5909,
    "weighted_strict": 0.4545,
}
LABELS = (S, S, P, N, S, P, N)  # four vital, three okay: shared/reference, worked


def of(topic: str, run: str, labels: tuple[Assignment, ...], judge: str = "ada") -> list[MatchedNugget]:
    return [MatchedNugget(topic, run, judge, key, each) for key, each in enumerate(labels, start=1)]


def means(result: MatchingResult) -> dict[str, dict[str, float]]:
    named = [column.name for column in result.ordered.columns]
    return {
        run: {name: round(each.mean, 4) for name, each in zip(named, own, strict=True) if each}
        for run, own, _ in result.ordered.rows
    }


def test_one_answer_has_the_worked_numbers() -> None:
    result = matching_result(of("1", "a", LABELS), {"1": SEVEN}, {("1", "a")}, ["a"])
    assert means(result) == {"a": WORKED}
    assert result.ordered.lead and result.ordered.lead.means[0].no_interval == "fewer than 10 topics"
    assert (result.answers, result.complete, result.labels, result.judges) == (1, 1, 7, 1)
    assert result.ordered.test == "fewer than two systems"


def test_two_judges_count_by_the_mean_of_their_scores() -> None:
    matched = of("1", "a", LABELS) + of("1", "a", (N,) * 7, "ben")
    halves = {name: pytest.approx(value / 2, abs=1e-4) for name, value in WORKED.items()}
    assert means(matching_result(matched, {"1": SEVEN}, {("1", "a")}, ["a"])) == {"a": halves}
    assert means(matching_result(matched[:-1], {"1": SEVEN}, {("1", "a")}, ["a"])) == {"a": WORKED}


def test_a_topic_without_an_answer_counts_0_and_one_with_labels_to_come_is_left_out() -> None:
    bank = {"1": SEVEN, "2": SEVEN, "3": SEVEN}
    matched = of("1", "a", LABELS) + of("2", "a", LABELS) + of("2", "b", (S,) * 7) + of("3", "a", (S,) * 6)
    answered = {("1", "a"), ("2", "a"), ("2", "b"), ("3", "a"), ("3", "b")}
    result = matching_result(matched, bank, answered, ["a", "b"])
    assert [(run, own["vital"]) for run, own in means(result).items()] == [("a", 0.625), ("b", 0.5)]
    assert (
        result.ordered.lead
        and result.ordered.lead.undefined == {"3": NOT_ALL_ANSWERS}
        and result.ordered.lead.topics == 2
    )
    assert (result.answers, result.complete) == (5, 3) and result.ordered.letters == ["a", "a"]


def test_a_topic_without_vital_nuggets_is_left_out_of_the_vital_scores_alone() -> None:
    bank = {"1": SEVEN, "2": [BankedNugget(1, "only", "okay")]}
    matched = of("1", "a", LABELS) + of("2", "a", (S,))
    vital, _, every, *_ = matching_result(matched, bank, {("1", "a"), ("2", "a")}, ["a"]).ordered.columns
    assert vital.undefined == {"2": "there are no vital nuggets"} and vital.topics == 1
    assert every.undefined == {} and every.topics == 2


def test_kappa_of_two_judges_by_hand() -> None:
    """The table of the mock-up: kappa 0.745 over three values, and the strict reading beside it."""
    counts = [[62, 7, 3], [5, 14, 6], [2, 5, 76]]
    matched: list[MatchedNugget] = []
    for row, first in enumerate((S, P, N)):
        for column, second in enumerate((S, P, N)):
            for _ in range(counts[row][column]):
                key = len(matched)
                matched.append(MatchedNugget("1", "a", "ada", key, first))
                matched.append(MatchedNugget("1", "a", "ben", key, second))
    found = two_judges(matched)
    assert found.table == counts and found.same == 152
    assert found.kappa.value == pytest.approx(0.745, abs=5e-4) and found.kappa.n == 180
    observed, expected = (62 + 101) / 180, (72 * 69 + 108 * 111) / 180**2
    assert found.strict.value == pytest.approx((observed - expected) / (1 - expected))


def test_agreement_without_pairs_or_with_one_value_has_a_reason() -> None:
    assert two_judges(of("1", "a", (S, N))).kappa.reason == NO_PAIRS
    same = two_judges(of("1", "a", (S, S)) + of("1", "a", (S, S), "ben"), contradicts=True)
    assert same.kappa.reason == ONE_VALUE and same.table[0] == [2, 0, 0, 0]


def test_nuggets_are_universal_or_hard_by_the_share_of_answers() -> None:
    bank = {"1": SEVEN[:4]}
    matched = []
    for run in range(10):
        matched += of("1", f"r{run}", (S, P if run < 8 else N, N, S if run == 0 else C))
    shares = [(each.share, each.kind) for each in separating(matched, bank)]
    assert shares == [(1.0, "universal"), (0.8, ""), (0.0, "hard"), (0.1, "")]
    both = separating(of("1", "a", (S,)) + of("1", "a", (N,), "ben"), bank)
    assert [(each.answers, each.share) for each in both] == [(1, 0.5)]


LABEL = st.sampled_from([S, P, N])


@given(st.lists(st.tuples(LABEL, LABEL), min_size=24, max_size=24))
def test_full_support_is_1_and_means_lie_in_their_intervals(
    pairs: list[tuple[Assignment, Assignment]],
) -> None:
    bank = {
        f"{topic}": [BankedNugget(1, "one", "vital"), BankedNugget(2, "two", "okay")] for topic in range(12)
    }
    answered = {(topic, run) for topic in bank for run in "ab"}
    places = [(topic, run) for topic in bank for run in "ab"]
    matched = [each for place, own in zip(places, pairs, strict=True) for each in of(*place, own)]
    result = matching_result(matched, bank, answered, "ab")
    better = [each._replace(assignment=S) if each.run == "a" else each for each in matched]
    best = means(matching_result(better, bank, answered, "ab"))["a"]
    assert set(best.values()) == {1.0}
    for column in result.ordered.columns:
        for each in column.means:
            assert each.low is None or 0 <= each.low <= each.mean <= (each.high or 0) <= 1
    assert all(value <= 1 for own in means(result).values() for value in own.values())
