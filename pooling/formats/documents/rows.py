"""Documents in rows that name their fields: JSON Lines, JSON, tab-separated lines, CSV."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pooling.formats.documents.facts import MAX_FACT_VALUE, facts_of_row
from pooling.formats.documents.record import DocumentRecord, Documents, Source, document_record
from pooling.formats.files import BadFile, BadLine
from pooling.formats.text import MAX_COLUMNS, Row, TextLength, TextLines, json_rows, quoted
from pooling.intake.fields import (
    DOCNO,
    DOCUMENTS,
    UNUSED,
    Mapped,
    UnclearField,
    check_mapped,
    is_header,
    map_fields,
    plain_name,
)
from pooling.intake.tables import MAX_JSON_BYTES, UnclearFields, number_text
from pooling.limits import MAX_TEXT_CHARACTERS
from pooling.refusals import Refused

LAYOUTS = {2: ("docno", "text"), 3: ("docno", "title", "text"), 4: ("docno", "url", "title", "text")}
DOCNO_NAMES = {"id", *(plain_name(name) for step in DOCNO for name in step)} - {"doc", "document"}
DELIMITERS = ",;\t|"
CHOOSE = "the fields of a table (command: --map, REST API: map): field=meaning"
MAX_SHAPES = 1000  # sets of fields that are remembered with their meanings
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # how Excel names the delimiter of a CSV file

# The csv module has one limit for the whole process, and its default is below the length of a long article.
csv.field_size_limit(2 * MAX_TEXT_CHARACTERS)  # never reached: _Feed refuses a longer row earlier


def from_json_lines(source: Source) -> Documents:
    """Yield the document on every line."""
    return _Rows(source).documents(json_rows(source.lines()))


def from_json(source: Source) -> Documents:
    """Yield the documents of a JSON array."""
    pieces, size = [], 0
    for piece in source.content:
        size += len(piece)
        if size > MAX_JSON_BYTES:
            raise BadFile(f"expected JSON of at most {MAX_JSON_BYTES:,} bytes, or JSON Lines, found more")
        pieces.append(piece)
    try:
        rows = json.loads(source.decoder.text(b"".join(pieces)))
    except (ValueError, RecursionError) as error:
        raise BadLine(getattr(error, "lineno", 1), f"expected JSON ({error})") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadFile("expected a JSON array of objects, each a document")
    return _by_position(_Rows(source).documents(enumerate(rows, start=1)))


def from_table(source: Source) -> Documents:
    """Yield the document on every line; its fields are separated by tabs."""
    return _Rows(source).documents(_tab_rows(source.lines(), source.fields))


def from_csv(source: Source) -> Documents:
    """Yield the documents of a CSV file whose first line names its columns."""
    return _Rows(source).documents(_csv_rows(source.lines(), source.fields))


def delimiter(header: str, chosen: Mapping[str, str]) -> str:
    """Return the delimiter of the header of a CSV file, "" if the line is not a header.

    chosen: field -> meaning, as a person says it.
    """
    if named := _SEPARATOR_LINE.fullmatch(header.strip()):
        return named[1]
    marks = (mark for mark in DELIMITERS if _names_fields(_cells(header, mark), chosen))
    return next((mark for mark in marks if len(_cells(header, mark)) > 1), "")


def _names_fields(cells: Sequence[str], chosen: Mapping[str, str]) -> bool:
    """Return whether a first row names its columns: two that are known, or the first as the docno."""
    return is_header(cells, DOCUMENTS, chosen) or (len(cells) > 1 and plain_name(cells[0]) in DOCNO_NAMES)


class _Rows:
    """Rows of one file -> documents. Rows of JSON may have different fields; each set of them is mapped once.

    left: what the source reports of fields that hold long texts and were not read.
    """

    def __init__(self, source: Source) -> None:
        self._chosen, self._left = source.fields, source.left
        self._shapes: dict[tuple[str, ...], Mapped] = {}
        self._missing = set(source.fields)  # chosen fields that no row had so far

    def documents(self, rows: Iterator[Row]) -> Documents:
        first = None
        for line, row in rows:
            first = first or row
            yield self._document(line, row)
        if first and self._missing:
            fields = ", ".join(sorted(self._missing))
            raise BadFile(f"expected a field {fields}, found the fields {', '.join(list(first)[:20])}")

    def _document(self, line: int, row: Mapping[str, Any]) -> DocumentRecord:
        columns = self._mapped(line, tuple(row)).columns
        given = {meaning: _text(line, field, row[field]) for meaning, field in columns.items()}
        unused = {field for field, meaning in self._chosen.items() if meaning == UNUSED}
        facts = facts_of_row(row, {*columns.values(), *unused})
        docno, title, text, url = (given.get(meaning) or "" for meaning in DOCUMENTS.fields)
        record = document_record(line, docno, title, text, url, facts)
        unread = _long_fields(row, {*columns.values(), *unused})
        if not text:
            self._check_text(line, record.docno, "title" in given, "text" in given, unread)
        for field in unread:
            self._left[field] = self._left.get(field, 0) + 1
        return record

    def _check_text(
        self, line: int, docno: str, has_title: bool, has_text: bool, unread: Mapping[str, int]
    ) -> None:
        """Raise UnclearFields where a long field may be the text, BadLine where there is nothing to read."""
        expected = f"expected a text{'' if has_title else ' or a title'} for document {docno}"
        fault = "found only a title" if has_title else "found neither"
        if unread and not has_text:
            longest = max(unread, key=unread.__getitem__)
            hint = f"the field {quoted(longest)} with {unread[longest]:,} characters is not read"
            message = f"{expected}, {fault}; {hint}; choose with {CHOOSE}"
            raise UnclearFields(message, line, meaning="text", candidates=list(unread))
        if not has_title and not has_text:
            raise BadLine(line, f"{expected}, {fault}")

    def _mapped(self, line: int, fields: tuple[str, ...]) -> Mapped:
        if (known := self._shapes.get(fields)) is not None:
            return known
        chosen = {field: meaning for field, meaning in self._chosen.items() if field in fields}
        self._missing -= chosen.keys()
        try:
            mapped = map_fields(fields, DOCUMENTS, chosen)
            check_mapped(mapped, DOCUMENTS, fields, CHOOSE)
        except UnclearField as error:
            message, candidates = str(error), error.candidates
            raise UnclearFields(message, line, meaning=error.meaning, candidates=candidates) from error
        except Refused as error:
            raise BadLine(line, str(error)) from error
        if len(self._shapes) < MAX_SHAPES:
            self._shapes[fields] = mapped
        return mapped


def _text(line: int, field: str, value: object) -> str:
    """Return a cell as text; a whole number is taken for its digits. Raises BadLine for other values."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    if isinstance(value, bool | float | list | dict):
        kinds = {bool: "true or false", float: "a number with a point", list: "a list", dict: "an object"}
        raise BadLine(line, f'expected text for "{field}", found {kinds[type(value)]}')
    return value if isinstance(value, str) else number_text(value)


