"""The page of results of a program for nuggets."""

from __future__ import annotations

import pytest

from assess.matching_programs.queries.requests import requests_of
from assess.matching_programs.services import load_results, withdraw_load
from assess.models import AnswerRun, MatchingProgram, NuggetLabel
from metrics.matching_programs.queries import result_of
from metrics.matchings.queries import found_result, label_rows, score_rows
from tests.assess.matching_programs.test_programs import (
    RESULT,
    S,
    all_support,
    program,
    results_of,
    signed_in,
    words_of,
)
from tests.assess.matchings.test_matchings import TAGS, campaign, matching
from tests.metrics.matchings.test_matching_pages import label_all
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign", "matching", "program"]


def test_a_program_is_shown_beside_people(program: MatchingProgram, make: Factory) -> None:  # noqa: F811
    carol = signed_in(make, "carol")
    assert "No labels yet" in markup(carol.get(RESULT))
    load_results(program, make.make_user("carol"), all_support(program), "r.jsonl")
    label_all(program.matching, make)
    page = carol.get(RESULT)
    assert "<dt>Labels of the program</dt><dd>9</dd>" in markup(page)
    agreement = words_of(page, "agreement")
    equal = NuggetLabel.objects.filter(assignment=S).count()
    assert f"Program and people 18 {equal / 18:.3f}" in agreement
    scores = words_of(page, "scores")
    assert "zebra-two" in scores and "1.000 and" in scores and "fewer than 10 topics" in scores
    assert "Not known yet: ranking runs, absolute scores, replacing people." in words_of(page, "verdict")
    assert "people have 18 labels on nuggets of the program, and 100 are needed" in words_of(page, "verdict")
    listed = markup(carol.get(RESULT.removesuffix("1/")))
    assert "Program 1: strict" in listed


def test_labels_of_a_program_change_no_figure_of_people(
    program: MatchingProgram,  # noqa: F811
    make: Factory,
) -> None:
    label_all(program.matching, make)
    before = (
        found_result(program.matching).ordered.rows,
        [*score_rows(program.matching)],
        [*label_rows(program.matching)],
    )
    load_results(program, make.make_user("carol"), all_support(program), "r.jsonl")
    after = (
        found_result(program.matching).ordered.rows,
        [*score_rows(program.matching)],
        [*label_rows(program.matching)],
    )
    assert after == before


def test_a_withdrawn_file_and_a_withdrawn_run_count_nowhere(
    program: MatchingProgram,  # noqa: F811
    make: Factory,
) -> None:
    label_all(program.matching, make)
    load_results(program, make.make_user("carol"), all_support(program), "r.jsonl")
    assert result_of(program).agreement.labels == 18
    AnswerRun.objects.filter(tag=TAGS[0]).update(withdrawn_at=program.made_at)
    assert (result_of(program).labels, result_of(program).agreement.labels) == (6, 12)
    assert result_of(program).runs == ["zebra-two", "zebra-three"]
    withdraw_load(program.loads.get(), make.make_user("carol"))
    assert result_of(program).labels == 0


@pytest.mark.parametrize("named", [True, False])
def test_a_run_of_the_models_family_is_named(
    program: MatchingProgram,  # noqa: F811
    make: Factory,
    named: bool,
) -> None:
    MatchingProgram.objects.update(model="swan-2-mini")
    AnswerRun.objects.filter(tag=TAGS[2]).update(description="By Swan 2." if named else "By hand.")
    load_results(
        program, make.make_user("carol"), results_of({next(iter(requests_of(program))): "[[none]]"}), "r"
    )
    page = markup(signed_in(make, "carol").get(RESULT))
    assert ("zebra-three has a word of the model’s name" in " ".join(page.split())) == named
