"""Evidence is found again where the judge selected it, and nothing of the text is lost by marking it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assess.document.evidence import (
    EvidenceSegment,
    EvidenceSpan,
    Quote,
    evidence_paragraphs,
    locate_evidence,
)
from assess.document.highlighting import TextSpan, find_terms, topic_terms
from assess.document.text import PART_LENGTH, paragraphs

TEXT = "The heart of it.\n\nA second heart,\r\nand its blood.\n\nThe heart again."


def test_of_several_places_it_is_the_one_that_was_selected() -> None:
    for paragraph, start in ((0, 4), (1, 9), (2, 4)):
        (found,) = locate_evidence(TEXT, {"A": Quote("heart", paragraph, start)})
        assert TEXT[found.start : found.end] == "heart"
        assert TEXT[: found.start].count("\n\n") == paragraph


def test_a_selection_over_line_ends_and_paragraphs_is_found() -> None:
    (found,) = locate_evidence(TEXT, {"B": Quote("heart, and its blood.\n\nThe heart", 1, 9)})
    shown = list(evidence_paragraphs(TEXT, [found]))
    assert [stretch.letters for stretch in shown[1].stretches] == [(), ("B",)]
    assert shown[2].stretches == [
        EvidenceSegment([TextSpan("The heart")], ("B",), ("B",)),
        EvidenceSegment([TextSpan(" again.")]),
    ]


def test_what_is_not_in_the_text_any_more_is_left_out() -> None:
    assert locate_evidence(TEXT, {"A": Quote("lungs", 0, 0), "B": Quote("", 0, 0)}) == []
    assert locate_evidence("", {"A": Quote("heart", 3, 9)}) == []


def test_two_judges_who_selected_the_same_words_are_both_named() -> None:
    found = [EvidenceSpan(0, 9, "C"), EvidenceSpan(4, 16, "A")]
    (first, *_) = evidence_paragraphs(TEXT, found)
    assert first.stretches == [
        EvidenceSegment([TextSpan("The ")], ("C",)),
        EvidenceSegment([TextSpan("heart")], ("A", "C"), ("C",)),
        EvidenceSegment([TextSpan(" of it.")], ("A",), ("A",)),
    ]


words = st.lists(st.sampled_from(["heart", "of", "it.", "\n", "\n\n", "\r\n", "été", "  "]), max_size=40)
spans = st.lists(
    st.builds(EvidenceSpan, st.integers(0, 99), st.integers(0, 120), st.sampled_from("ABC")), max_size=4
)


@given(words.map(" ".join), spans)
def test_marking_loses_nothing_of_the_text(text: str, found: list[EvidenceSpan]) -> None:
    found = sorted(each for each in found if each.start < each.end)
    shown = ["".join(stretch.text for stretch in each.stretches) for each in evidence_paragraphs(text, found)]
    assert shown == [each.text for each in paragraphs(text)]


def test_a_later_part_holds_its_own_evidence() -> None:
    text = "\n\n".join(["word " * 100] * 200) + "\n\nThe end of it."
    (found,) = locate_evidence(text, {"A": Quote("end of it", 200, 4)})
    last = len(text) // PART_LENGTH
    assert not any(s.letters for each in evidence_paragraphs(text, [found]) for s in each.stretches)
    assert any(s.letters for each in evidence_paragraphs(text, [found], part=last) for s in each.stretches)


def test_a_term_that_evidence_divides_stays_one_hit() -> None:
    text = "The heartbeat of it, and a heartbeat."
    hits = find_terms(text, topic_terms("heartbeat"))
    (first,) = evidence_paragraphs(text, [EvidenceSpan(0, 9, "A")], hits)
    shown = [[(span.text, span.hit) for span in each.spans if span.term] for each in first.stretches]
    assert shown == [[("heart", 0)], [("beat", 0), ("heartbeat", 1)]]
