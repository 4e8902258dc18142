"""JSON objects of files, one on each line or one in the whole file, and the line of each of their parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pooling.formats.files import BadFile, BadLine
from pooling.formats.json_objects import json_object, shown
from pooling.formats.run_checks import MAX_ERRORS_SHOWN, RunFinding, RunRefused
from pooling.formats.text import check_identifier, number_lines
from pooling.limits import MAX_TOPIC_BYTES

MAX_BYTES = 1 << 26  # of an unpacked file
MAX_ERRORS = 5_000  # a file with so many errors is not read to its end
_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()

Path = tuple[str | int, ...]  # the keys and places, from 0, that lead to a part of an object


class Rows:
    """The objects of a file as they are read, and the errors and notes about them.

    Iterating gives each object that is good JSON; `wrong` and `note` are then about that object.
    """

    def __init__(self, content: bytes, name: str = "") -> None:
        self.name = name
        self.errors: list[RunFinding] = []
        self.notes: list[RunFinding] = []
        self.number = 1  # the line on which the object begins
        self._content, self._text = content, ""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if len(self._content) > MAX_BYTES:
            most = f"expected at most {MAX_BYTES:,} bytes after unpacking, found {len(self._content):,}"
            raise RunRefused([RunFinding(most, "")], name=self.name)
        try:
            for number, raw in _objects(self._content):
                self.number = number
                self._text = raw.decode("utf-8-sig", "replace")
                if (row := self._row(raw)) is not None:
                    yield row
                if len(self.errors) >= MAX_ERRORS:
                    break
        except BadFile as error:
            raise RunRefused([RunFinding(error.message, "", error.line)], name=self.name) from error

    def _row(self, raw: bytes) -> dict[str, Any] | None:
        try:
            return json_object(raw, self.number)
        except BadLine as error:
            cause = error.__cause__
            at = cause.lineno if isinstance(cause, json.JSONDecodeError) else getattr(cause, "line", None)
            self.errors.append(RunFinding(error.message, "", self.number + (at or 1) - 1))
            return None

    def line(self, path: Path = ()) -> int:
        """Return the line on which a part of the object stands."""
        return self.number + _lines_before(self._text, path)

    def wrong(self, path: Path, what: str, wish: str = "") -> None:
        self.errors.append(RunFinding(what, wish, self.line(path)))

    def note(self, path: Path, what: str, wish: str = "") -> None:
        self.notes.append(RunFinding(what, wish, self.line(path)))

    def text(self, value: Any, path: Path, what: str) -> str:
        """Return a text that is not blank, as it stands; "" after an error."""
        if isinstance(value, str) and value.strip():
            return value
        self.wrong(path, f"expected {what}, found {shown(value) if value != '' else 'an empty text'}")
        return ""

    def identifier(self, value: Any, path: Path, what: str, longest: int = MAX_TOPIC_BYTES) -> str:
        """Return a topic or docno without blanks around it; "" after an error."""
        if isinstance(value, str | int) and not isinstance(value, bool):
            try:
                return check_identifier(str(value), self.number, what, longest)
            except BadLine as error:
                self.wrong(path, error.message)
        else:
            self.wrong(path, f"expected a {what}, found {shown(value)}")
        return ""

    def listed(self, value: Any, path: Path, what: str) -> list[Any]:
        """Return a list, empty where there is none."""
        if value is None or isinstance(value, list):
            return value or []
        self.wrong(path, f"expected {what} as a list, found {shown(value)}")
        return []

    def mapped(self, value: Any, path: Path, what: str) -> dict[str, Any]:
        """Return an object, empty where there is none."""
        if value is None or isinstance(value, dict):
            return value or {}
        self.wrong(path, f"expected {what} as an object, found {shown(value)}")
        return {}

    def finish(self, expected: str) -> None:
        """Raise RunRefused if there were errors. expected: what the file should hold, for an empty one."""
        if self.errors:
            errors = sorted(self.errors, key=lambda error: error.line or 0)
            first = errors[:MAX_ERRORS_SHOWN]
            raise RunRefused(first, len(errors) - len(first), self.name, len(errors) >= MAX_ERRORS)
        if not self._text:
            what = f"expected {expected}, found an empty file"
            raise RunRefused([RunFinding(what, "")], name=self.name)


def rest_of(row: Mapping[str, Any], *known: str) -> dict[str, Any]:
    """Return the entries of a row that have other keys."""
    return {key: value for key, value in row.items() if key not in known}


def json_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _objects(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the line and the bytes of each object: of every line, or of the whole file."""
    lines = number_lines(content)
    for number, line in lines:
        if not line.strip():
            continue
        if not line.rstrip().endswith(b"}"):
            yield number, b"\n".join([line, *(other for _, other in lines)])
            return
        yield number, line
        break
    yield from ((number, line) for number, line in lines if line.strip())


def _lines_before(text: str, path: Path) -> int:
    """Return how many line ends stand before a part of a JSON object."""
    at = key_at = _blanks(text, 0)
    for step in path if "\n" in text else ():
        at, place = _blanks(text, at + 1), 0
        while True:
            key_at, key = at, place
            if isinstance(step, str):
                key, at = _DECODER.raw_decode(text, at)
                at = _blanks(text, _blanks(text, at) + 1)
            if key == step:
                break
            at = _blanks(text, _blanks(text, _DECODER.raw_decode(text, at)[1]) + 1)
            place += 1
    return text.count("\n", 0, key_at)


def _blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at
