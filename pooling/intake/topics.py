"""Topics in every form that is read: mark-up, tables with and without a header, JSON, and SMART."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pooling.formats import markup
from pooling.formats.files import BadFile, BadLine
from pooling.formats.text import (
    TextLines,
    check_identifier,
    decode_lines,
    detect_format,
    naming_file,
    number_lines,
    one_line,
    quoted,
    replace_unstorable,
)
from pooling.intake.fields import TOPICS
from pooling.intake.tables import AS_IT_IS, Reading, Table, number_text, read_table
from pooling.intake.topic_markup import MEANINGS, marked_topics
from pooling.limits import MAX_TITLE, MAX_TOPIC_BYTES, MAX_TOPIC_TEXT, MAX_TOPICS, is_topic_number

EXPECTED_TOPICS = (
    'expected topics: TREC SGML (<top><num>...), XML (<topic number="1">), tab-separated lines '
    "(number, title, description, narrative), CSV with a header, JSON, JSON Lines or SMART (.I and .W)"
)
MAX_LENGTHS = {"title": MAX_TITLE, "description": MAX_TOPIC_TEXT, "narrative": MAX_TOPIC_TEXT}
MOST_CELLS = 4  # of a tab-separated line without a header


class TopicRecord(NamedTuple):
    """A topic as its file says it; description and narrative may be empty."""

    number: str
    title: str
    description: str
    narrative: str


class TopicFile(NamedTuple):
    """The topics of a file in their order. form: what the file is. notes: how it was read, as sentences
    without their end; what was left out is among them."""

    form: str
    topics: list[TopicRecord]
    notes: list[str]


Numbered = Iterator[tuple[int, TopicRecord]]  # the line or row, and the topic


def read_topic_file(content: bytes, name: str = "", reading: Reading = AS_IT_IS) -> TopicFile:
    """Return the topics of a file; its form is told from its content, not from its name.

    Mark-up is read as `intake.topic_markup` says. Tables and JSON are read by the names of their fields
    (`intake.fields.TOPICS`); the turns of a conversation are topics of their own. Tab-separated lines without
    a header hold number, title, description and narrative. **SMART topics are numbered by position, 1 to n,
    and what stands after `.I` is dropped**, because the Cranfield qrels and runs count that way.

    content: plain bytes, UTF-8 (`files.unpack` opens what is packed). reading: which field or element holds
    what, as a person says it.
    Raises BadFile when there is no topic; UnclearFields where a field has to be chosen; BadLine when a number
    is missing, too long, holds blanks or comes twice, when a title is empty, and when a line is not as its
    form asks. All carry `name`.
    """
    with naming_file(name):
        form, lines = detect_format(number_lines(content))
        notes: list[str] = []
        if form in ("markup", "smart"):
            source = _from_smart if form == "smart" else _from_markup
            return TopicFile(form, _each_once(source(decode_lines(lines), reading, notes), None), notes)
        table = read_table(content, name, TOPICS, reading)
        if table:
            notes.append(table.note())
            return TopicFile(table.form, _each_once(_from_table(table), table), notes)
        if form != "table":
            raise BadFile(f"{EXPECTED_TOPICS}; found none")
        return TopicFile("table", _each_once(_from_lines(decode_lines(lines)), None), notes)


def names_topics(content: bytes) -> bool:
    """Return whether a content has a form that numbers its topics, and is not one query a line."""
    form, _ = detect_format(number_lines(content))
    try:
        return form is not None or read_table(content, "", TOPICS) is not None
    except BadFile:
        return True


def _each_once(topics: Numbered, table: Table | None) -> list[TopicRecord]:
    record_of: dict[str, TopicRecord] = {}
    place_of: dict[str, int] = {}
    for place, topic in topics:
        first = place_of.setdefault(topic.number, place)
        if topic.number in record_of:
            before = table.place(first) if table else f"line {first}"
            raise _refusal(
                table, place, f"expected every topic once, found {topic.number} in {before} already"
            )
        if len(record_of) == MAX_TOPICS:
            raise _refusal(table, place, f"expected at most {MAX_TOPICS:,} topics")
        record_of[topic.number] = topic
    if not record_of:
        raise BadFile(f"{EXPECTED_TOPICS}; found none")
    return list(record_of.values())


def _refusal(table: Table | None, place: int, message: str) -> BadFile:
    return table.refusal(place, message) if table else BadLine(place, message)


def _topic(line: int, texts: Mapping[str, str]) -> tuple[int, TopicRecord]:
    number, title, description, narrative = (texts.get(meaning) or "" for meaning in MEANINGS)
    number, title = check_identifier(number, line, "topic number", MAX_TOPIC_BYTES), one_line(title)
    if not is_topic_number(number):
        shape = "that is not . or .. and does not begin with # (a comment in qrels)"
        raise BadLine(line, f"expected a topic number {shape}, found {quoted(number)}")
    if not title:
        raise BadLine(line, f"expected a title for topic {number}, found none")
    topic = TopicRecord(number, title, replace_unstorable(description), replace_unstorable(narrative))
    for field, longest in MAX_LENGTHS.items():
        if (length := len(getattr(topic, field))) > longest:
            expected = f"a {field} of at most {longest:,} characters for topic {number}"
            raise BadLine(line, f"expected {expected}, found {length:,}")
    return line, topic


def _from_table(table: Table) -> Numbered:
    for place, row in table:
        try:
            yield _topic(place, {meaning: _cell(value, place, meaning) for meaning, value in row.items()})
        except BadLine as error:
            raise table.refusal(place, error.message) from error


def _cell(value: Any, place: int, meaning: str) -> str:
    if isinstance(value, bool | list | dict):
        kind = {bool: "true or false", list: "a list", dict: "an object"}[type(value)]
        raise BadLine(place, f"expected text for the {meaning}, found {kind}")
    return number_text(value)


def _from_lines(lines: TextLines) -> Numbered:
    for number, line in lines:
        if not line.strip():
            continue
        cells = [cell.strip(" ") for cell in line.split("\t")]
        if not 2 <= len(cells) <= MOST_CELLS:
            expected = f"2 to {MOST_CELLS} fields separated by tabs"
            raise BadLine(number, f"expected {expected}, found {len(cells):,}")
        yield _topic(number, dict(zip(MEANINGS, cells, strict=False)))


def _from_smart(lines: TextLines, reading: Reading, notes: list[str]) -> Numbered:
    notes.append("numbered by position, as the qrels of SMART collections count")
    for position, entry in enumerate(markup.smart_entries(lines), start=1):
        if position == 1 and "T" in entry.sections:
            message = (
                "expected topics (.I and .W), found a title (.T), as documents have: load them as documents"
            )
            raise BadLine(entry.line, message)
        yield _topic(entry.line, {"number": str(position), "title": entry.text("W")})


def _from_markup(lines: TextLines, reading: Reading, notes: list[str]) -> Numbered:
    left: dict[str, None] = {}
    for topic in marked_topics(lines, reading.fields):
        left |= dict.fromkeys(topic.left)
        yield _topic(topic.line, topic.texts)
    if left:
        notes.append(f"not read: {', '.join(f'<{tag}>' for tag in left)}")
