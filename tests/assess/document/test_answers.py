"""Reading an answer: its layout, the passage of a cited document, and the page."""

from __future__ import annotations

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.answers.answer_files import Sentence
from assess.document.answers import AnswerView, answer_view, bare_text
from assess.document.highlighting import topic_terms
from assess.document.passages import DocumentPassage, passage_of
from pooling.models import Campaign
from tests.assess.answers.files import Answers
from tests.support.factory import Factory

ANSWER: Answers = {
    "1": [
        ("# Ships\n\nBoats float.", ["D1"]),
        ("They carry goods.", ["D1", "D2"]),
        ("## Harbours", []),
        ("- Most ships call at one.", ["D2"]),
        ("- Some do not.", []),
    ]
}


def view_of(*sentences: tuple[str, list[str]]) -> AnswerView:
    rows = [Sentence(text, tuple(cited)) for text, cited in sentences]
    return answer_view(rows, {"D1"}, lambda place, citation: (f"/page/{place}", f"/part/{place}/{citation}"))


def plain(passage: DocumentPassage) -> list[str]:
    """Return the text before, of, and after a passage."""
    parts = (passage.before, passage.passage, passage.after)
    return ["\n\n".join("".join(s.text for s in each.spans) for each in part) for part in parts]


def test_sentences_flow_and_documents_are_numbered_by_first_citation() -> None:
    view = view_of(("Boats float.", ["D2"]), ("They sink.", ["D1", "D2"]))
    (block,) = view.blocks
    assert [(each.place, each.text) for each in block.sentences] == [(1, "Boats float."), (2, "They sink.")]
    marks = [mark for each in block.sentences for mark in each.marks]
    assert [(mark.number, mark.docno, mark.has_text, mark.fragment) for mark in marks] == [
        (1, "D2", False, "/part/1/1"), (2, "D1", True, "/part/2/1"), (1, "D2", False, "/part/2/2")
    ]  # fmt: skip
    assert [(each.number, each.docno, each.places) for each in view.references] == [
        (1, "D2", [1, 2]), (2, "D1", [2])
    ]  # fmt: skip


def test_headings_items_and_paragraphs() -> None:
    view = view_of(*((text, list(cited)) for text, cited in ANSWER["1"]), ("\n\nThe end.", []))
    shown = [
        block.heading.text if block.heading else (block.is_item, [each.text for each in block.sentences])
        for block in view.blocks
    ]
    assert shown == [
        "Ships",
        (False, ["Boats float.", "They carry goods."]),
        "Harbours",
        (True, ["Most ships call at one."]),
        (True, ["Some do not."]),
        (False, ["The end."]),
    ]
    assert [heading.anchor for heading in view.headings] == ["heading-1", "heading-2"]


@pytest.mark.parametrize(
    "text", ["#1 of all.", "C# is a language.", "1997 was early.", "-5 degrees.", "3.5 m"]
)
def test_what_only_looks_like_markdown_is_text(text: str) -> None:
    (block,) = view_of((text, [])).blocks
    assert not block.heading and not block.is_item and block.sentences[0].text == text


@given(
    st.lists(
        st.tuples(
            st.text("ab#-1. \n", max_size=12), st.lists(st.sampled_from(["D1", "D2", "D3"]), unique=True)
        ),
        max_size=6,
    )
)
def test_no_citation_is_lost(sentences: list[tuple[str, list[str]]]) -> None:
    view = view_of(*sentences)
    shown = [(each.place, mark.docno) for b in view.blocks for each in b.sentences for mark in each.marks]
    assert shown == [(place, docno) for place, (_, own) in enumerate(sentences, start=1) for docno in own]
    words = [word for heading in view.headings for word in heading.text.split()]
    words += [word for block in view.blocks for each in block.sentences for word in each.text.split()]
    assert sum(word.count("a") for word in words) == sum(text.count("a") for text, _ in sentences)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("# A\n\n## B\nBoats float. ", "Boats float."),
        ("- One.", "One."),
        ("2024 was.", "2024 was."),
        ("# A", ""),
    ],
)
def test_the_text_beside_a_passage_is_without_headings(text: str, bare: str) -> None:
    assert bare_text(text) == bare


@pytest.mark.parametrize(
    "text", ["\n" * 200_000 + "x", "# a" + " " * 200_000 + "b", "# " * 100_000, " " * 200_000]
)
def test_long_white_space_takes_no_long_time(text: str) -> None:
    assert len(view_of((f"Before.{text}", []), (text, ["D1"])).references) == 1


PARAGRAPHS = ["Harbours are old.", "A sloop has one mast and one sail.", "A mast is tall.", "Nothing else."]


def test_the_paragraph_with_most_words_of_the_sentence_is_the_passage() -> None:
    passage = passage_of("\n\n".join(PARAGRAPHS), topic_terms("The sloop has a mast and a sail."))
    assert (passage.found, passage.words, passage.is_cut) == (3, 3, False)
    before, shown, after = plain(passage)
    assert (before, after) == (PARAGRAPHS[0], PARAGRAPHS[3])
    assert shown == "\n\n".join(PARAGRAPHS[1:3])  # the second mast is within the window
    marked = [span.text for each in passage.passage for span in each.spans if span.term]
    assert marked == ["sloop", "mast", "sail", "mast"]


