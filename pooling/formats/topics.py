"""Read topics: TREC SGML, TREC-COVID XML, tab-separated lines, CSV, JSON Lines and SMART."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from pooling.formats import markup
from pooling.formats.documents.rows import csv_rows, delimiter
from pooling.formats.files import BadFile, BadLine
from pooling.formats.text import (
    ByteLines,
    Row,
    TextLines,
    check_identifier,
    decode_lines,
    detect_format,
    first_value,
    json_rows,
    naming_file,
    number_lines,
    one_line,
    paragraphs,
    quoted,
    replace_unstorable,
    resolve_entities,
    table_rows,
)
from pooling.limits import MAX_TITLE, MAX_TOPIC_TEXT, MAX_TOPICS, is_valid_name

EXPECTED_TOPICS = (
    'expected topics: TREC SGML (<top><num>...), TREC-COVID XML (<topic number="1">), tab-separated lines '
    "(number, title, description, narrative), CSV with a header, JSON Lines or SMART (.I and .W)"
)


MAX_LENGTHS = {"title": MAX_TITLE, "description": MAX_TOPIC_TEXT, "narrative": MAX_TOPIC_TEXT}
MAX_NUMBER = 60  # characters of a topic's number, which stands in lines of files and in addresses


class TopicRecord(NamedTuple):
    """A topic as its file says it; description and narrative may be empty."""

    number: str
    title: str
    description: str
    narrative: str


NumberedTopics = Iterator[tuple[int, TopicRecord]]  # line and topic

KEYS = {
    "number": ("number", "id", "query_id", "query-id", "qid", "topic_id", "_id"),
    "title": ("title", "text", "query"),
    "description": ("description",),
    "narrative": ("narrative",),
}
LAYOUTS = {count: tuple(KEYS)[:count] for count in (2, 3, 4)}
TAGS = {
    "num": "number",
    "number": "number",
    "title": "title",
    "query": "title",
    "desc": "description",
    "description": "description",
    "question": "description",
    "narr": "narrative",
    "narrative": "narrative",
}
# Fields of the first TRECs and of the Web tracks: they end the field before them and are left out.
UNUSED_TAGS = ("head", "dom", "smry", "con", "fac", "nat", "time", "def", "subtopic")
# The words with which TREC's SGML repeats the tag: "<num> Number: 401".
PREFIXES = {"num": "Number", "title": "Topic", "desc": "Description", "narr": "Narrative"}
_NUMBER_ATTRIBUTE = re.compile(
    r"""(?:^|\s)(?:number|num|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""", re.IGNORECASE
)


def read_topics(content: bytes, name: str = "") -> list[TopicRecord]:
    """Return the topics of a file in their order; its form is told from its content, not from its name.

    Known are TREC SGML (closing tags or none; `Topic:` and the other prefixes are dropped), TREC-COVID XML
    (query -> title, question -> description), tab-separated lines with or without a header, CSV with a header
    that names its columns in any order, JSON Lines, and SMART. **SMART topics are numbered by position, 1 to
    n, and what stands after `.I` is dropped**, because the Cranfield qrels and runs count that way.
    Hard-wrapped paragraphs of mark-up become one line each.

    content: plain bytes, UTF-8 (`textfile.unpack` opens what is packed).
    Raises BadFile when there is no topic; BadLine when a number is missing, too long, holds blanks or slashes
    or comes twice, when a title is empty, and when a line is not as its form asks. Both carry `name`.
    """
    with naming_file(name):
        form, lines = topic_format(content)
        topics: dict[str, TopicRecord] = {}
        line_of: dict[str, int] = {}
        for line, topic in TOPIC_READERS[form](decode_lines(lines)) if form else ():
            first = line_of.setdefault(topic.number, line)
            if topic.number in topics:
                raise BadLine(
                    line, f"expected every topic once, found {topic.number} in line {first} already"
                )
            if len(topics) == MAX_TOPICS:
                raise BadLine(line, f"expected at most {MAX_TOPICS:,} topics")
            topics[topic.number] = topic
        if not topics:
            raise BadFile(f"{EXPECTED_TOPICS}; found none")
        return list(topics.values())


def topic_format(content: bytes) -> tuple[str | None, ByteLines]:
    """Return the format of topics, a key of `TOPIC_READERS`, and their lines; None for another content."""
    form, lines = detect_format(number_lines(content))
    first = next(iter(lines := iter(lines)), None)
    if first is None:
        return None, ()
    if form is None and delimiter(first[1].decode(errors="replace"), KEYS):
        return "csv", chain([first], lines)
    return form, chain([first], lines)


def _topic(line: int, number: str, title: str, description: str, narrative: str) -> tuple[int, TopicRecord]:
    number, title = check_identifier(number, line, "topic number"), one_line(title)
    if not is_valid_name(number) or number.startswith("#") or len(number) > MAX_NUMBER:
        shape = "without slashes, not . or .., and not beginning with # (a comment in qrels)"
        expected = f"a topic number of at most {MAX_NUMBER} characters, {shape}"
        raise BadLine(line, f"expected {expected}, found {quoted(number)}")
    if not title:
        raise BadLine(line, f"expected a title for topic {number}, found none")
    topic = TopicRecord(number, title, replace_unstorable(description), replace_unstorable(narrative))
    for field, longest in MAX_LENGTHS.items():
        if (length := len(getattr(topic, field))) > longest:
            expected = f"a {field} of at most {longest:,} characters for topic {number}"
            raise BadLine(line, f"expected {expected}, found {length:,}")
    return line, topic


def _from_rows(rows: Iterator[Row]) -> NumberedTopics:
    for row in rows:
        number, title, description, narrative = (first_value(row, keys) or "" for keys in KEYS.values())
        yield _topic(row[0], number, title, description, narrative)


def _from_json(lines: TextLines) -> NumberedTopics:
    return _from_rows(json_rows(lines))


def _from_table(lines: TextLines) -> NumberedTopics:
    return _from_rows(table_rows(lines, KEYS, LAYOUTS, uniform=False))


def _from_csv(lines: TextLines) -> NumberedTopics:
    return _from_rows(csv_rows(lines, KEYS, "number,title,description,narrative"))


def _from_smart(lines: TextLines) -> NumberedTopics:
    for position, entry in enumerate(markup.smart_entries(lines), start=1):
        if position == 1 and "T" in entry.sections:
            message = (
                "expected topics (.I and .W), found a title (.T), as documents have: load them as documents"
            )
            raise BadLine(entry.line, message)
        yield _topic(entry.line, str(position), entry.text("W"), "", "")


def _from_markup(lines: TextLines) -> NumberedTopics:
    for block in markup.markup_blocks(_uncommented(lines), ("top", "topic"), [*TAGS, *UNUSED_TAGS]):
        texts = dict.fromkeys(KEYS, "")
        filled: dict[str, int] = {}
        if attribute := _NUMBER_ATTRIBUTE.search(block.attributes):
            texts["number"] = resolve_entities(attribute[1] or attribute[2] or attribute[3] or "")
            filled["number"] = block.line
        for part in block.parts:
            field = TAGS.get(part.tag)
            if field in filled:
                raise BadLine(part.line, f"expected one {field} per topic, found a second, <{part.tag}>")
            if field:
                texts[field], filled[field] = _part_text(part), part.line
        yield _topic(filled.get("number", block.line), **texts)


def _part_text(part: markup.MarkupPart) -> str:
    prefix = PREFIXES.get(part.tag)
    text = re.sub(rf"\A\s*{prefix}\s*:", "", part.text, flags=re.IGNORECASE) if prefix else part.text
    return resolve_entities(paragraphs(text))


def _uncommented(lines: TextLines) -> Iterator[tuple[int, str]]:
    """Drop `<!-- ... -->`, which may hide whole topics; the lines keep their numbers."""
    opened = 0
    for number, line in lines:
        tokens = []
        for token in re.split("(<!--|-->)", line):
            if opened:
                opened = 0 if token == "-->" else opened
            elif token == "<!--":
                opened = number
            else:
                tokens.append(token)
        yield number, "".join(tokens)
    if opened:
        raise BadLine(opened, "expected --> at the end of this comment, the file ends before it")


TOPIC_READERS: dict[str, Callable[[TextLines], NumberedTopics]] = {
    "markup": _from_markup,
    "json": _from_json,
    "smart": _from_smart,
    "table": _from_table,
    "csv": _from_csv,
}
