"""Files of snippets that a run brings: a topic, a docno and a snippet on each line."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from pooling.formats.files import BadFile, BadLine, decode
from pooling.formats.text import check_identifier, one_line
from pooling.intake.fields import DOCNO, TOPIC, InputKind
from pooling.intake.tables import Table, number_text, read_table

EVERY_TOPIC = "*"  # instead of a topic: a static snippet
LONGEST = 2000  # characters of a snippet
SNIPPETS = InputKind(
    "snippets",
    {
        "topic": TOPIC,
        "docno": DOCNO,
        "snippet": (("snippet",), ("summary", "text", "passage")),
    },
    ("docno", "snippet"),
)
EXPECTED = "expected lines of topic, docno and snippet"


class SnippetsFile(NamedTuple):
    """What a file says. snippets: (topic, docno) -> snippet; EVERY_TOPIC stands for all topics.

    unknown: lines of topics that are not of the campaign; they are left out. note: how the file was read.
    """

    snippets: dict[tuple[str, str], str]
    unknown: int
    note: str


def read_snippets(content: bytes, topics: Collection[str], name: str = "") -> SnippetsFile:
    """Return the snippets of an unpacked file: lines of `topic docno snippet`, or a table that names them.

    A table is CSV, tab-separated or JSON; a row without a topic is for every topic, as one of `*` is. topics:
    of the campaign. Blanks and line ends in a snippet become one blank. Raises BadFile with the line for a
    part that is missing or too long, and a document that has two snippets for one topic.
    """
    table = read_table(content, name, SNIPPETS)
    rows = _table_rows(table) if table else _line_rows(content, name)
    snippets_of: dict[tuple[str, str], str] = {}
    places: dict[tuple[str, str], int] = {}
    unknown = 0
    for number, topic, docno, snippet in rows:
        try:
            topic = topic if topic == EVERY_TOPIC else check_identifier(topic, number, "topic")
            key = topic, check_identifier(docno, number, "docno")
        except BadLine as error:
            raise (
                table.refusal(number, error.message) if table else BadLine(number, error.message, name)
            ) from error
        problem = ""
        if not snippet:
            problem = "expected a snippet behind topic and docno, found none"
        elif len(snippet) > LONGEST:
            problem = f"expected a snippet of at most {LONGEST:,} characters, found {len(snippet):,}"
        elif key in places:
            first = f"(first on line {places[key]})"
            problem = f"expected one snippet of {key[1]} for topic {topic}, found another {first}"
        if problem:
            raise table.refusal(number, problem) if table else BadLine(number, problem, name)
        places[key] = number
        if topic != EVERY_TOPIC and topic not in topics:
            unknown += 1
        else:
            snippets_of[key] = snippet
    if not places:
        raise BadFile(f"{EXPECTED}, found none", name=name)
    if not snippets_of:
        raise BadFile("expected topics of this campaign, found none of them", name=name)
    return SnippetsFile(
        snippets_of, unknown, table.note() if table else "read as lines of topic, docno and snippet"
    )


def _table_rows(table: Table) -> Iterator[tuple[int, str, str, str]]:
    for number, row in table:
        topic = number_text(row.get("topic")) or EVERY_TOPIC
        yield number, topic, number_text(row.get("docno")), one_line(number_text(row.get("snippet")))


def _line_rows(content: bytes, name: str) -> Iterator[tuple[int, str, str, str]]:
    for number, line in enumerate(decode(content, name).split("\n"), start=1):
        if not line.strip():
            continue
        parts = line.split(maxsplit=2)
        if len(parts) < 3:
            raise BadLine(number, f"{EXPECTED}, found {len(parts)} of the three", name)
        yield number, parts[0], parts[1], one_line(parts[2])
