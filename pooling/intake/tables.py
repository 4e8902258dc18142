"""Rows of files that name their fields: CSV, tab-separated lines with a header, JSON and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pooling.formats.columns import without_marks
from pooling.formats.files import BadFile, BadLine, decode
from pooling.intake.fields import (
    InputKind,
    Mapped,
    UnclearField,
    check_mapped,
    is_header,
    map_fields,
    shortened,
)
from pooling.intake.json_rows import flat_rows, row_objects, whole_rows
from pooling.refusals import Refused

Wrong = Callable[[BadLine], None]
Row = tuple[int, Mapping[str, Any]]  # the number of a line or row; field or meaning -> value
DELIMITERS = {",": "CSV", ";": "CSV with semicolons", "\t": "tab-separated lines", "|": "lines with bars"}
MAX_HEADER_BYTES = 1 << 16
MAX_JSON_BYTES = 1 << 28  # of JSON that is not in lines: it is read whole
_SEPARATOR_LINE = re.compile(rb'"?sep=(.)"?\r?', re.IGNORECASE)  # how Excel names the delimiter of a CSV file
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{\]])')
_ONE_WORD = re.compile(rb"[^ \t]+\r?")


class Choices(NamedTuple):
    """How a person says which field and which word is meant, for messages; "" where nobody can say it."""

    fields: str = ""
    words: str = ""


class Reading(NamedTuple):
    """What a person says about a file. fields: field -> meaning. words: a label as a word -> its grade.

    choices: how to say it at the entrance that the file came by. topics, docnos: names that differ from those
    of the campaign only in how they are written are taken for them (`intake.compare`).
    """

    fields: Mapping[str, str] = {}
    words: Mapping[str, int] = {}
    choices: Choices = Choices()
    topics: bool = False
    docnos: bool = False


AS_IT_IS = Reading()
OF_FORMS = Choices(  # of pages and of the API
    "the fields of a table (map): field=meaning", "labels in words (words): word=grade"
)
OF_LIBRARY = Choices("fields={field: meaning}", "words={word: grade}")


class UnclearFields(BadFile):
    """A file of which a field must be chosen. meaning: what the field holds. candidates: the fields."""

    def __init__(
        self,
        message: str,
        line: int | None = None,
        name: str = "",
        meaning: str = "",
        candidates: Sequence[str] = (),
    ) -> None:
        super().__init__(message, line, name)
        self.meaning, self.candidates = meaning, tuple(candidates)


NO_QUOTES: Any = {"quoting": csv.QUOTE_NONE}


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of a file. form: what the file is. fields: as it spells them. has_lines: the number of a row
    is that of the line on which it begins, else its position among the rows."""

    name: str
    form: str
    kind: InputKind
    fields: Sequence[str]
    mapped: Mapped
    source: Iterable[Row]
    has_lines: bool = True

    def __iter__(self) -> Iterator[Row]:
        """Yield number, and meaning -> value, of every row."""
        columns = self.mapped.columns.items()
        for number, row in self.source:
            yield number, {meaning: row.get(field) for meaning, field in columns}

    def refusal(self, number: int, message: str) -> BadFile:
        """Return the error of one row."""
        if self.has_lines:
            return BadLine(number, message, self.name)
        return BadFile(f"row {number}: {message}", name=self.name)

    def place(self, number: int) -> str:
        """Return where a row is: its line, or its position."""
        return f"{'line' if self.has_lines else 'row'} {number:,}"

    def note(self) -> str:
        """Return how the file was read, as a sentence without its end."""
        renamed = [(meaning, field) for meaning, field in self.mapped.columns.items() if meaning != field]
        pairs = "".join(f", {meaning} = {field}" for meaning, field in renamed)
        left = f"; not read: {shortened(self.mapped.left)}" if self.mapped.left else ""
        return f"read as {self.form}{pairs}{left}"


