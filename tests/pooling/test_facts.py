"""What else a document's file says, from every form; and that it reaches the judge but not the checksum."""

from __future__ import annotations

import io

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from pooling.checksum import text_hash
from pooling.formats.documents.facts import MAX_FACT_VALUE, MAX_FACTS, facts_of
from pooling.formats.documents.reading import read_documents
from pooling.formats.documents.xml import parse_mapping
from pooling.formats.files import open_unpacked
from pooling.services.documents import document_reader, import_documents
from tests.pooling.test_document_forms import warc
from tests.support.factory import Factory
from tests.support.markup import markup

LOS_ANGELES = b"""<DOC>
<DOCNO> LA010189-0001 </DOCNO>
<DATE><P>January 1, 1989, Sunday, Home Edition </P></DATE>
<SECTION><P>Book Review; Page 1; Book Review Desk </P></SECTION>
<HEADLINE><P>NEW FALLOUT FROM CHERNOBYL</P></HEADLINE>
<BYLINE><P>By JAMES E. OBERG , Oberg &amp; Sons</P></BYLINE>
<TEXT><P>The onset. <DATE>in the text</DATE></P></TEXT>
</DOC>"""
PAGE = b"""<html><head><title>T</title><META NAME="Author" content="Ann &amp; Bo">
<meta property="article:published_time" content="2020-03-01">
<meta content='The "Paper"' property=og:site_name>
<meta name="date" content="later"><meta name="robots" content="noindex"></head><body>words</body></html>"""
XML = b"<r><d><no>1</no><when>May</when><by who='Ann'>x</by><t>text</t></d></r>"
FORMS: dict[str, tuple[bytes, dict[str, object], list[tuple[str, str]]]] = {
    "TREC SGML": (
        LOS_ANGELES,
        {},
        [
            ("date", "January 1, 1989, Sunday, Home Edition"),
            ("section", "Book Review; Page 1; Book Review Desk"),
            ("author", "By JAMES E. OBERG , Oberg & Sons"),
        ],
    ),
    "JSON Lines": (
        b'{"id": "1", "text": "a", "date": "2020", "pages": 7, "authors": ["Ann", "Bo"], "open": true, '
        b'"x": {"y": 1}, "none": null, "long": "' + b"z" * 301 + b'", "mean": 0.5}\n',
        {},
        [("date", "2020"), ("pages", "7"), ("authors", "Ann; Bo"), ("mean", "0.5")],
    ),
    "TSV": (b"docno\tdate\ttext\n1\tMay 1991\twords\n", {}, [("date", "May 1991")]),
    "CSV": (b'docno,text,source\n1,words,"The\nPaper"\n', {}, [("source", "The Paper")]),
    "SMART": (
        b".I 1\n.T\nt\n.A\nbrenckman,m.\n.B\nj. ae. scs. 25,\n1958.\n.W\nw\n",
        {},
        [("author", "brenckman,m."), ("source", "j. ae. scs. 25, 1958.")],
    ),
    "XML": (
        XML,
        {"form": "xml", "elements": parse_mapping("document=d docno=no text=t date=when author=by@who|by")},
        [("date", "May"), ("author", "Ann")],
    ),
    "CLEF": (
        b"<DOC><DOCNO>1</DOCNO><DATE>950102</DATE><BYLINE>Ann</BYLINE><TEXT>a</TEXT></DOC>",
        {"form": "clef"},
        [("date", "950102"), ("author", "Ann")],
    ),
    "Reuters": (
        b'<REUTERS NEWID="1"><DATE>26-FEB-1987</DATE><TEXT><TITLE>T</TITLE><BODY>a</BODY></TEXT></REUTERS>',
        {},
        [("date", "26-FEB-1987")],
    ),
    "NTCIR": (
        b"<REC><ACCN>1</ACCN><AUPK>A</AUPK><CNFN>B</CNFN><CNFD>1991</CNFD><ABST>a</ABST></REC>",
        {},
        [("date", "1991"), ("author", "A"), ("source", "B")],
    ),
    "HTML": (
        PAGE,
        {"form": "html", "name": "1.html"},
        [("author", "Ann & Bo"), ("date", "2020-03-01"), ("source", 'The "Paper"')],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_more_than_title_and_text(form: str) -> None:
    content, options, expected = FORMS[form]
    (found,) = read_documents(content, **options)  # type: ignore[arg-type]
    assert list(found.facts) == expected


def test_a_crawled_page_says_when_it_was_crawled() -> None:
    (found,) = read_documents(
        open_unpacked(io.BytesIO(warc([("response", "http://example.org/", "text/html", PAGE)])))
    )
    assert found.facts[0] == ("author", "Ann & Bo") and found.facts[-1] == ("crawled", "2024-01-01T00:00:00Z")


def test_a_document_without_a_text_element_shows_its_elements_in_the_text_alone() -> None:
    (found,) = read_documents(b"<DOC><DOCNO>1</DOCNO><DATE>May</DATE> all of it</DOC>")
    assert found.facts == () and "May" in found.text


def test_an_element_that_is_not_closed_or_crossed_says_nothing() -> None:
    (found,) = read_documents(
        b"<DOC><DOCNO>1</DOCNO><DATE>May<BYLINE>Ann</DATE><SECTION>x</SECTION><TEXT>a</TEXT></DOC>"
    )
    assert found.facts == (("section", "x"),)


@pytest.mark.parametrize("piece", [b"<DATE>", b"</DATE>", b"<DATE ", b"<DATE>x</DATE>"])
def test_a_million_elements_are_read_once(piece: bytes) -> None:
    """A scan that started over at each element would not end within the hour."""
    content = b"<DOC><DOCNO>1</DOCNO>" + piece * 500_000 + b"<TEXT>a</TEXT></DOC>"
    (found,) = read_documents(content)
    assert len(found.facts) <= MAX_FACTS


@pytest.mark.parametrize(
    "piece", [b"<meta ", b"<meta name=author content=", b"<meta name=a content='", b"<meta name = "]
)
def test_a_page_of_meta_elements_is_read_once(piece: bytes) -> None:
    (found,) = read_documents(b"<html>" + piece * 300_000, "1.html", "html")
    assert len(found.facts) <= MAX_FACTS


@given(st.lists(st.tuples(st.text(), st.text()), max_size=40))
def test_facts_are_few_short_and_on_one_line(pairs: list[tuple[str, str]]) -> None:
    found = facts_of(pairs)
    assert len(found) <= MAX_FACTS == 12 and len(set(found)) == len(found)
    for name, value in found:
        assert name and value and len(value) <= MAX_FACT_VALUE == 300
        assert value == " ".join(value.split()) and "\0" not in name + value


def test_a_judge_sees_them_escaped_and_the_checksum_is_of_title_and_text(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    content = b'{"id": "D1", "title": "t", "text": "words", "author": "<b>Ann</b>", "date": "2020"}\n'
    import_documents(campaign, lambda: document_reader(io.BytesIO(content), "d.jsonl"))
    document = campaign.documents.get()
    assert document.facts == [["author", "<b>Ann</b>"], ["date", "2020"]]
    assert document.text_hash == text_hash("t", "words")
    client = Client()
    client.force_login(make.make_user("alice"))
    page = markup(client.get("/campaigns/tiny/judge/topics/2/"))
    assert '<dt>Author</dt><dd dir="auto">&lt;b&gt;Ann&lt;/b&gt;</dd>' in page
    assert '<dt>Date</dt><dd dir="auto">2020</dd>' in page
    import_documents(
        campaign, lambda: document_reader(io.BytesIO(content.replace(b"2020", b"2021")), "d.jsonl")
    )
    again = campaign.documents.get()
    assert again.facts[1] == ["date", "2021"] and again.text_hash == document.text_hash
