"""Topics are read from every form, and a file that cannot be taken is named with its line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html import escape
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.files import BadFile, BadLine
from pooling.intake.topics import TopicRecord
from tests.metrics.shared_data import DATA, needs
from tests.pooling.files import TINY, read_topics, spoiled

EXPECTED = {
    "topics-trec.sgml": [
        TopicRecord(
            "401",
            "foreign minorities, Germany",
            "What language and cultural differences impede the integration of foreign minorities in Germany?",
            "A relevant document names a cause & a place.\n\nCosts < 5 million do not matter.",
        ),
        TopicRecord("A-7", "osteoporosis", "", ""),
    ],
    "topics-trec-closed.sgml": [
        TopicRecord("51", "Airbus Subsidies", "Government aid to Airbus.", "Names the giver & the sum.")
    ],
    "topics-covid.xml": [
        TopicRecord("1", "virus origin", "what is the origin of R&D?", "seeking a range of information"),
        TopicRecord("2", "café", "", ""),
    ],
    "topics.tsv": [
        TopicRecord("401", "foreign minorities", "", ""),
        TopicRecord("402", "genetics", "which genes?", ""),
        TopicRecord("403", "bones", "what helps?", "names a remedy"),
    ],
    "topics-header.tsv": [
        TopicRecord("401", "foreign minorities", "", "names a cause"),
        TopicRecord("403", "bones", "", ""),
    ],
    "topics.jsonl": [
        TopicRecord("401", "foreign minorities", "why?", "names a cause"),
        TopicRecord("q3", "café deux", "", ""),
    ],
    "topics-beir.jsonl": [TopicRecord("q2", "a BEIR query", "", "")],
    "topics-smart.qry": [
        TopicRecord(
            "1",
            "what similarity laws must be obeyed when constructing aeroelastic models "
            "of heated high speed aircraft .",
            "",
            "",
        ),
        TopicRecord("2", ".5 is a number and .W is a letter", "", ""),
    ],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_form_of_topics_is_read(name: str) -> None:
    assert read_topics((TINY / name).read_bytes(), name) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_line_ends_and_a_byte_order_mark_change_nothing(name: str) -> None:
    content = (TINY / name).read_bytes()
    assert read_topics(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")) == EXPECTED[name]


BAD = [
    # content, line, part of the message
    (b"", None, "expected topics: TREC SGML"),
    (b"\n \n", None, "found none"),
    (b"401 foreign minorities\n", None, 'XML (<topic number="1">), tab-separated lines'),
    (b"<html><p>not found</p></html>", None, "JSON Lines or SMART"),
    (b"number\ttitle\n", None, "found none"),
    (b"<top>\n<title>one</title>\n</top>", 1, "expected a topic number, found none"),
    (b"<topic><query>one</query></topic>", 1, "expected a topic number, found none"),
    (
        b"\n<top>\n<num> Number: 4 01\n<title> a\n</top>",
        3,
        "without blanks or control characters, found '4 01'",
    ),
    (b"<top><num>1<title> \n</top>", 1, "expected a title for topic 1, found none"),
    (b"<top>\n<num>1<title>a\n</top>\n<top>\n<num>1<title>b\n</top>", 5, "found 1 in line 2 already"),
    (
        b"<top>\n<num>1\n<title>a\n<title>b\n</top>",
        4,
        "expected one title per topic, found a second, <title>",
    ),
    (b"<topic number='1'>\n<num>2</num><query>a</query></topic>", 2, "expected one number per topic"),
    (b"<top>\n<num>1\n<title>a\n", 1, "expected </top> for this <top>, the file ends before it"),
    (b"<top>\n<num>1\n<title>a\n<top>\n", 4, "expected </top> for line 1 before the next <top>"),
    (b"<a>\n</top>\n", 2, "expected <top> before </top>"),
    (b"<a>\n<!-- <top>\n", 2, "expected --> at the end of this comment"),
    (b"<top>\n<num>1<title>Br\xfcssel\n</top>", 2, "expected UTF-8 text, found the byte 0xfc"),
    (b"1\ta\n\ttitle\n", 2, "expected a topic number, found none"),
    (b"1\ta\n2\n", 2, "expected 2 to 4 fields separated by tabs, found 1"),
    (b"1\ta\tb\tc\td\n", 1, "expected 2 to 4 fields separated by tabs, found 5"),
    (b"1\ta\n2\t \tb\n", 2, "expected a title for topic 2, found none"),
    (b"1\ta\n\n1\tb\n", 3, "expected every topic once, found 1 in line 1 already"),
    (b"number\ttitle\n1\ta\tb\n", 2, "expected 2 cells, as in the first line, found 3"),
    (b'{"id": 1, "title": "a"}\n{"id": 2,\n', 2, "expected JSON (Expecting property name"),
    (b'{"id": 1, "title": "a"}\n[1]\n', 2, "expected one JSON object on the line, found another value"),
    (b'{"title": "a"}\n{"title": "b"}\n', None, "expected a field with the number (topic_id"),
    (b'{"id": 1, "title": "a"}\n{"title": "b"}\n', 2, "expected a topic number, found none"),
    (b'{"id": true, "title": "a"}\n{"id": 2, "title": "b"}', 1, "for the number, found true or false"),
    (b'{"id": 1, "title": ["a", "b"]}\n{}', 1, "expected text for the title, found a list"),
    (b'{"id": 1, "title": {}}\n', None, "or with rows that name their fields"),
    (b'{"id": 1}\n', None, "expected a field with the title"),
    (b'[{"id": 1, "title": "a"}, {"id": 2}]', None, "row 2: expected a title for topic 2, found none"),
    (b'{"id": "a\\u0000b", "title": "a"}\n{}', 1, "without blanks or control characters"),
    (b'{"id": "' + b"1" * 513 + b'", "title": "a"}\n{}', 1, "of at most 512 bytes, found 513"),
    (b"1\ta\n" + b"2" * 513 + b"\tb\n", 2, "of at most 512 bytes, found 513"),
    (b"1\ta\n..\tb\n", 2, "not . or .. and does not begin with # (a comment in qrels), found '..'"),
    (b"number,title,rel,topic\n1,a", 2, "expected 4 cells, as in the first line, found 2"),
    (b"<topic number='1'><who>a</who></topic>", 1, "found the elements who"),
    (b"qid,query,text\n1,a,b\n", None, "expected one field with the title, found query, text"),
    (b"1\t" + b"a" * 10_001, 1, "a title of at most 10,000 characters for topic 1, found 10,001"),
    (b"1\ta\t" + b"b" * 50_001, 1, "a description of at most 50,000 characters for topic 1, found 50,001"),
    (b"1\ta\tb\t" + b"c" * 50_001, 1, "a narrative of at most 50,000 characters for topic 1, found 50,001"),
    (b"".join(b"%d\ta\n" % n for n in range(10_002)), 10_001, "expected at most 10,000 topics"),
    (b'{"id": ' + b"1" * 5000 + b', "title": "a"}\n', 1, "expected JSON (Exceeds the limit"),
    (b'{"id": 1, "title": ' + b"[" * 100_000, 1, "expected JSON (maximum recursion depth"),
    (b".I 1\nno section\n", 2, "expected a section such as .W before any text, found 'no section'"),
    (b".I 1\n.W\nwings\n.I 2\n.W\n", 4, "expected a title for topic 2, found none"),
]


@pytest.mark.parametrize(("content", "line", "expected"), BAD)
def test_what_is_wrong_with_topics_is_said_with_its_line(
    content: bytes, line: int | None, expected: str
) -> None:
    with pytest.raises(BadFile) as caught:
        read_topics(content, "my.topics")
    assert (caught.value.line, caught.value.name) == (line, "my.topics")
    assert expected in caught.value.message
    assert isinstance(caught.value, BadLine) == (line is not None)


def test_text_that_no_database_holds_is_replaced() -> None:
    [topic] = read_topics(rb'{"id": 1, "title": "a\u0000b", "description": "c\ud800"}')
    assert topic == TopicRecord("1", "a\ufffdb", "c\ufffd", "")


def test_a_tag_in_capitals_is_the_same_tag() -> None:
    assert read_topics(b"<TOP><NUM>1<TITLE>a</TOP>") == [TopicRecord("1", "a", "", "")]


def test_microblog_topics_with_other_tags_are_read() -> None:
    content = b"""<top>