def read_table(
    content: bytes,
    name: str,
    kind: InputKind,
    reading: Reading = AS_IT_IS,
    unnamed: Mapping[int, Sequence[str]] | None = None,
    wrong: Wrong | None = None,
) -> Table | None:
    """Return the rows of a file that names its fields; None for lines of columns without names.

    unnamed: number of cells -> fields of a file of commas or semicolons without a header. wrong: is called
    with the error of a row, which is then left out; without it the error is raised. Raises UnclearFields for
    a file that names its fields and lacks one, or of which two may be meant, and BadFile for one that is
    damaged; the rows are checked while they are read.
    """
    content = without_marks(content)
    try:
        table = _json_table(content, name, kind, reading) if _JSON.match(content[:MAX_HEADER_BYTES]) else None
        table = table or _text_table(content, name, kind, reading, unnamed or {}, wrong or _refuse)
        if table:
            check_table(table, kind, reading)
    except BadFile:
        raise
    except Refused as error:
        raise BadFile(str(error), name=name) from error
    if table is None and reading.fields:
        expected = "expected a first line that names the fields, because meanings of fields were given"
        raise BadFile(f"{expected}; found {_first_line(content)[:80]!r}", name=name)
    return table


def check_table(table: Table, kind: InputKind, reading: Reading, mapped: Mapped | None = None) -> None:
    """Raise UnclearFields unless every required meaning of the kind has one field. mapped: if not as read."""
    try:
        check_mapped(mapped or table.mapped, kind, table.fields, reading.choices.fields)
    except UnclearField as error:
        raise UnclearFields(
            str(error), name=table.name, meaning=error.meaning, candidates=error.candidates
        ) from error


def number_text(value: Any) -> str:
    """Return a cell as text without blanks around it: a JSON number as it is written, "" for a gap.

    >>> [number_text(value) for value in (" D1 ", 7, 7.0, 0.25, None, float("nan"))]
    ['D1', '7', '7', '0.25', '', '']
    """
    if isinstance(value, float):
        if value != value:
            return ""
        return repr(int(value)) if value.is_integer() and abs(value) < 1 << 53 else repr(value)
    return "" if value is None else str(value).strip()


def _text_table(
    content: bytes,
    name: str,
    kind: InputKind,
    reading: Reading,
    unnamed: Mapping[int, Sequence[str]],
    wrong: Wrong,
) -> Table | None:
    line, skipped, mark = content[:MAX_HEADER_BYTES].partition(b"\n")[0], 0, ""
    if named := _SEPARATOR_LINE.fullmatch(line):
        skipped, mark = 1, named[1].decode(errors="replace")
        content = content.partition(b"\n")[2]
    header = _first_line(content)
    mark = mark or _delimiter(header, kind, reading.fields)
    if mark and _is_header_line(_cells(header, mark), kind, reading.fields):
        columns = _cells(header, mark)
        if repeated := next((column for column in columns if columns.count(column) > 1), None):
            message = f"expected every field once in the first line, found {repeated!r} twice"
            raise BadLine(skipped + 1, message, name)
        quoted = mark != "\t" or content.startswith(b'"') or "judge" in kind.fields
        lines = Lines(content, name, mark, skipped, quoted)
        rows = _csv_rows(lines, columns, has_header=True, wrong=wrong)
        form = DELIMITERS.get(mark, "lines of columns") if mark != " " else "lines with a header"
        return Table(name, form, kind, columns, map_fields(columns, kind, reading.fields), rows)
    if not mark and _ONE_WORD.fullmatch(line):
        mark = next((mark for mark in ",;" if mark in header), "")
    columns = list(unnamed.get(len(_cells(header, mark)), ())) if mark else []
    if not columns or reading.fields:
        return None
    rows = _csv_rows(Lines(content, name, mark, skipped), columns, has_header=False, wrong=wrong)
    form = f"{DELIMITERS.get(mark, 'lines')} without a header"
    return Table(name, form, kind, columns, map_fields(columns, kind), rows)


def _first_line(content: bytes) -> str:
    line = content[:MAX_HEADER_BYTES].lstrip(b"\r\n").partition(b"\n")[0]
    return line.decode(errors="replace").strip("\r")


def _delimiter(header: str, kind: InputKind, chosen: Mapping[str, str]) -> str:
    """Return what separates the names of a header; "" for a line that is none."""
    marks = (mark for mark in (*DELIMITERS, " ") if _is_header_line(_cells(header, mark), kind, chosen))
    return next((mark for mark in marks if len(_cells(header, mark)) > 1), "")


def _is_header_line(cells: Sequence[str], kind: InputKind, chosen: Mapping[str, str]) -> bool:
    """Tell whether a first line names fields. A number in front is none: the row of a topic `7, QUESTION`."""
    begins_with_number = bool(cells) and cells[0].isdecimal()
    return is_header(cells, kind, chosen) and not (begins_with_number and cells[0] not in chosen)


