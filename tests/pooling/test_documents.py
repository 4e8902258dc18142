"""Documents are read from every form, one at a time; a file that cannot be taken is named with its line."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from html import escape
from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.documents.reading import read_documents
from pooling.formats.documents.record import DocumentRecord
from pooling.formats.files import BadFile, BadLine
from pooling.intake.tables import UnclearFields
from tests.metrics.shared_data import DATA, needs
from tests.pooling.files import TINY, spoiled

EXPECTED = {
    "documents-trec.sgml": [
        DocumentRecord("FT911-3", "FT 14 MAY 91 / Café", "AT&T rose & fell,\n  5 < 6.\n\nSecond part", ""),
        DocumentRecord("2", "Low", "café", ""),
    ],
    "documents-web.sgml": [
        DocumentRecord(
            "WT-1", "A page", "<html><head></head>\n<P>One &amp; two\n</html>", "http://example.org/a"
        )
    ],
    "documents.jsonl": [
        DocumentRecord("d1", "First", "one\n  two", "https://example.org/1"),
        DocumentRecord("d2", "", "", ""),
        DocumentRecord("3", "", "pyserini", ""),
        DocumentRecord("d4", "only a title", "", ""),
        DocumentRecord("d5", "", "a body", "", (("abstract", "kept"),)),
    ],
    "documents-2.tsv": [DocumentRecord("d1", "", "one two", ""), DocumentRecord("d2", "", "", "")],
    "documents-3.tsv": [DocumentRecord("d1", "First", "one two", ""), DocumentRecord("d2", "", "three", "")],
    "documents-4.tsv": [DocumentRecord("d1", "First", "one two", "https://example.org/1")],
    "documents-header.tsv": [DocumentRecord("d1", "", "one two", "", (("language", "en"),))],
    "documents-smart.all": [
        DocumentRecord(
            "1",
            "experimental investigation of the aerodynamics of a wing in a slipstream .",
            "brenckman,m.\nj. ae. scs. 25, 1958, 324.\n\n  an experimental study\n\nof a wing .",
            "",
            (("author", "brenckman,m."), ("source", "j. ae. scs. 25, 1958, 324.")),
        ),
        DocumentRecord("471", "", "", ""),
    ],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_form_of_documents_is_read(name: str) -> None:
    assert list(read_documents((TINY / name).read_bytes(), name)) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_line_ends_and_a_byte_order_mark_change_nothing(name: str) -> None:
    content = b"\xef\xbb\xbf" + (TINY / name).read_bytes().replace(b"\n", b"\r\n")
    assert list(read_documents(content)) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_object_is_read_as_its_bytes_are(name: str) -> None:
    with (TINY / name).open("rb") as file:
        assert list(read_documents(file)) == EXPECTED[name]


@pytest.mark.parametrize(
    "again",
    [
        b"<DOC>\n<DOCNO>d</DOCNO>\n<TEXT>\nt\n</TEXT>\n</DOC>\n",
        b'{"id": "d", "text": "t"}\n',
        b"d\tt\n",
        b".I d\n.W\nt\n",
    ],
)
def test_the_first_documents_of_an_endless_file_arrive(again: bytes) -> None:
    lines = cycle(again.splitlines(keepends=True))
    assert list(islice(read_documents(lines), 3)) == [DocumentRecord("d", "", "t", "")] * 3


BAD = [
    # content, line, part of the message
    (b"", None, "expected documents: TREC SGML (<DOC><DOCNO>...), JSON Lines, tab-separated lines"),
    (b"\n\n", None, "or SMART (.I, .T and .W); found none"),
    (b"just words\n", None, "found none"),
    (b"<html>a page</html>", None, "found none"),
    (b"docno\ttext\n", None, "found none"),
    (b"<DOC>\n<TEXT>a</TEXT>\n</DOC>", 1, "expected a docno, found none"),
    (b"<DOC>\n<DOCNO> </DOCNO>\n</DOC>", 2, "expected a docno, found none"),
    (
        b"<DOC>\n<DOCNO>a b</DOCNO>\n</DOC>",
        2,
        "expected a docno without blanks or control characters, found 'a b'",
    ),
    (
        b"<DOC>\n<DOCNO>a</DOCNO>\n<DOCNO>b</DOCNO></DOC>",
        3,
        "expected one <DOCNO> per document, found a second",
    ),
    (b"<DOC>\n<DOCNO>" + b"d" * 201 + b"</DOCNO></DOC>", 2, "expected a docno of at most 200 bytes"),
    (b"<DOC>\n<DOCNO>a</DOCNO>\n<DOC>", 3, "expected </doc> for line 1 before the next <doc>"),
    (
        b"<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n<DOC>\n",
        4,
        "expected </doc> for this <doc>, the file ends before it",
    ),
    (b"<A>\n</DOC>\n", 2, "expected <doc> before </doc>"),
    (b'{"id": 1, "text": "a"}\nd2\tb\n', 2, "expected one JSON object on the line, found bad JSON"),
    (b'{"id": 1, "text": "a"}\n"d2"\n', 2, "expected one JSON object on the line, found '\"d2\"'"),
    (b'{"text": "a"}\n', 1, "expected a field with the docno (docno, doc_no, pid"),
    (b'{"id": "a b", "text": "a"}\n', 1, "without blanks"),
    (b'{"id": "a"}\n', 1, "expected a text or a title for document a, found neither"),
    (b'{"id": "a", "text": [1]}\n', 1, 'expected text for "text", found a list'),
    (b'{"id": "a", "text": "b", "url": {}}\n', 1, 'expected text for "url", found an object'),
    (b"a\tb\nc\td\te\n", 2, "expected 2 fields separated by tabs, as in the first line, found 3"),
    (b"a\tb\nc\n", 2, "expected 2 fields separated by tabs, as in the first line, found 1"),
    (b"a\tb\tc\td\te\n", 1, "expected 2 to 4 fields separated by tabs, found 5"),
    (b"docno\ttitle\turl\ttext\tlanguage\na\tb\tc\td\n", 2, "expected 5 fields separated by tabs"),
    (b"url\ttext\nu\tt\n", 2, "expected a field with the docno (docno, doc_no, pid"),
    (b"a\tb\n\tc\n", 2, "expected a docno, found none"),
    (b".I\n.W\na\n", 1, "expected a docno, found none"),
    (b".I 1\ntext\n", 2, "expected a section such as .W before any text, found 'text'"),
    (
        b".I 1\n.W\na\n.I 1 2\n.W\nb\n",
        4,
        "expected a docno without blanks or control characters, found '1 2'",
    ),
]


@pytest.mark.parametrize(("content", "line", "expected"), BAD)
def test_what_is_wrong_with_documents_is_said_with_its_line(
    content: bytes, line: int | None, expected: str
) -> None:
    with pytest.raises(BadFile) as caught:
        list(read_documents(content, "my.docs"))
    assert (caught.value.line, caught.value.name) == (line, "my.docs")
    assert expected in caught.value.message
    assert isinstance(caught.value, BadLine | UnclearFields) == (line is not None)


def test_documents_before_a_bad_line_are_yielded_first() -> None:
    documents = read_documents(b"a\tb\nc\n")
    assert next(documents).docno == "a"
    with pytest.raises(BadLine, match="line 2"):
        next(documents)


@pytest.mark.parametrize(
    ("inside", "title"),
    [
        ("<HEAD>AP first</HEAD><HEAD>second</HEAD><TEXT>a</TEXT>", "AP first second"),
        ("<HEAD>AP</HEAD><HL> WSJ </HL><TEXT>a</TEXT>", "WSJ"),
        ("<H3> <TI>FBIS</TI></H3><TEXT>a</TEXT>", "FBIS"),
        ("<HEADLINE><P>LA</P></HEADLINE><TEXT>a</TEXT>", "LA"),
        ("<TITLE>Ziff</TITLE><HEADLINE>no</HEADLINE><TEXT>a</TEXT>", "Ziff"),
        ("<HL>never closed<TEXT>a</TEXT>", "never closed"),
        ("<HEADLINE></HEADLINE><HL>filled</HL><TEXT>a</TEXT>", "filled"),
    ],
)
def test_the_title_of_every_trec_collection_is_found(inside: str, title: str) -> None:
    content = f"<DOC>\n<DOCNO>1</DOCNO>\n{inside}\n</DOC>".encode()
    assert list(read_documents(content)) == [DocumentRecord("1", title, "a", "")]


def test_the_url_of_an_sgml_document_is_kept() -> None:
    [document] = read_documents(b"<DOC><DOCNO>1</DOCNO><URL> http://example.org/ </URL><TEXT>a</TEXT></DOC>")
    assert document == DocumentRecord("1", "", "a", "http://example.org/")


def test_a_header_without_an_address_gives_no_url() -> None:
    [document] = read_documents(b"<DOC><DOCNO>1</DOCNO><DOCHDR>HTTP/1.0 200 OK</DOCHDR>a</DOC>")
    assert document == DocumentRecord("1", "", "a", "")


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<TEXT>a<TEXT>b</TEXT> outside", "a\n\nb"),  # the first is never closed
        ("<TEXT>a<HL/>b</TEXT> outside", "ab"),
        ("<TEXT>a<HL>title</HL>b</TEXT> outside", "ab"),
        ("<TEXT>a</HL>b</TEXT> outside", "ab"),
    ],
)
def test_tags_that_do_not_match_lose_no_text(inside: str, text: str) -> None:
    [document] = read_documents(f"<DOC><DOCNO>1</DOCNO>{inside}</DOC>".encode())
    assert document.text == text


def test_a_line_that_only_begins_like_a_smart_section_is_text() -> None:
    [document] = read_documents(b".I 1\n.W\n.A wing\n.5 inches\n")
    assert document.text == ".A wing\n.5 inches"


def test_marks_that_were_escaped_stay_in_the_text() -> None:
    [document] = read_documents(b"<DOC><DOCNO>1</DOCNO><TEXT>&lt;P&gt; a <b c> &hyph; &#233;</TEXT></DOC>")
    assert document.text == "<P> a <b c> &hyph; é"


def test_text_that_no_database_holds_is_replaced() -> None:
    [document] = read_documents(rb'{"id": 1, "title": "a\u0000b", "text": "c\ud800", "url": "\u0000"}')
    assert document == DocumentRecord("1", "a\ufffdb", "c\ufffd", "\ufffd")


def test_keywords_of_smart_documents_stand_last() -> None:
    content = b".I 1\n.T\nPreliminary Report\n.K\nalgebra\n.W\nan abstract\n.A\nPerlis, A. J.\n.X\n5 1 5\n"
    [document] = read_documents(content)
    assert document.text == "Perlis, A. J.\n\nan abstract\n\nalgebra"


words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
phrases = st.lists(words, max_size=5).map(" ".join)
urls = st.just("") | words.map("https://example.org/{}".format)
plain_documents = st.builds(DocumentRecord, words, phrases, phrases, urls, st.just(()))
document_lists = st.lists(plain_documents, min_size=1, max_size=5)


def sgml(documents: list[DocumentRecord]) -> str:
    return "".join(
        f"<DOC>\n<DOCNO>{docno}</DOCNO>\n<URL>{url}</URL>\n"
        f"<TITLE>{escape(title)}</TITLE>\n<TEXT>\n{escape(text)}\n</TEXT>\n</DOC>\n"
        for docno, title, text, url, _ in documents
    )


def table(documents: list[DocumentRecord], order: tuple[str, ...], header: bool) -> str:
    rows = [order] * header + [tuple(getattr(document, field) for field in order) for document in documents]
    return "".join("\t".join(row) + "\n" for row in rows)


def json_lines(documents: list[DocumentRecord]) -> str:
    return "".join(json.dumps(document._asdict()) + "\n" for document in documents)


WRITERS: dict[str, Callable[[list[DocumentRecord]], str]] = {
    "header": lambda documents: table(documents, ("url", "text", "docno", "title"), header=True),
    "json": json_lines,
}


@pytest.mark.parametrize("form", WRITERS)
@given(document_lists)
def test_documents_that_were_written_are_read_again(form: str, documents: list[DocumentRecord]) -> None:
    assert list(read_documents(WRITERS[form](documents).encode())) == documents


@given(document_lists)
def test_documents_without_a_header_are_read_again(documents: list[DocumentRecord]) -> None:
    numbered = [document._replace(docno=f"7{number}") for number, document in enumerate(documents)]
    content = table(numbered, ("docno", "url", "title", "text"), header=False)
    assert list(read_documents(content.encode())) == numbered


@given(document_lists)
def test_sgml_documents_that_were_written_are_read_again(documents: list[DocumentRecord]) -> None:
    # SGML has no way to write "<" in a docno or an address; texts are escaped.
    plain = [document._replace(docno=f"7{number}", url="") for number, document in enumerate(documents)]
    assert list(read_documents(sgml(plain).encode())) == plain


@given(document_lists)
def test_smart_documents_that_were_written_are_read_again(documents: list[DocumentRecord]) -> None:
    # A blank before every line, so that none is a section's mark.
    content = "".join(f".I {d.docno}\n.T\n {d.title}\n.W\n {d.text}\n" for d in documents)
    expected = [DocumentRecord(d.docno, d.title, f" {d.text}", "") for d in documents]
    assert list(read_documents(content.encode())) == expected


PIECES = [
    b"<DOC>", b"</DOC>", b"<DOCNO>", b"</DOCNO>", b"<DOCNO>d</DOCNO>", b"<TEXT>", b"</TEXT>", b"<HL>",
    b"</HL>", b"<P>", b"<DOCHDR>", b"http://", b"<!--", b"-->", b"<TITLE/>", b"<", b">", b"&amp;",
    b"&#0;", b"&#x110000;", b"\n", b"\r\n", b"\t", b".I 1\n", b".W\n", b".T\n", b"{", b"}",
    b'{"id": 1, "text": "a"}\n', b"[", b"\\ud800", b"\x00", b"\xff", b"docno\ttext\n", b"\xef\xbb\xbf",
    b"a", "é\u2028".encode(),
]  # fmt: skip


@given(spoiled("documents", PIECES))
def test_any_bytes_are_documents_or_refused(content: bytes) -> None:
    try:
        documents = list(read_documents(content))
    except BadFile as error:
        assert error.message.startswith("expected ")
    else:
        assert documents
        for document in documents:
            assert document.docno and not re.search(r"\s", document.docno) and len(document.docno) <= 200
            said = "".join([*document[:4], *(part for fact in document.facts for part in fact)])
            assert "\x00" not in said and said.encode()


def test_a_web_page_that_never_closes_its_head_keeps_its_body() -> None:
    [document] = read_documents(b"<DOC><DOCNO>1</DOCNO><html><head><title>T</title><body>all of it</DOC>")
    assert document == DocumentRecord("1", "T", "<html><head><body>all of it", "")


@needs("cranfield")
def test_the_documents_of_cranfield_are_all_read_with_all_their_words() -> None:
    with gzip.open(DATA / "cranfield/cran.all.1400.gz") as file:
        documents = list(read_documents(file))
    assert [document.docno for document in documents] == [str(number) for number in range(1, 1401)]
    assert [document.docno for document in documents if not document.text] == ["471", "995"]
    whole = gzip.decompress((DATA / "cranfield/cran.all.1400.gz").read_bytes()).decode()
    words = re.sub(r"^\.(?:I \d+|[TABW])$", " ", whole, flags=re.MULTILINE).split()
    assert sorted(words) == sorted(
        word for document in documents for word in f"{document.title} {document.text}".split()
    )