def _long_fields(row: Mapping[str, Any], read: set[str]) -> dict[str, int]:
    """Return field -> length of the texts that are too long for a fact and were not read."""
    return {
        field: len(value)
        for field, value in row.items()
        if isinstance(value, str) and len(value) > MAX_FACT_VALUE and field not in read
    }


def _by_position(documents: Documents) -> Documents:
    """Name rows, where positions in an array are no lines."""
    try:
        yield from documents
    except UnclearFields as error:
        raise UnclearFields(
            f"row {error.line}: {error.message}", meaning=error.meaning, candidates=error.candidates
        ) from error
    except BadLine as error:
        raise BadFile(f"row {error.line}: {error.message}") from error


def _cells(header: str, mark: str) -> list[str]:
    return [cell.strip(' "') for cell in header.split(mark, 1000)]


def _tab_rows(lines: TextLines, chosen: Mapping[str, str]) -> Iterator[Row]:
    """Yield the rows of tab-separated lines, column -> value; blank lines are skipped.

    A first line that names its columns decides their order and number; without one, the number of cells does.
    Raises BadLine when a line has another number of cells.
    """
    columns: tuple[str, ...] = ()
    for number, line in lines:
        if not line.strip():
            continue
        count = line.count("\t") + 1
        if count > MAX_COLUMNS:
            raise BadLine(
                number, f"expected at most {MAX_COLUMNS:,} fields separated by tabs, found {count:,}"
            )
        cells = [cell.strip(" ") for cell in line.split("\t")]
        if not columns:
            if _names_fields(cells, chosen):
                columns = tuple(cells)
                continue
            columns = LAYOUTS.get(count, ())
        if len(columns) != count:
            counts = f"{len(columns)}" if columns else f"{min(LAYOUTS)} to {max(LAYOUTS)}"
            first = ", as in the first line" if columns else ""
            raise BadLine(number, f"expected {counts} fields separated by tabs{first}, found {count}")
        yield number, dict(zip(columns, cells, strict=True))


def _csv_rows(lines: TextLines, chosen: Mapping[str, str]) -> Iterator[Row]:
    """Yield the rows of a CSV file, column -> value, each with the line on which it begins.

    A cell in double quotes may contain the delimiter, line ends, and "" for a quote. Raises BadLine when the
    first line names no columns, a row has another number of cells, a quote is not closed, or a row is too
    long for a document.
    """
    feed = _Feed(lines)
    header = next(feed, "").rstrip("\n")
    mark = delimiter(header, chosen)
    if not mark:
        expected = "a first line that names the columns, such as docno,title,text"
        raise BadLine(feed.line or 1, f"expected {expected}; found {quoted(header)}")
    if _SEPARATOR_LINE.fullmatch(header.strip()):
        header = next(feed, "").rstrip("\n")
    columns = _cells(header, mark)
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
