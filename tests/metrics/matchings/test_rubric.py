"""Rubric scores on the page of a matching: the worked numbers of DRAGUN, and what is undefined."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.test import Client

from assess.models import Matching
from assess.nuggets.assignments import Assignment
from metrics.matchings.result import MatchedNugget, MatchingResult, matching_result
from metrics.matchings.rubric import NOT_WEIGHED, SEVERAL_WEIGHTS, BankedNugget
from pooling.models import Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

S, P, N, C = Assignment
# q1 (A): supports, contradicts; q2 (B): partly, none, supports; q3 (C): none
RUBRIC = [("q1", 4, S), ("q1", 4, C), ("q2", 2, P), ("q2", 2, N), ("q2", 2, S), ("q3", 1, N)]
SUPPORT, CONTRADICTION = (4 * 0.5 + 2 * 0.5) / 7, 4 * 0.5 / 7  # .4286 and .2857
BANK = [BankedNugget(key, f"answer {key}", weight, q) for key, (q, weight, _) in enumerate(RUBRIC)]


def said(run: str, labels: Sequence[Assignment], topic: str = "1") -> list[MatchedNugget]:
    return [MatchedNugget(topic, run, "ada", key, label) for key, label in enumerate(labels)]


def means(result: MatchingResult) -> dict[str, list[float | None]]:
    assert result.rubric
    return {run: [mean and mean.mean for mean in own] for run, own, _ in result.rubric.rows}


def result_of(matched: list[MatchedNugget], bank: list[BankedNugget], runs: str = "a") -> MatchingResult:
    return matching_result(matched, {"1": bank}, {("1", run) for run in runs}, runs, contradicts=True)


def test_the_worked_numbers() -> None:
    result = result_of(said("a", [label for _, _, label in RUBRIC]), BANK)
    assert means(result) == {"a": [pytest.approx(SUPPORT), pytest.approx(CONTRADICTION)]}
    assert [f"{value:.4f}" for value in means(result)["a"] if value is not None] == ["0.4286", "0.2857"]


def test_less_contradiction_ranks_first_and_support_orders_the_runs() -> None:
    matched = said("a", [S, S, S, S, S, C]) + said("b", [N] * 6)
    result = result_of(matched, BANK, "ab")
    assert result.rubric and result.rubric.runs == ["a", "b"]
    _, contradiction = result.rubric.columns
    assert contradiction.direction == "lower" and [each.rank for each in contradiction.means] == [2, 1]


def test_a_run_without_an_answer_supports_and_contradicts_nothing() -> None:
    matched = said("a", [C] * 6)
    result = matching_result(matched, {"1": BANK}, {("1", "a")}, "ab", contradicts=True)
    assert means(result) == {"b": [0, 0], "a": [0, 1]} or means(result) == {"a": [0, 1], "b": [0, 0]}


def test_questions_need_one_weight() -> None:
    mixed = [BANK[0], BANK[1]._replace(importance=1)]
    words = [BankedNugget(0, "one", "must")]
    for bank, reason in ((mixed, SEVERAL_WEIGHTS), (words, NOT_WEIGHED)):
        result = result_of(said("a", [S] * len(bank)), bank)
        assert result.rubric and result.rubric.columns[0].undefined == {"1": reason}


def test_an_expected_answer_without_a_label_leaves_the_topic_out() -> None:
    result = result_of(said("a", [S] * 5), BANK)
    assert result.rubric and result.rubric.columns[0].undefined == {"1": "not all answers have all labels"}


def test_without_contradicts_there_are_no_rubric_scores() -> None:
    assert matching_result(said("a", [S] * 6), {"1": BANK}, {("1", "a")}, "a").rubric is None


@pytest.fixture
def matching(make: Factory) -> Matching:
    """The worked example as a bank and an answer, labelled by alice."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "boats")
    add_member(campaign, make.make_user("alice"), Role.JUDGE)
    make.make_answer_run(campaign, {"1": [("Boats float.", ["D1"])]}, "zebra")
    bank = make.make_bank(campaign, {"1": [(f"answer {key}", "vital") for key in range(len(RUBRIC))]})
    for nugget, (question, weight, _) in zip(bank.nuggets.order_by("place"), RUBRIC, strict=True):
        nugget.importance, nugget.extra = weight, {"question": question}
        nugget.save()
    made = make.make_matching(campaign, ("alice",), contradicts=True, double=0)
    (task,) = made.tasks.select_related("judge", "answer", "matching__campaign")
    for place, (_, _, label) in enumerate(RUBRIC, start=1):
        make.make_nugget_label(task, place, label, 1)
    return made


def test_the_page_and_the_file_have_the_worked_numbers(matching: Matching, make: Factory) -> None:
    carol = Client()
    carol.force_login(make.make_user("carol"))
    page = " ".join(markup(carol.get("/campaigns/tiny/scores/matchings/1/")).split())
    rubric = page.partition("Rubric scores")[2].partition("Two judges")[0]
    assert "0.429" in rubric and "0.286" in rubric and "lower" in rubric and "DRAGUN" in rubric
    lines = carol.get("/campaigns/tiny/scores/matchings/1/scores/").content.decode().splitlines()
    row = dict(zip(lines[0].split("\t"), lines[1].split("\t"), strict=True))
    assert (row["rubric_support"], row["rubric_contradiction"]) == ("0.428571", "0.285714")
