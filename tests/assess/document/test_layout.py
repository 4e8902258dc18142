"""A document as its judge sees it."""

from __future__ import annotations

from assess.document.highlighting import topic_terms
from assess.document.layout import document_view

TERMS = topic_terms("sailing boats")


def test_the_title_is_searched_and_counted_as_the_text_is() -> None:
    sheet = document_view("A boat.", TERMS, "Sailing in a boat")
    assert [(span.text, span.hit) for span in sheet.title] == [
        ("Sailing", 0),
        (" in a ", None),
        ("boat", 1),
    ]
    assert [(term.text, count) for term, count in sheet.terms] == [("sailing", 1), ("boats", 2)]


def test_hits_of_the_title_do_not_count_among_those_of_the_text() -> None:
    sheet = document_view("A boat.", TERMS, "Boats")
    assert [span.hit for paragraph in sheet.paragraphs for span in paragraph.spans] == [None, 0, None]


def test_a_document_without_a_title_has_no_spans_of_one() -> None:
    assert document_view("A boat.", TERMS).title == []
