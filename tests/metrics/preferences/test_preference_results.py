"""Results of preferences: the best documents, checks of the votes, files, and scores by Compat."""

from __future__ import annotations

import pytest

from assess.models import PreferenceSet
from assess.preferences.services import create_preferences
from metrics.preferences.queries import preference_result, runs_by_compat
from pooling.models import Campaign
from tests.assess.preferences.test_preferences import asked, campaign, signed_in, task_of, vote_all
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/preferences/1/"
__all__ = ["campaign"]


@pytest.fixture
def preferences(campaign: Campaign, make: Factory) -> PreferenceSet:  # noqa: F811
    return create_preferences(campaign, make.make_user("carol"), asked(campaign, make, double=100))


def test_the_best_documents_are_above_all_grades(preferences: PreferenceSet) -> None:
    for second in (False, True):
        vote_all(task_of(preferences, "2", second))
    result = preference_result(preferences)
    assert [each.topic for each in result.topics] == ["2"] and result.open_topics == ["1"]
    assert result.topics[0].best == [("D01", 104), ("D02", 103), ("D03", 102)]  # wins + grade 2 + 100
    assert (result.votes, result.ties, result.judges, result.doubled, result.same) == (6, 0, 2, 3, 3)
    assert result.agreement == 1 and result.transitivity.share == 1
    assert result.bias.left == result.bias.right == 3  # the second judge saw the sides swapped


def test_a_topic_in_stages_keeps_the_grades_of_the_others(preferences: PreferenceSet) -> None:
    task = task_of(preferences, "1")
    while not task.finished_at:
        vote_all(task)
    grades = preference_result(preferences).grades["1"]
    best = sorted(grades, key=lambda docno: -grades[docno])[:3]
    assert best == ["D01", "D02", "D03"]
    assert {grade for docno, grade in grades.items() if docno not in best} == {2}


def test_the_page_and_its_files(preferences: PreferenceSet, make: Factory) -> None:
    carol = signed_in(make, "carol")
    assert "No votes yet" in markup(carol.get(PAGE))
    vote_all(task_of(preferences, "2"))
    page = markup(carol.get(PAGE))
    assert "Best documents" in page and "D01" in page and "Compat" in page
    qrels = carol.get(f"{PAGE}qrels/").content.decode().splitlines()
    assert qrels == ["2 0 D01 104", "2 0 D02 103", "2 0 D03 102"]
    votes = carol.get(f"{PAGE}votes/").content.decode().splitlines()
    assert len(votes) == 3 and all(line.split()[3] == min(line.split()[1:3]) for line in votes)
    assert "Preferences 1" in markup(carol.get("/campaigns/tiny/scores/preferences/"))
    assert "Preference qrels" not in markup(signed_in(make, "ada").get(PAGE))
    assert signed_in(make, "ada").get(f"{PAGE}qrels/").status_code == 403
    assert signed_in(make, "alice").get(PAGE).status_code == 403


def test_a_run_in_the_order_of_preferences_has_compat_1(preferences: PreferenceSet, make: Factory) -> None:
    vote_all(task_of(preferences, "2"))
    rows = runs_by_compat(make.make_user("carol"), preferences, preference_result(preferences))
    (row,) = rows
    assert row.preferences == pytest.approx(1) and row.grades == pytest.approx(1)  # ties in its own order