def test_a_passage_far_away_stands_alone() -> None:
    filler = ["Words of no use. " * 30] * 3
    passage = passage_of("\n\n".join([*filler, PARAGRAPHS[1], *filler]), topic_terms("A sloop."))
    assert plain(passage)[1] == PARAGRAPHS[1] and passage.found == 1


def test_without_a_word_in_common_the_beginning_is_shown() -> None:
    passage = passage_of("\n\n".join(PARAGRAPHS), topic_terms("Quinine!"))
    assert (passage.found, plain(passage)[:2]) == (0, ["", PARAGRAPHS[0]])
    assert passage_of("", topic_terms("Boats.")).passage == []


def test_a_web_page_is_shown_as_text_and_a_very_long_text_is_cut() -> None:
    page = "<html><body><p>One.</p><p>A <b>sloop</b> sails.</p><script>x()</script></body></html>"
    assert "A sloop sails." in plain(passage_of(page, topic_terms("A sloop.")))[1]
    long = "\n\n".join(["No use at all, none."] * 5000 + [PARAGRAPHS[1]])
    passage = passage_of(long, topic_terms("A sloop."))
    assert passage.is_cut and plain(passage)[1] == PARAGRAPHS[1]
    assert sum(map(len, plain(passage))) < 50_000


@given(st.text("ab c\n.", max_size=300), st.text("abc ", max_size=20))
def test_passage_and_rest_are_the_text(text: str, sentence: str) -> None:
    passage = passage_of(text, topic_terms(sentence))
    assert "".join("".join(plain(passage)).split()) == "".join(text.split())


PAGE = "/campaigns/tiny/answer-runs/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "Why do boats float?")
    make.make_topic(campaign, "2", "What else?")
    make.make_document(campaign, "D1", "Old text.\n\nBoats <b>float</b> on water.\n\nMore.", "On boats")
    return campaign


@pytest.fixture
def carol(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def text_of(content: bytes) -> str:
    return " ".join(content.decode().split())


def test_the_page_shows_sentences_with_marks(campaign: Campaign, make: Factory, carol: Client) -> None:
    run = make.make_answer_run(campaign, {**ANSWER, "2": [("No.", [])]})
    page = text_of(carol.get(f"{PAGE}{run.pk}/topics/1/").content)
    assert 'aria-label="Citation 1: D1" >1</a>' in page
    assert 'title="D2, no text" aria-label="Citation 2: D2, no text"' in page
    assert '<a href="#heading-2" dir="auto">Harbours</a>' in page
    assert "Next: 2" in page and "Previous" not in page
    assert "Select a citation to read the document that it names." in page
    assert carol.get(f"{PAGE}{run.pk}/topics/3/").status_code == 404


def test_the_cited_document_is_shown_at_its_passage(campaign: Campaign, make: Factory, carol: Client) -> None:
    run = make.make_answer_run(campaign, ANSWER)
    address = f"{PAGE}{run.pk}/topics/1/"
    fragment = carol.get(f"{address}citations/1/1/")
    for content in (fragment.content, carol.get(f"{address}?sentence=1&citation=1").content):
        shown = text_of(content)
        assert "On boats" in shown and "Passage with most words of the sentence: 2 of 2" in shown
        assert '<mark class="term-0" data-hit="0">Boats</mark> &lt;b&gt;' in shown
        assert "Text before" in shown and "Text after" in shown
    missing = text_of(carol.get(f"{address}citations/2/2/").content)
    assert "No text was loaded for this document." in missing and "D2" in missing
    for place in ("3/1", "1/2", "6/1", "0/1", "1/0"):
        assert carol.get(f"{address}citations/{place}/").status_code == 404
    for query in (
        "sentence=9&citation=9",
        "sentence=x&citation=1",
        f"sentence={'9' * 30}&citation=1",
        "sentence=²",
    ):
        assert "Select a citation" in text_of(carol.get(f"{address}?{query}").content)


def test_the_part_of_an_answer_names_no_run(campaign: Campaign, make: Factory, carol: Client) -> None:
    run = make.make_answer_run(campaign, ANSWER, tag="zebra", group="zebralab")
    page = carol.get(f"{PAGE}{run.pk}/topics/1/").content.decode()
    part = page.partition('<article class="answer"')[2].partition("</article>")[0]
    assert "Boats float." in part and "zebra" not in part
    assert "zebra" not in carol.get(f"{PAGE}{run.pk}/topics/1/citations/1/1/").content.decode()


def test_reading_takes_few_queries(
    campaign: Campaign, make: Factory, carol: Client, django_assert_max_num_queries: object
) -> None:
    run = make.make_answer_run(campaign, {"1": [(f"Sentence {n}.", [f"D{n}", "D1"]) for n in range(2, 60)]})
    with django_assert_max_num_queries(25):  # type: ignore[operator]
        carol.get(f"{PAGE}{run.pk}/topics/1/?sentence=1&citation=2")


def test_a_participant_reads_the_own_answers_without_texts(campaign: Campaign, make: Factory) -> None:
    run = make.make_answer_run(campaign, ANSWER, "dave-1", "davelab")
    dave = Client()
    dave.force_login(make.make_user("dave"))
    address = f"{PAGE}{run.pk}/topics/1/"
    for query in ("", "?sentence=1&citation=1"):
        page = dave.get(address + query)
        shown = text_of(page.content)
        assert page.status_code == 200 and "Boats float." in shown and "D1" in shown
        assert "citations/1/1" not in page.content.decode() and "no text" not in shown
    assert dave.get(f"{address}citations/1/1/").status_code == 404
