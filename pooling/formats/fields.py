"""Fields of a topic, document or judgment: identifiers, texts, and rows that name their columns."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pooling.formats.files import BadLine
from pooling.formats.limits import LONGEST_NAME
from pooling.formats.text_lines import Lines

Row = tuple[int, Mapping[str, Any]]  # line number; column or key -> value
Aliases = Mapping[str, tuple[str, ...]]  # field -> the columns or keys that may hold it, first choice first

MOST_COLUMNS = 1000
# Control characters and halves of surrogate pairs: no identifier holds them and no database stores them all.
_UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def shown(text: str) -> str:
    """Return `text` as a message quotes it: short, on one line, and unprintable characters escaped."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."


def identifier(text: str, line: int, what: str) -> str:
    """Return a topic number or docno without the blanks around it.

    Raises BadLine when it is missing, holds a blank or control character, or is longer than LONGEST_NAME
    bytes of UTF-8, the limit that runs and qrels have, too.
    """
    text = text.strip()
    if not text:
        raise BadLine(line, f"expected a {what}, found none")
    if _UNUSABLE.search(text):
        raise BadLine(line, f"expected a {what} without blanks or control characters, found {shown(text)}")
    if (length := len(text.encode())) > LONGEST_NAME:
        raise BadLine(line, f"expected a {what} of at most {LONGEST_NAME} bytes, found {length:,}")
    return text


def storable(text: str) -> str:
    """Replace NUL and lone surrogates, which JSON can spell but UTF-8 or a database cannot hold."""
    return _UNSTORABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Return a title: every run of blanks and line ends is one blank."""
    return " ".join(storable(text).split())


def paragraphs(text: str) -> str:
    """Undo hard wrapping: a paragraph becomes one line, and an empty line stands between two."""
    found = (one_line(paragraph) for paragraph in re.split(r"\n\s*\n", text))
    return "\n\n".join(paragraph for paragraph in found if paragraph)


def resolved(text: str) -> str:
    """Replace `&amp;`, `&#233;` and their like; an unknown name and a bare & stay as they are."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def choose(row: Row, keys: tuple[str, ...]) -> str | None:
    """Return the first of the keys' values that is not empty; "" if all are, None if there is no such key.

    A whole number is taken for its digits. Raises BadLine when the value is neither text nor a whole number.
    """
    line, values = row
    chosen = None
    for key in keys:
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            raise BadLine(line, f'expected text for "{key}", found {_kind(value)}')
        if value:
            return value
        chosen = chosen if value is None else value
    return chosen


def _kind(value: object) -> str:
    kinds = {bool: "true or false", float: "a number with a point", list: "a list", dict: "an object"}
    return kinds.get(type(value), "something else")


def json_rows(lines: Lines) -> Iterator[Row]:
    """Yield the object on every line of a JSON Lines file; blank lines are skipped.

    Raises BadLine when a line is not JSON, nests too deeply or is not an object.
    """
    for number, line in lines:
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = (
                f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else error
            )
            raise BadLine(
                number, f"expected one JSON object on the line, found bad JSON ({reason})"
            ) from error
        if not isinstance(found, dict):
            raise BadLine(number, f"expected one JSON object on the line, found {shown(line)}")
        yield number, found


def table_rows(
    lines: Lines, aliases: Aliases, layouts: Mapping[int, tuple[str, ...]], uniform: bool
) -> Iterator[Row]:
    """Yield the rows of tab-separated lines, column -> value; blank lines are skipped.

    A first line is a header when its cells name two or more fields of `aliases`: it then decides the order
    and the number of columns. Otherwise the number of cells chooses the columns from `layouts`: once for the
    whole file if `uniform`, else for each line. Raises BadLine when a line has another number of cells.
    """
    columns: tuple[str, ...] = ()
    filled = ((number, line) for number, line in lines if line.strip())
    for index, (number, line) in enumerate(filled):
        count = line.count("\t") + 1
        if count > MOST_COLUMNS:
            raise BadLine(
                number, f"expected at most {MOST_COLUMNS:,} fields separated by tabs, found {count:,}"
            )
        cells = [cell.strip(" ") for cell in line.split("\t")]
        if index == 0 and is_header(cells, aliases):
            columns = tuple(cell.lower() for cell in cells)
            continue
        found = columns or layouts.get(len(cells), ())
        if len(found) != len(cells):
            wish = (
                f"{len(columns)} fields separated by tabs, as in the first line"
                if columns
                else _any_of(layouts)
            )
            raise BadLine(number, f"expected {wish}, found {len(cells)}")
        if uniform:
            columns = found
        yield number, dict(zip(found, cells, strict=True))


def is_header(cells: list[str], aliases: Aliases) -> bool:
    """Tell whether a first row names its columns: two fields at least."""
    names = {cell.lower() for cell in cells}
    return sum(not names.isdisjoint(keys) for keys in aliases.values()) > 1


def _any_of(layouts: Mapping[int, tuple[str, ...]]) -> str:
    return f"{min(layouts)} to {max(layouts)} fields separated by tabs"