def _cells(line: str, mark: str) -> list[str]:
    if mark == " ":
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=mark), [])]
    except csv.Error:
        return [line]


class Lines(NamedTuple):
    """Text of cells. mark: what separates them. skipped: lines before the text. quoted: quotation marks may
    stand around a cell."""

    content: bytes
    name: str
    mark: str
    skipped: int
    quoted: bool = True


def _csv_rows(lines: Lines, columns: Sequence[str], has_header: bool, wrong: Wrong) -> Iterator[Row]:
    """Yield field -> cell of every row, with the line on which it begins; blank lines are skipped."""
    decode(lines.content, lines.name)  # refuses what is not UTF-8 with its line
    text = (line.decode() for line in io.BytesIO(lines.content))
    rows: Any = _split_rows(text)
    if lines.mark != " ":
        quotes = {} if lines.quoted else NO_QUOTES
        rows = csv.reader(text, delimiter=lines.mark, strict=True, **quotes)
    number, seen_header = lines.skipped, not has_header
    while True:
        before = number
        try:
            cells = next(rows, None)
        except csv.Error as error:
            raise BadLine(before + 1, f"expected cells as in CSV ({error})", lines.name) from error
        if cells is None:
            return
        number = lines.skipped + rows.line_num
        cells = [cell.strip() for cell in cells]
        if not any(cells):
            continue
        if len(cells) == 1 and lines.mark == "\t" and len(split := cells[0].split()) == len(columns):
            cells = split  # a header with tabs, and lines with blanks
        if not seen_header:
            seen_header = True
        elif len(cells) != len(columns):
            expected = f"expected {len(columns)} cells, as in the first line"
            wrong(BadLine(before + 1, f"{expected}, found {len(cells):,}", lines.name))
        else:
            yield before + 1, dict(zip(columns, cells, strict=False))


def _refuse(error: BadLine) -> None:
    raise error


class _split_rows(Iterator[list[str]]):  # noqa: N801  it stands beside csv.reader
    """Lines of fields between blanks, as csv.reader yields rows. line_num: lines read so far."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self.line_num = iter(lines), 0

    def __next__(self) -> list[str]:
        cells = next(self._lines).split()
        self.line_num += 1
        return cells


def _json_table(content: bytes, name: str, kind: InputKind, reading: Reading) -> Table:
    """Return the rows of JSON Lines or of JSON. Raises BadFile for JSON that holds no rows of the kind."""
    try:
        line = content.lstrip().partition(b"\n")
        is_lines = isinstance(json.loads(line[0]), dict) and bool(line[2].strip())
    except (ValueError, RecursionError):
        is_lines = False
    if is_lines:
        fields = dict.fromkeys(field for _, row in _line_rows(content, name) for field in row)
        mapped = map_fields(fields, kind, reading.fields)
        return Table(name, "JSON Lines", kind, list(fields), mapped, _line_rows(content, name))
    if len(content) > MAX_JSON_BYTES:
        message = f"expected JSON of at most {MAX_JSON_BYTES:,} bytes, or JSON Lines, found {len(content):,}"
        raise BadFile(message, name=name)
    form, rows = whole_rows(_loaded(decode(content, name), name), kind, name)
    fields = dict.fromkeys(field for row in rows for field in row)
    mapped = map_fields(fields, kind, reading.fields)
    return Table(name, form, kind, list(fields), mapped, list(enumerate(rows, start=1)), has_lines=False)


def _line_rows(content: bytes, name: str) -> Iterator[Row]:
    for number, line in enumerate(io.BytesIO(content), start=1):
        if line.strip():
            value = _loaded(_line_text(line, number, name), name, number)
            if not isinstance(value, dict):
                raise BadLine(number, "expected one JSON object on the line, found another value", name)
            for row in row_objects(value):
                yield number, flat_rows(row)


def _line_text(line: bytes, number: int, name: str) -> str:
    try:
        return decode(line)
    except BadLine as error:
        raise BadLine(number, error.message, name) from error


def _loaded(text: str, name: str, line: int = 0) -> Any:
    """Return JSON. Raises BadLine for other text, and for a key that stands twice in one object."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        at = line or getattr(error, "lineno", 1)
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise BadLine(at, f"expected JSON ({reason})", name) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {again[:40]!r} stands twice in one object")
    return value
