"""A program beside people on nuggets: examples by hand, another implementation, planted errors."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.nuggets.assignments import Assignment
from assess.release.machine_use import AuditAnswer
from metrics.machine_audits.circularity import circularity
from metrics.matching_programs.agreement import (
    FEW_TOPICS,
    NO_COMMON,
    ONE_COMMON,
    SAME,
    Cell,
    program_agreement,
)
from metrics.matching_programs.differences import NO_TOPIC, differences
from metrics.matching_programs.favours import NO_OTHER, over_rating, run_errors
from metrics.matching_programs.result import MatchingProgramResult, matching_program_result
from metrics.matchings.result import MatchedNugget
from metrics.matchings.rubric import BankedNugget
from metrics.nuggets.scores import CREDIT, MEASURES
from tests.metrics.matchings.test_matching_result import LABELS, SEVEN, WORKED, of

S, P, N, C = Assignment
ALLOWED, NOT_ALLOWED, UNKNOWN = AuditAnswer


def cells_of(labels: list[MatchedNugget]) -> dict[Cell, Assignment]:
    return {(each.topic, each.run, each.nugget): each.assignment for each in labels}


# agreement


def test_agreement_by_hand() -> None:
    people = of("1", "a", LABELS)  # S S P N S P N
    program = cells_of(of("1", "a", (S, P, P, N, S, N, S)))
    found = program_agreement(program, people)
    assert found.values == [S, P, N]
    assert found.table == [[2, 1, 0], [0, 1, 1], [1, 0, 1]]  # rows people
    assert (found.labels, found.same, found.topics) == (7, 4, 1)
    assert found.share.value == pytest.approx(4 / 7)
    expected = (3 * 3 + 2 * 2 + 2 * 2) / 49  # by the margins of both
    assert found.kappa.value == pytest.approx((4 / 7 - expected) / (1 - expected))
    expected = (3 * 3 + 4 * 4) / 49  # support or not
    assert found.strict.value == pytest.approx((5 / 7 - expected) / (1 - expected))
    assert found.share.low is None and found.share.note
    assert [total for _, _, total in found.rows] == [3, 2, 2]


def test_each_label_of_a_person_counts_and_other_cells_do_not() -> None:
    people = [*of("1", "a", LABELS), *of("1", "a", (N,) * 7, "ben"), *of("2", "a", LABELS)]
    found = program_agreement(cells_of(of("1", "a", LABELS[:3])), people)
    assert (found.labels, found.same) == (6, 3)


def test_where_it_is_undefined_there_is_a_reason() -> None:
    people = of("1", "a", LABELS)
    assert program_agreement({}, people).kappa.note == NO_COMMON
    assert program_agreement({}, []).table == [[0] * 3] * 3
    assert program_agreement(cells_of(people[:1]), people).kappa.note == ONE_COMMON
    same = of("1", "a", (S,) * 7)
    found = program_agreement(cells_of(same), same, contradicts=True)
    assert (found.share.value, found.kappa.value, found.kappa.note) == (1.0, None, SAME)
    assert found.values == [S, P, N, C]


def test_an_interval_needs_ten_topics() -> None:
    def found(topics: int) -> tuple[float | None, str]:
        people = [label for topic in range(topics) for label in of(str(topic), "a", LABELS)]
        said = [
            label
            for topic in range(topics)
            for label in of(str(topic), "a", LABELS[topic % 3 :] + LABELS[: topic % 3])
        ]
        estimate = program_agreement(cells_of(said), people).kappa
        return estimate.low, estimate.note

    assert found(9) == (None, FEW_TOPICS)
    low, note = found(10)
    assert low is not None and note == ""


# differences of scores


def test_differences_by_the_worked_numbers() -> None:
    people = [*of("1", "a", LABELS), *of("1", "b", (S,) * 7)]
    program = cells_of([*of("1", "a", (S,) * 7), *of("1", "b", LABELS)])
    answered = {("1", "a"), ("1", "b")}
    for each in differences(program, people, {"1": SEVEN}, answered, ["a", "b"]):
        worked = WORKED[each.measure.name]
        a, b = each.runs
        assert a.people == pytest.approx(worked, abs=1e-4) and a.program == 1.0
        assert a.difference.value == pytest.approx(1 - worked, abs=1e-4)
        assert b.difference.value == pytest.approx(worked - 1, abs=1e-4)
        assert each.overall.value == pytest.approx(0, abs=1e-12)
        assert (each.tau.value, each.topics, a.difference.note) == (-1.0, 1, "fewer than 10 topics")


def test_two_people_count_by_their_mean_and_answers_without_all_labels_do_not() -> None:
    bank, answered = {"1": SEVEN, "2": SEVEN}, {("1", "a"), ("2", "a")}
    people = [*of("1", "a", LABELS), *of("1", "a", (N,) * 7, "ben"), *of("2", "a", LABELS)]
    program = cells_of([*of("1", "a", LABELS), *of("2", "a", LABELS)[1:]])
    vital = differences(program, people, bank, answered, ["a"])[0]
    assert vital.runs[0].difference.value == pytest.approx(0.625 - 0.3125)
    assert vital.runs[0].difference.sampled == 1
    nothing = differences({}, people, bank, answered, ["a"])[0]
    assert (nothing.runs[0].people, nothing.overall.note) == (None, NO_TOPIC)


# which runs are favoured

GIVEN = st.lists(
    st.tuples(st.sampled_from([S, P, N]), st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 1.0])),
    max_size=20,
)


@settings(deadline=None, max_examples=60)
@given(GIVEN)
def test_over_rating_in_a_topic_is_that_of_the_audit_of_machine_judges(
    given_labels: list[tuple[Assignment, str, float]],
) -> None:
    labels: dict[Assignment, list[tuple[str, float]]] = {}
    for assignment, run, credit in given_labels:
        labels.setdefault(assignment, []).append((run, credit))
    residual = [CREDIT.get(assignment, 0.0) - credit for assignment, _, credit in given_labels]
    stratum = [[S, P, N].index(assignment) for assignment, _, _ in given_labels]
    member = [run == "a" for _, run, _ in given_labels]
    other = circularity(residual, stratum, member, draws=1)
    found = over_rating(labels, "a")
    if other.note and found is not None:  # all residuals are the same: no test there, and nothing here
        assert found == pytest.approx(0, abs=1e-12)
    else:
        assert found == (None if other.over_rating is None else pytest.approx(other.over_rating, abs=1e-12))


TOPICS, RUNS = [str(topic) for topic in range(40)], ["a", "b", "c"]
BANK = {topic: [BankedNugget(key, f"nugget {key}", "vital") for key in range(6)] for topic in TOPICS}
ANSWERED = set(product(TOPICS, RUNS))


def simulated(seed: int, rise: float = 0.0, error: float = 0.2) -> MatchingProgramResult:
    """Run a is better than the others by people; the program errs, and rates run c higher at `rise`."""
    random_ = random.Random(seed)
    people, program = [], {}
    for topic, run in sorted(ANSWERED):
        for key in range(6):
            truth = random_.choices([S, P, N], [5, 2, 3] if run == "a" else [2, 3, 5])[0]
            people.append(MatchedNugget(topic, run, "ann", key, truth))
            said = random_.choice([S, P, N]) if random_.random() < error else truth
            program[topic, run, key] = S if run == "c" and random_.random() < rise else said
        if int(topic) % 4 == 0:  # a second judge, who differs sometimes
            second = [each for each in people if (each.topic, each.run) == (topic, run)]
            for each in second:
                said = random_.choice([S, P, N]) if random_.random() < 0.4 else each.assignment
                people.append(each._replace(judge="ben", assignment=said))
    return matching_program_result(program, people, BANK, ANSWERED, RUNS)


def test_a_program_that_favours_a_run_is_found() -> None:
    result = simulated(seed=3, rise=0.3)
    favoured = {each.run: each for each in result.favours}
    assert favoured["c"].significant and (favoured["c"].over_rating.low or 0) > 0.05
    assert all(use.answer == NOT_ALLOWED for use in result.verdict)
    assert (
        "nuggets of c and" in result.verdict.ranking.because
        or "nuggets of c get" in result.verdict.ranking.because
    )
    assert "more credit than those of other runs" in result.verdict.ranking.because


@pytest.mark.parametrize("seed", range(3))
def test_a_better_run_is_not_taken_for_a_favoured_one(seed: int) -> None:
    result = simulated(seed)
    assert result.runs[0] == "a"
    assert not any(each.significant for each in result.favours)
    assert all(each.is_enough and each.p is not None for each in result.favours)
    assert result.verdict.ranking.answer == ALLOWED
    assert result.people.kappa.n == 180 and result.people_share


def test_few_false_alarms() -> None:
    """Holm promises at most one alarm in 20 campaigns; in 40 there are hardly more than five."""
    alarms = 0
    for seed in range(40):
        random_ = random.Random(seed)
        people = [
            MatchedNugget(topic, run, "ann", key, random_.choice([S, N]))
            for topic, run in product(TOPICS[:14], RUNS)
            for key in range(3)
        ]
        program = {}
        for topic, run in product(TOPICS[:14], RUNS):
            moved = random_.random() < 0.3  # an error of the whole answer
            for each in people:
                if (each.topic, each.run) == (topic, run):
                    program[topic, run, each.nugget] = S if moved else each.assignment
        alarms += any(each.significant for each in run_errors(program, people, RUNS))
    assert alarms <= 5


def test_a_program_that_says_what_people_say() -> None:
    people = [label for topic in TOPICS for run in RUNS for label in of(topic, run, (S, P, N, S, P, N))]
    people = [each._replace(nugget=each.nugget - 1) for each in people]
    result = matching_program_result(cells_of(people), people, BANK, ANSWERED, RUNS)
    assert result.agreement.kappa.value == result.agreement.share.value == 1
    assert all(each.overall.value == 0 for each in result.measures if each.overall.value is not None)
    assert all(each.error.value == each.over_rating.value == 0 for each in result.favours)
    assert result.verdict.ranking.answer == ALLOWED
    assert result.verdict.replacing.answer == UNKNOWN  # no nugget has labels of two people


def test_few_labels_and_one_run_are_no_verdict() -> None:
    people = of("1", "a", LABELS)
    result = matching_program_result(cells_of(people), people, {"1": SEVEN}, {("1", "a")}, ["a"])
    assert {use.answer for use in result.verdict} == {UNKNOWN}
    assert (
        "people have 7 labels on nuggets of the program, and 100 are needed" in result.verdict.ranking.because
    )
    assert "there is no other run to compare with" in result.verdict.ranking.because
    assert result.favours[0].over_rating.note == NO_OTHER
    empty = matching_program_result({}, [], {}, set(), [])
    assert (empty.labels, empty.runs, len(empty.measures)) == (0, [], len(MEASURES))


def test_names_of_runs_do_not_matter() -> None:
    result = simulated(seed=5, rise=0.1)
    lead = np.array([own.difference.value for own in result.lead.runs], dtype=float)
    assert lead.shape == (3,) and result.lead.overall.value == pytest.approx(lead.mean(), abs=1e-9)
