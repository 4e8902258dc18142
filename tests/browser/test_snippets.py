"""The screen of snippets: keys grade a snippet and then its document, at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from assess.models import SnippetGrade
from tests.support.factory import Factory

pytestmark = pytest.mark.browser


def test_keys_grade_the_snippet_and_then_its_document(make: Factory, open_page: Callable[..., Page]) -> None:
    about = make.make_snippets(make.make_pooled_campaign())
    first = about.tasks.filter(judge__username="alice")[0]
    page = open_page("alice", viewport={"width": 1280, "height": 800})
    page.goto(f"/campaigns/tiny/snippets/{first.pk}/")
    question, answers = page.locator("#grade-question"), page.locator("#answers")
    expect(question).to_have_text("How relevant does the document look?")
    page.keyboard.press("a")
    expect(answers).to_be_checked()
    page.wait_for_timeout(600)  # presses before are ignored: nobody has read the card
    page.keyboard.press("2")
    expect(question).to_have_text("How relevant is the document?")
    expect(answers).to_be_hidden()
    page.wait_for_timeout(600)
    page.keyboard.press("u")
    expect(question).to_have_text("How relevant does the document look?")
    expect(page.locator("#earlier-vote")).to_have_text("Taken back: grade 2, answers the topic.")
    page.wait_for_timeout(600)
    page.keyboard.press("3")
    expect(question).to_have_text("How relevant is the document?")
    page.wait_for_timeout(600)
    page.keyboard.press("1")
    expect(question).to_have_text("How relevant does the document look?")
    expect(page.locator("#save")).to_have_attribute("data-unsent", "0")  # the list asks the server
    page.goto("/campaigns/tiny/snippets/")
    expect(page.get_by_text("2 of 8")).to_be_visible()
    given = SnippetGrade.objects.exclude(grade=None).filter(task__judge__username="alice").order_by("pk")
    assert [*given.values_list("grade", flat=True)] == [2, 3, 1]
