"""The pages of results of snippets, and their file."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from assess.models import SnippetSet
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

LIST = "/campaigns/tiny/scores/snippets/"
PAGE = LIST + "1/"
GRADES = {"D1": (3, 3), "D2": (0, 2), "D3": (2, 0)}  # snippet, document


@pytest.fixture
def about(make: Factory) -> SnippetSet:
    return make.make_snippets(make.make_pooled_campaign())


@pytest.fixture
def carol(about: SnippetSet, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def give(about: SnippetSet, judge: str, make: Factory) -> None:
    related = ("judge", "result", "snippet_set__campaign")
    for task in about.tasks.filter(judge__username=judge).select_related(*related):
        snippet, document = GRADES[task.result.docno]
        is_snippet = task.step == "snippet"
        make.make_snippet_grade(
            task, snippet if is_snippet else document, answers=is_snippet and snippet == 3
        )


def words(page: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_the_page_shows_what_a_user_would_miss(about: SnippetSet, carol: Client, make: Factory) -> None:
    assert "No snippet has a grade yet" in markup(carol.get(PAGE))
    give(about, "alice", make)
    page = words(markup(carol.get(PAGE)))
    shown = [each.docno for each in about.results.all()]
    relevant = sum(GRADES[docno][1] >= about.threshold for docno in shown)
    missed = sum(GRADES[d][1] >= about.threshold > GRADES[d][0] for d in shown)
    assert (
        f"Relevant documents that nobody would click {100 * missed / relevant:.1f} % {missed} of {relevant}"
        in page
    )
    assert "fewer than 10 topics" in page and "Cohen" in page
    assert about.run.tag in words(markup(carol.get(LIST)))


def test_the_file_has_a_line_for_each_grade(about: SnippetSet, carol: Client, make: Factory) -> None:
    give(about, "alice", make)
    lines = b"".join(carol.get(PAGE + "grades/")).decode().splitlines()
    assert lines[0].split("\t")[:7] == ["topic", "docno", "rank", "judge", "step", "grade", "answers"]
    assert len(lines) == 1 + about.tasks.filter(judge__username="alice").count()
    assert "alice" not in "".join(lines)


def test_judges_of_the_same_snippets_are_compared(about: SnippetSet, carol: Client, make: Factory) -> None:
    give(about, "alice", make)
    assert "No snippet has grades of two judges yet." in words(markup(carol.get(PAGE)))
    give(about, "bob", make)
    page = words(markup(carol.get(PAGE)))
    n = about.results.count()
    assert f"Results with grades of two judges {n} {n} " in page and "No intervals: fewer than" in page
    assert "Krippendorff&#x27;s alpha, ordinal 1.000 1.000" in page


def test_one_judge_of_a_topic_is_named_as_the_reason(carol: Client, make: Factory, about: SnippetSet) -> None:
    give(about, "alice", make)
    SnippetSet.objects.filter(pk=about.pk).update(double=0)
    assert "nobody graded the same snippet" in words(markup(carol.get(PAGE)))


def test_figures_of_another_state_are_computed_anew(about: SnippetSet, carol: Client, make: Factory) -> None:
    give(about, "alice", make)
    before = words(markup(carol.get(PAGE)))
    give(about, "bob", make)
    assert "2 judges" in words(markup(carol.get(PAGE))) and "2 judges" not in before


def test_a_set_of_another_campaign_is_not_found(carol: Client) -> None:
    assert carol.get(LIST + "9/").status_code == 404
    assert isinstance(Campaign.objects.count(), int)