<num> Number: MB001 </num>
<query> BBC cuts </query>
<querytime> Tue Feb 08 </querytime>
</top>"""
    assert read_topics(content) == [TopicRecord("MB001", "BBC cuts", "", "")]


words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
numbers = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="/#"), min_size=1, max_size=8
).filter(lambda number: number not in (".", ".."))
phrases = st.lists(words, max_size=5).map(" ".join)
topic_lists = st.lists(
    st.builds(TopicRecord, numbers, phrases.filter(bool), phrases, phrases),
    min_size=1,
    max_size=5,
    unique_by=lambda topic: topic.number,
)


TAGS = {"num": " Number: ", "title": " Topic: ", "desc": " Description:\n", "narr": " Narrative:\n"}


def sgml(topics: list[TopicRecord], close: bool) -> str:
    lines = []
    for topic in topics:
        lines.append("<top>")
        for (tag, prefix), text in zip(TAGS.items(), topic, strict=True):
            lines.append(f"<{tag}>{prefix}{escape(text)}" + f"</{tag}>" * close)
        lines.append("</top>")
    return "\n".join(lines)


def covid(topics: list[TopicRecord]) -> str:
    root = ElementTree.Element("topics")
    for topic in topics:
        element = ElementTree.SubElement(root, "topic", number=topic.number)
        for tag, text in zip(("query", "question", "narrative"), topic[1:], strict=True):
            ElementTree.SubElement(element, tag).text = text
    return ElementTree.tostring(root, encoding="unicode")


def table(topics: list[TopicRecord], header: bool) -> str:
    rows = [TopicRecord._fields] * header + [tuple(topic) for topic in topics]
    return "".join("\t".join(row) + "\n" for row in rows)


def json_lines(topics: list[TopicRecord]) -> str:
    return "".join(json.dumps(topic._asdict()) + "\n" for topic in topics)


WRITERS: dict[str, Callable[[list[TopicRecord]], str]] = {
    "sgml": lambda topics: sgml(topics, close=False),
    "closed sgml": lambda topics: sgml(topics, close=True),
    "covid": covid,
    "header": lambda topics: table(topics, header=True),
    "json": json_lines,
}


@pytest.mark.parametrize("form", WRITERS)
@given(topic_lists)
def test_topics_that_were_written_are_read_again(form: str, topics: list[TopicRecord]) -> None:
    assert read_topics(WRITERS[form](topics).encode()) == topics


def test_a_row_that_begins_with_a_number_is_no_header() -> None:
    (topic,) = read_topics(b"70\tQUESTION\n")
    assert (topic.number, topic.title) == ("70", "QUESTION")


@given(topic_lists)
def test_topics_without_a_header_are_read_again(topics: list[TopicRecord]) -> None:
    numbered = [topic._replace(number=f"7{number}") for number, topic in enumerate(topics)]
    assert read_topics(table(numbered, header=False).encode()) == numbered


@given(topic_lists)
def test_smart_topics_are_numbered_by_position(topics: list[TopicRecord]) -> None:
    content = "".join(f".I {topic.number}\n.W\n {topic.title}\n" for topic in topics)
    read = read_topics(content.encode())
    assert [topic.number for topic in read] == [str(position) for position in range(1, len(topics) + 1)]
    assert [topic.title for topic in read] == [topic.title for topic in topics]


PIECES = [
    b"<top>", b"</top>", b"<topic number='1'>", b"</topic>", b"<num>", b"</num>", b"<title>",
    b"<title/>", b"<desc>", b"<!--", b"-->", b"<narr", b">", b"Number:", b" 401 ", b"\n", b"\r\n",
    b"\t", b".I 1\n", b".W\n", b".T\n", b"{", b"}", b'{"id": 1, "title": "a"}\n', b'"', b"[",
    b"\\ud800", b"&#0;", b"&amp;", b"&#xffffff;", b"\x00", b"\xff", b"number\ttitle\n",
    b"\xef\xbb\xbf", b"a", "é\u2028".encode(),
]  # fmt: skip


@given(spoiled("topics", PIECES))
def test_any_bytes_are_topics_or_refused(content: bytes) -> None:
    try:
        topics = read_topics(content)
    except BadFile as error:
        assert error.message.startswith("expected ")
    else:
        assert len({topic.number for topic in topics}) == len(topics) > 0
        for topic in topics:
            assert topic.number and topic.title and not re.search(r"\s", topic.number)
            assert "\x00" not in "".join(topic) and "".join(topic).encode()


@needs("trec-covid-round1")
def test_the_topics_of_trec_covid_are_those_an_xml_parser_finds() -> None:
    content = (DATA / "trec-covid-round1/topics-rnd1.xml").read_bytes()
    oracle = [
        TopicRecord(topic.get("number", ""), *(" ".join((element.text or "").split()) for element in topic))
        for topic in ElementTree.fromstring(content)
    ]
    assert len(oracle) == 30
    assert read_topics(content) == oracle


@needs("cranfield")
def test_the_topics_of_cranfield_are_numbered_as_its_qrels_number_them() -> None:
    topics = read_topics((DATA / "cranfield/cran.qry").read_bytes())
    qrels = (DATA / "cranfield/qrel.trec").read_text().splitlines()
    assert {topic.number for topic in topics} == {line.split()[0] for line in qrels}
    assert topics[2].title == "what problems of heat conduction in composite slabs have been solved so far ."
    assert topics[224].title.startswith("what design factors can be used to control lift-drag ratios")


@needs("judges-llmjudge-2024")
def test_the_queries_of_llmjudge_are_tab_separated_topics() -> None:
    content = (DATA / "judges-llmjudge-2024/llm4eval_query_2024.txt").read_bytes()
    oracle = list(csv.reader(io.StringIO(content.decode()), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(oracle) == 50
    assert [[topic.number, topic.title] for topic in read_topics(content)] == oracle
