"""Documents in the forms beyond TREC's: CSV, mapped XML, WARC, pages, texts, archives and folders of them."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zipfile
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.archives import archive_files, folder_files
from pooling.formats.documents.pages import read_page
from pooling.formats.documents.reading import FORMS, read_collection, read_documents
from pooling.formats.documents.record import DocumentRecord
from pooling.formats.documents.xml import parse_mapping
from pooling.formats.files import BadFile, BadLine, open_unpacked
from pooling.intake.tables import UnclearFields

words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
lines = st.lists(words, min_size=1, max_size=4).map(" ".join)


def zipped(**files: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


# CSV


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@given(st.lists(st.tuples(words, lines, st.lists(lines, min_size=1).map("\n".join)), min_size=1, max_size=5))
def test_what_the_csv_module_writes_is_read_again(mark: str, rows: list[tuple[str, str, str]]) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL)
    writer.writerows([("docno", "title", "text"), *rows])
    found = read_documents(file.getvalue().encode(), form="csv")
    assert list(found) == [DocumentRecord(docno, title, text, "") for docno, title, text in rows]


@pytest.mark.parametrize("mark", [b",", b";"])
def test_csv_is_recognised_by_its_header(mark: bytes) -> None:
    content = b'\xef\xbb\xbfText,ID,url\r\n"a, b; ""c""",d1,http://example.org/\r\n'.replace(
        b",ID,", mark + b"ID" + mark
    )
    content = content.replace(b'",d1,', b'"' + mark + b"d1" + mark)
    assert list(read_documents(content)) == [DocumentRecord("d1", "", 'a, b; "c"', "http://example.org/")]


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"d1,a text\n", 1, "expected a first line that names the columns"),
        (b"", 1, "expected a first line that names the columns"),
        (b"docno,text\nd1,a\n\nd2,b,c\n", 4, "expected 2 cells, as in the first line, found 3"),
        (b'docno,text\nd1,"a\nb\n', 2, "expected a valid CSV row"),
        (b'docno,text\nd1,"a"b\n', 2, "expected a valid CSV row"),
        (b'docno,text\nd1,"a\nb"\n,c\n', 4, "expected a docno, found none"),
        (b'docno,text\nd1,"' + b"word\n" * (1 << 19), 2, "expected at most 8,388,608 characters"),
    ],
)
def test_what_is_wrong_with_csv_is_said_with_the_line_where_its_row_begins(
    content: bytes, line: int, expected: str
) -> None:
    with pytest.raises(BadLine) as caught:
        list(read_documents(content, "my.csv", form="csv"))
    assert (caught.value.line, caught.value.name) == (line, "my.csv")
    assert expected in caught.value.message


# XML with a mapping

