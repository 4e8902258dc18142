"""Runs that are no lines of six columns (CSV or TSV with a header, JSON) -> such lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from pooling.formats.columns import split_fields
from pooling.formats.files import BadFile, BadLine
from pooling.intake.fields import RUN
from pooling.intake.tables import AS_IT_IS, Reading, Table, number_text, read_table

NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
UNNAMED = {6: ("topic", "q0", "docno", "rank", "score", "tag")}


class RunText(NamedTuple):
    """A run as lines of six columns. notes: how it was read; none for such lines, which stay as they are.

    has_lines: the number of a line is that of the line in the file, not the position of a row of JSON.
    """

    content: bytes
    notes: tuple[str, ...] = ()
    has_lines: bool = True


def run_lines(content: bytes, name: str = "", reading: Reading = AS_IT_IS) -> RunText:
    """Return a run as lines of six columns.

    A row keeps the number of its line, with blank lines between them where needed. The tag is the field `tag`
    or the file's name. Raises UnclearFields for a table that lacks a field, and BadFile for a row that cannot
    be such a line.
    """
    table = read_table(content, name, RUN, reading, UNNAMED)
    if table is None:
        return RunText(content)
    lines = io.BytesIO()  # which gives its content away without a copy
    line = 1
    for number, row in _rows(table, _tag_of(name)):
        if table.has_lines and number > line:
            lines.write(b"\n" * (number - line))
            line = number
        lines.write(row)
        line += 1
    if not lines.tell():
        raise BadFile(f"expected at least one row of {', '.join(RUN.required)}, found none", name=name)
    return RunText(lines.getvalue(), (table.note(),), table.has_lines)


def _rows(table: Table, tag: bytes) -> Iterator[tuple[int, bytes]]:
    seen: dict[tuple[bytes, bytes], int] = {}
    for number, row in table:
        topic, docno, score = (_word(table, number, row[field], field) for field in table.kind.required)
        if not NUMBER.fullmatch(score):
            shown = score.decode()[:40]
            raise table.refusal(number, f"expected a finite decimal number as score, found {shown!r}")
        if not table.has_lines and (earlier := seen.setdefault((topic, docno), number)) != number:
            message = f"expected each document once in a topic, found {docno.decode()!r} of topic"
            raise table.refusal(number, f"{message} {topic.decode()!r} again (first on row {earlier})")
        own = number_text(row.get("tag")).encode(errors="replace")
        own = b"_".join(own.split()) or tag
        rank = b"".join(number_text(row.get("rank")).encode(errors="replace").split()) or b"%d" % number
        yield number, b" ".join((topic, b"Q0", docno, rank, score, own)) + b"\n"


def _word(table: Table, number: int, value: Any, field: str) -> bytes:
    text = number_text(value)
    if not text or isinstance(value, bool | list):
        raise table.refusal(number, f"expected a {field}, found {value if text else 'none'}")
    try:
        content = text.encode()
        fields = split_fields(content, number, "")
    except UnicodeEncodeError:
        raise table.refusal(number, f"expected a {field} that UTF-8 can hold") from None
    except BadLine as error:
        raise table.refusal(number, error.message) from None
    if len(fields) != 1:
        raise table.refusal(number, f"expected a {field} without blanks, found {text[:40]!r}")
    return content


def _tag_of(name: str) -> bytes:
    """Return the tag of a run whose file has none.

    >>> _tag_of("runs/my bm25.json.gz"), _tag_of("")
    (b'my_bm25', b'run')
    """
    stem = PurePath(name).name.partition(".")[0]
    return b"_".join(stem.encode(errors="replace").split()) or b"run"
