"""Documents in rows that name their columns: JSON Lines, tab-separated lines, CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import Any

from pooling.formats.documents.facts import MAX_FACT_VALUE, facts_of_row
from pooling.formats.documents.record import Documents, Source, document_record
from pooling.formats.files import BadLine
from pooling.formats.text import (
    Aliases,
    Row,
    TextLength,
    TextLines,
    first_value,
    is_header,
    json_rows,
    quoted,
    table_rows,
)
from pooling.limits import MAX_TEXT_CHARACTERS

KEYS = {
    "docno": ("docno", "id", "_id", "doc_id", "docid"),
    "title": ("title",),
    "text": ("text", "contents", "body", "abstract"),
    "url": ("url",),
}
KNOWN = frozenset(key for keys in KEYS.values() for key in keys)
LAYOUTS = {2: ("docno", "text"), 3: ("docno", "title", "text"), 4: ("docno", "url", "title", "text")}
DELIMITERS = ",;\t"

# The csv module has one limit for the whole process, and its default is below the length of a long article.
csv.field_size_limit(2 * MAX_TEXT_CHARACTERS)  # never reached: _Feed refuses a longer row earlier


def from_json(source: Source) -> Documents:
    """Yield the document on every line."""
    return _from_rows(json_rows(source.lines()))


def from_table(source: Source) -> Documents:
    """Yield the document on every line; its fields are separated by tabs."""
    return _from_rows(table_rows(source.lines(), KEYS, LAYOUTS, uniform=True))


def from_csv(source: Source) -> Documents:
    """Yield the documents of a CSV file whose first line names its columns."""
    return _from_rows(csv_rows(source.lines(), KEYS, "docno,title,text"))


def delimiter(header: str, keys: Aliases) -> str:
    """Return the delimiter of the header of a CSV file, "" if the line is not a header.

    keys: field -> the names that its column may have.
    """
    marks = (mark for mark in DELIMITERS if is_header(_cells(header, mark), keys))
    return next(marks, "")


def _cells(header: str, mark: str) -> list[str]:
    return [cell.strip(' "') for cell in header.split(mark, 1000)]


def csv_rows(lines: TextLines, keys: Aliases, example: str) -> Iterator[Row]:
    """Yield the rows of a CSV file, column -> value, each with the line on which it begins.

    keys: field -> the names that its column may have. example: a first line, for the message of a refusal.

    A cell in double quotes may contain the delimiter (comma, semicolon, tab), line ends, and "" for a quote.
    Raises BadLine when the first line names no columns, a row has another number of cells, a quote is not
    closed, or a row is too long for a document.
    """
    feed = _Feed(lines)
    header = next(feed, "").rstrip("\n")
    mark = delimiter(header, keys)
    if not mark:
        expected = f"a first line that names the columns, such as {example}"
        raise BadLine(feed.line or 1, f"expected {expected}; found {quoted(header)}")
    columns = [cell.lower() for cell in _cells(header, mark)]
    rows = csv.reader(feed, delimiter=mark, strict=True)
    while True:
        feed.begin()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            raise BadLine(feed.start, f"expected a valid CSV row ({error})") from error
        if cells is None:
            return
        if cells and len(cells) != len(columns):
            raise BadLine(
                feed.start, f"expected {len(columns)} cells, as in the first line, found {len(cells):,}"
            )
        if cells:
            yield feed.start, dict(zip(columns, cells, strict=True))


class _Feed(Iterator[str]):
    """Lines for csv.reader, which reads on while a quote is open; stores the line on which the row began."""

    def __init__(self, lines: TextLines) -> None:
        self._lines = iter(lines)
        self.line = 0
        self.begin()

    def begin(self) -> None:
        """Note that a row begins on the next line."""
        self.start, self._length = self.line + 1, TextLength(self.line + 1)

    def __next__(self) -> str:
        self.line, text = next(self._lines)
        self._length.add(text)
        return text + "\n"


def _from_rows(rows: Iterator[Row]) -> Documents:
    for row in rows:
        docno, title, text, url = (first_value(row, keys) for keys in KEYS.values())
        facts = facts_of_row(row[1], KNOWN)
        record = document_record(row[0], docno or "", title or "", text or "", url or "", facts)
        hint = "" if text else _unread_text(row[1])
        if title is None and text is None:
            raise BadLine(
                row[0], f"expected a text or a title for document {record.docno}, found neither{hint}"
            )
        if text is None and hint:
            raise BadLine(row[0], f"expected a text for document {record.docno}, found only a title{hint}")
        yield record


def _unread_text(row: Mapping[str, Any]) -> str:
    """Return the end of a refusal that names the longest field that is not read; "" if none is long."""
    unread = {
        name: len(value)
        for name, value in row.items()
        if name not in KNOWN and isinstance(value, str) and len(value) > MAX_FACT_VALUE
    }
    if not unread:
        return ""
    name = max(unread, key=unread.__getitem__)
    return (
        f"; the field {quoted(name)} with {unread[name]:,} characters is not read: name it"
        f" {', '.join(KEYS['text'][:-1])} or {KEYS['text'][-1]}"
    )