XML = {
    "reuters": (
        b'<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<REUTERS TOPICS="YES" OLDID="5544" NEWID="1">\n'
        b"<DATE>26-FEB-1987</DATE><TEXT>&#2;\n<TITLE>COCOA &lt;X> REVIEW</TITLE>\n<DATELINE> X</DATELINE>"
        b"<BODY>Showers\ncontinued.\n&#3;</BODY></TEXT>\n</REUTERS>\n"
        b'<REUTERS NEWID="2"><TEXT TYPE="UNPROC">&#2;\nall of it\n&#3;</TEXT></REUTERS>',
        [
            DocumentRecord(
                "1", "COCOA <X> REVIEW", "Showers\ncontinued.", "", (("date", "26-FEB-1987"),)
            ),
            DocumentRecord("2", "", "all of it", ""),
        ],
    ),
    "ntcir": (
        '<REC><ACCN>gakkai-01</ACCN><TITL TYPE="kanji">題名</TITL><TITE TYPE="alpha">A title</TITE>\n'
        '<ABST TYPE="kanji"><ABST.P>要旨</ABST.P><ABST.P>二</ABST.P></ABST></REC>\n'
        "<REC><ACCN>gakkai-02</ACCN><TITE>Second</TITE><ABSE><ABSE.P>Text</ABSE.P></ABSE></REC>".encode(),
        [
            DocumentRecord("gakkai-01", "題名", "要旨\n\n二", ""),
            DocumentRecord("gakkai-02", "Second", "Text", ""),
        ],
    ),
    "inex": (
        b'<?xml version="1.0"?>\n<article xmlns="x"><name id="12">Anarchism</name>\n<body>It<b>al</b>ic\n'
        b"<section><title>Origins</title><p>One <!-- not\nthis --> two</p></section></body></article>\n"
        b"<article>\n<header><title>Two</title><id>13</id><revision><id>99</id></revision></header>"
        b"<bdy><![CDATA[a < b &amp; c]]></bdy>\n</article>",
        [
            DocumentRecord("12", "Anarchism", "Italic\n\nOrigins\n\nOne  two", ""),
            DocumentRecord("13", "Two", "a < b &amp; c", ""),
        ],
    ),
    "clef": (
        b"<DOC>\n<DOCNO>SDA.940101.0001</DOCNO>\n<TI>Titre</TI>\n<LD>D\xe9but</LD>\n<TX>Suite</TX>\n</DOC>\n"
        b"<DOC>\n<DOCNO>GH950102-000000</DOCNO>\n<HEADLINE>Head\nline</HEADLINE><TEXT>One\n<TEXT>Two</TEXT></DOC>",
        [
            DocumentRecord("SDA.940101.0001", "Titre", "Début\n\nSuite", ""),
            DocumentRecord("GH950102-000000", "Head line", "One\n\nTwo", ""),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", XML)
def test_the_collections_that_are_known_by_name_are_read(form: str) -> None:
    content, expected = XML[form]
    assert list(read_documents(content, form=form)) == expected


@pytest.mark.parametrize("form", sorted(set(XML) - {"clef"}))
def test_the_collections_whose_elements_are_their_own_are_recognised(form: str) -> None:
    content, expected = XML[form]
    assert list(read_documents(content)) == expected


def test_a_mapping_says_which_element_is_what() -> None:
    elements = parse_mapping("document = page, docno=page@id|key, title=t, text=lead+rest, url=link@href")
    content = (
        b"<pages><PAGE id='p1'><t>One</t><rest>b</rest><lead>a</lead><link href=\"http://example.org/?a&amp;b\"/>"
        b"</PAGE><page><key>p2</key><rest>c<lead>d</lead></rest></page></pages>"
    )
    assert list(read_documents(content, elements=elements)) == [
        DocumentRecord("p1", "One", "b\n\na", "http://example.org/?a&b"),
        DocumentRecord("p2", "", "cd", ""),
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", "found no document"),
        ("document=DOC, docno=DOCNO", "found no text"),
        ("document=DOC, docno=DOCNO, text", "found 'text'"),
        ("document=DOC, docno=DOCNO, text=a b", "found 'b'"),
        ("document=DOC, docno=DOCNO, text=<p>", "found 'text=<p>'"),
        ("document=DOC, docno=DOCNO, text=a, text=b", "found 'text=b'"),
        ("document=A|B, docno=DOCNO, text=a", "expected one element that encloses a document"),
        ("document=A@b, docno=DOCNO, text=a", "expected one element that encloses a document"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_said(spec: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_mapping(spec)
    assert expected in caught.value.message


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"<a>\n<d><n>1</n><t>x</t></d>\n<d>\n<n>2</n>", 3, "expected </d> for this <d>, the file ends"),
        (b"<d>\n<d>", 2, "expected </d> for line 1 before the next <d>"),
        (b"<a>\n</d>", 2, "expected <d> before </d>"),
        (b"<d>\n<t>x</t></d>", 1, "expected a docno, found none"),
        (b"<other/>", None, "found none"),
    ],
)
def test_what_is_wrong_with_mapped_xml_is_said_with_its_line(
    content: bytes, line: int | None, expected: str
) -> None:
    with pytest.raises(BadFile) as caught:
        list(read_documents(content, elements=parse_mapping("document=d docno=n text=t")))
    assert caught.value.line == line
    assert expected in caught.value.message


def test_entities_that_a_file_defines_are_not_expanded() -> None:
    content = (
        b'<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>\n'
        b"<d><n>1</n><t>&b;&f;&lt;</t></d>"
    )
    [document] = read_documents(content, elements=parse_mapping("document=d docno=n text=t"))
    assert document.text == "&b;&f;<"


# pages


@pytest.mark.parametrize(
    ("source", "title", "text"),
    [
        ("<title> A\n &amp; B </title><p>One<p>two", "A & B", "One\n\ntwo"),
        ("<p>a<script>if (a < b) '</p>'</script>b<STYLE>p {}</STYLE></p>", "", "ab"),
        ("<!-- <p>not</p> --><h1>Head</h1>text <b>bo</b>ld<br>next", "", "Head\n\ntext bold\nnext"),
        ("<ul><li>one<li>two</ul><table><tr><td>a</td><td>b</td></tr></table>", "", "one\ntwo\n\na b"),
        ("<pre>  x = 1\n    y</pre> after  all", "", "  x = 1\n    y\n\nafter all"),
        ('<a title="a > b" href=\'<c>\'>link</a> 1 < 2 & 3', "", "link 1 < 2 & 3"),
        ("&eacute;&#233;&#xe9;&nosuch;", "", "ééé&nosuch;"),
        ("kept <script>never closed <p>x", "", "kept"),
        ("<svg><title>later</title></svg><title>no</title>", "later", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_a_page_gives_its_title_and_what_a_person_reads(source: str, title: str, text: str) -> None:
    assert read_page(source) == (title, text)


class Oracle(HTMLParser):
    """The words of a page as the standard library finds them."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(source)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.text += " " * (tag in ("p", "li", "br"))


nodes = st.recursive(
    lines.map(escape),
    lambda inner: st.tuples(
        st.sampled_from(["p", "b", "i", "li", "a href='x>y'", 'em class="<"']), st.lists(inner, max_size=3)
    ).map(lambda node: f"<{node[0]}>{''.join(node[1])}</{node[0].split()[0]}>"),
)


@given(st.lists(nodes, max_size=4).map("<p>".join))
def test_well_formed_pages_have_the_words_that_html_parser_finds(source: str) -> None:
    assert "".join(read_page(source).text.split()) == "".join(Oracle(source).text.split())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<meta charset='shift_jis'>日本".encode("shift_jis"), "日本"),
        (b"<meta http-equiv=x content='text/html; charset=iso-8859-1'>\x93quoted\x94", "“quoted”"),
        ("<p>日本".encode("utf-16"), "日本"),
        (b"<meta charset=unicode_escape>\\x41", "\\x41"),
        (b"<meta charset=nosuch>caf\xc3\xa9", "café"),
    ],
)
def test_a_page_is_decoded_as_it_asks(content: bytes, text: str) -> None:
    reading = read_documents(content, "p.html", form="html")
    assert [document.text for document in reading] == [text]
    assert reading.repaired == 0


def test_a_page_may_stay_html() -> None:
    content = b"<title>T</title><p>One"
    assert list(read_documents(content, "a/p1.html", form="html", as_html=True)) == [
        DocumentRecord("p1", "T", content.decode(), "")
    ]


# encodings and repetitions are counted


def test_what_is_not_utf_8_is_repaired_and_counted() -> None:
    reading = read_documents(
        b'{"id": 1, "text": "caf\xe9 \x80"}\n{"id": 2, "text": "caf\xc3\xa9 \xff"}\n{"id": 3, "text": "p"}\n'
        b'{"id": 4, "text": "\\u0000"}\n{"id": 5, "text": "\x81\xe9"}\n'
    )
    texts = [document.text for document in reading]
    assert texts == ["café €", "café \ufffd", "p", "\ufffd", "\x81é"]
    assert (reading.documents, reading.repaired, reading.repeated) == (5, 4, 0)


def test_docnos_that_come_twice_are_counted() -> None:
    reading = read_documents(b"d1\ta\nd2\tb\nd1\tc\nd1\td\n")
    assert reading.repeated == 0
    assert len(list(reading)) == 4
    assert (reading.documents, reading.repeated) == (4, 2)


def test_utf_16_is_refused_by_its_name() -> None:
    with pytest.raises(BadLine, match="found UTF-16: save the file as UTF-8"):
        list(read_documents("docno\ttext\nd1\ta\n".encode("utf-16")))


# archives and folders

MIXED = {
    "texts/LA-1.txt.gz": gzip.compress(b"a text,\twith a tab\r\nand a line"),
    "SDA.940101.0001": b"<3 all of you\n",
    "page.HTM": b"<!-- x -->\n<!DOCTYPE html><title>T</title><article>words</article>",
    "more.tsv": b"docno\ttext\nt1\ta\n",
    "lines.jsonl.gz": gzip.compress(b'{"id": "j1", "text": "b"}\n'),
    "la/la010189": b"<DOC>\n<DOCNO>LA-1</DOCNO><TEXT>c</TEXT></DOC>\n",
}
EXPECTED = [
    DocumentRecord("LA-1", "", "a text,\twith a tab\nand a line", ""),
    DocumentRecord("SDA.940101.0001", "", "<3 all of you", ""),
    DocumentRecord("page", "T", "words", ""),
    DocumentRecord("t1", "", "a", ""),
    DocumentRecord("j1", "", "b", ""),
    DocumentRecord("LA-1", "", "c", ""),
]


def test_the_files_of_an_archive_are_documents_or_hold_them() -> None:
    reading = read_collection(archive_files(zipped(**MIXED), "my.zip"), "my.zip")
    assert list(reading) == EXPECTED
    assert (reading.documents, reading.repeated) == (6, 1)


def test_the_files_of_a_folder_are_documents_or_hold_them(tmp_path: Path) -> None:
    for name, content in MIXED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert sorted(read_collection(folder_files(tmp_path))) == sorted(EXPECTED)


def test_every_file_can_be_said_to_be_a_text() -> None:
    files = zipped(**{"a.txt": b"<DOC>", "b.txt": b'{"not": "JSON"}'})
    found = read_collection(archive_files(files), form="text")
    assert [(document.docno, document.text) for document in found] == [
        ("a", "<DOC>"),
        ("b", '{"not": "JSON"}'),
    ]


@pytest.mark.parametrize(
    ("name", "content", "place", "expected"),
    [
        ("b.tsv", b"d1\ta\nd2\n", "my.zip/b.tsv, line 2", "expected 2 fields separated by tabs"),
        ("b.gz", gzip.compress(bytes(100), mtime=0)[:-9], "my.zip/b.gz", "damaged or cut short"),
        ("my b.txt", b"text", "my.zip/my b.txt", "expected a docno without blanks"),
        ("b.png", b"\x89PNG\r\n\0\0", "my.zip/b.png", "expected a text, found NUL bytes"),
        ("b.xml", b"<?xml version='1.0'?><unknown/>", "my.zip/b.xml", "or a mapping of its elements"),
        ("b.jsonl", b"{\n", "my.zip/b.jsonl, line 1", "expected one JSON object"),
    ],
)
def test_what_is_wrong_with_a_file_in_an_archive_is_said_with_its_name(
    name: str, content: bytes, place: str, expected: str
) -> None:
    with pytest.raises(BadFile) as caught:
        list(read_collection(archive_files(zipped(**{name: content}), "my.zip"), "my.zip"))
    assert str(caught.value).startswith(f"{place}: ")
    assert expected in caught.value.message


def test_an_archive_of_nothing_is_refused() -> None:
    with pytest.raises(BadFile, match=r"my\.zip: expected documents.*found none"):
        list(read_collection(archive_files(zipped(), "my.zip"), "my.zip"))


def test_a_form_that_is_unknown_is_refused() -> None:
    with pytest.raises(BadFile, match="expected one of the formats trec, jsonl, json, tsv, csv, smart"):
        list(read_documents(b"a\tb", form="pdf"))
    with pytest.raises(BadFile, match="expected a mapping such as document=DOC"):
        list(read_documents(b"<a>", form="xml"))
    assert {"text", "html", "clef", "inex", "ntcir", "reuters"} <= set(FORMS)


# WARC

RECORDS: list[tuple[str, str, str, bytes]] = [
    # type, address, HTTP's Content-Type ("" for no HTTP), content
    ("warcinfo", "", "", b"software: x\r\n"),
    ("request", "http://example.org/1", "", b"GET / HTTP/1.1\r\n\r\n"),
    ("response", "http://example.org/1", "text/html; charset=ISO-8859-1", b"<title>T</title><p>caf\xe9"),
    ("response", "http://example.org/x.png", "image/png", b"\x89PNG" * 100_000),
    ("resource", "http://example.org/2", "", b"plain words\r\nand more"),
    ("response", "http://example.org/3", "text/plain", b"a < b"),
]


def warc(records: list[tuple[str, str, str, bytes]], packed: bool = True) -> bytes:
    """A WARC file as ISO 28500 says, each record packed on its own, as crawlers do."""
    written = []
    for number, (kind, address, content_type, content) in enumerate(records):
        http = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n".encode() if content_type else b""
        header = {
            "WARC-Type": kind,
            "WARC-Record-ID": f"<urn:uuid:{number}>",
            "WARC-Date": "2024-01-01T00:00:00Z",
            "WARC-Target-URI": address,
            "Content-Type": "application/http" if content_type else "text/plain",
            "Content-Length": str(len(http + content)),
        }
        lines = "".join(f"{key}: {value}\r\n" for key, value in header.items() if value)
        written.append(f"WARC/1.0\r\n{lines}\r\n".encode() + http + content + b"\r\n\r\n")
    return b"".join(gzip.compress(record) if packed else record for record in written)


CRAWLED = (("crawled", "2024-01-01T00:00:00Z"),)


@pytest.mark.parametrize("packed", [True, False])
def test_the_pages_and_texts_of_a_warc_file_are_documents(packed: bool) -> None:
    found = read_documents(open_unpacked(io.BytesIO(warc(RECORDS, packed))))
    assert list(found) == [
        DocumentRecord("2", "T", "café", "http://example.org/1", CRAWLED),
        DocumentRecord("4", "", "plain words\nand more", "http://example.org/2", CRAWLED),
        DocumentRecord("5", "", "a < b", "http://example.org/3", CRAWLED),
    ]
    assert found.repaired == 0


def test_the_id_that_clueweb_gives_is_the_docno() -> None:
    content = warc(RECORDS[-1:], packed=False).replace(
        b"WARC-Type", b"WARC-TREC-ID: clueweb09-en0000-00-00000\r\nWARC-Type", 1
    )
    assert [document.docno for document in read_documents(content)] == ["clueweb09-en0000-00-00000"]


def test_pages_of_a_warc_file_may_stay_html() -> None:
    found = read_documents(warc(RECORDS, packed=False), as_html=True)
    assert next(found).text == "<title>T</title><p>café"


@pytest.mark.parametrize("kept", [0.999, 0.5])
def test_a_warc_file_that_is_cut_short_is_refused(kept: float) -> None:
    content = warc(RECORDS[2:5], packed=False)
    with pytest.raises(BadFile, match="a.warc: the WARC file is damaged or cut short"):
        list(read_documents(content[: int(len(content) * kept) - 4], "a.warc"))


def test_a_warc_header_that_never_ends_is_refused() -> None:
    content = warc(RECORDS[-1:], packed=False).replace(b"WARC-Type", b"X: y\r\n" * 200_000 + b"WARC-Type", 1)
    with pytest.raises(BadFile, match="expected headers of at most 1,048,576 bytes"):
        list(read_documents(content))


@given(st.integers(0, 2000), st.binary(max_size=3))
def test_any_damage_to_a_warc_file_is_read_or_refused(place: int, bytes_there: bytes) -> None:
    content = warc(RECORDS[4:], packed=False)
    place %= len(content)
    content = content[:place] + bytes_there + content[place + 2 :]
    try:
        list(read_documents(content, form="warc"))
    except BadFile as error:
        assert error.message


def test_without_warcio_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "warcio", None)
    monkeypatch.setitem(sys.modules, "warcio.archiveiterator", None)
    with pytest.raises(BadFile, match="a.warc: WARC needs the package warcio: pip install warcio"):
        list(read_documents(b"WARC/1.0\r\nWARC-Type: response\r\n", "a.warc"))


LONG = "word " * 100


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("d.jsonl", '{"docno": "D1", "title": "t", "tale": "' + LONG + '"}\n'),
        ("d.jsonl", '{"docno": "D1", "tale": "' + LONG + '"}\n'),
        ("d.csv", f"docno,title,tale\nD1,t,{LONG}\n"),
        ("d.tsv", f"docno\ttitle\ttale\nD1\tt\t{LONG}\n"),
    ],
)
def test_a_long_field_that_is_not_read_is_named_when_a_document_has_no_text(name: str, content: str) -> None:
    expected = (
        r"expected a text .*for document D1, found .*; the field 'tale' with \d{3} characters is not read;"
        r" choose with the fields of a table \(command: --map, REST API: map\): field=meaning"
    )
    with pytest.raises(UnclearFields, match=expected) as refused:
        list(read_documents(content.encode(), name))
    assert (refused.value.meaning, refused.value.candidates) == ("text", ("tale",))
    assert refused.value.name == name and refused.value.line
    (found,) = read_documents(content.encode(), name, fields={"tale": "text"})
    assert found.text.strip() == LONG.strip()


def test_a_long_field_beside_a_text_or_an_empty_text_is_left_out() -> None:
    for text in ("words", ""):
        row = f'{{"docno": "D1", "title": "t", "text": "{text}", "affiliations": "{LONG}"}}\n'
        reader = read_documents(row.encode(), "d.jsonl")
        (found,) = reader
        assert (found.text, found.facts) == (text, ())
        assert reader.left == {"affiliations": 1}
