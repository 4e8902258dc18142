"""A document as its judge sees it."""

from __future__ import annotations

import pytest

from assess.document.highlighting import topic_terms
from assess.document.layout import document_view, later_parts

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


def test_the_rest_of_a_document_is_its_later_parts() -> None:
    text = "\n\n".join(f"Boat {number}. " + "word " * 100 for number in range(300))
    parts = later_parts(text, TERMS, 1)
    assert parts == [later_parts(text, TERMS, number, number)[0] for number in range(1, len(parts) + 1)]
    view = document_view(text, TERMS)
    assert [part.number for part in parts] == [part.part for part in view.waiting] == [*view.part_numbers][1:]
    for part, before in zip(parts, [view.parts[0], *parts], strict=False):
        assert part.before == before.before + len(before.paragraphs)
        (first, *_) = [span.hit for paragraph in part.paragraphs for span in paragraph.spans if span.term]
        assert first == view.waiting[part.number - 1].first


@pytest.mark.parametrize("number", [-1, 1, 99])
def test_a_part_that_does_not_exist_is_refused(number: int) -> None:
    with pytest.raises(IndexError):
        later_parts("One part.", TERMS, number)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", ""),
        ("one", "1 word"),
        ("word " * 996, "about 1,000 words"),
        ("潮の満ち引き" * 50, "about 300 characters"),
    ],
)
def test_a_length_is_rounded_and_in_characters_without_blanks(text: str, length: str) -> None:
    assert document_view(text, ()).length == length
