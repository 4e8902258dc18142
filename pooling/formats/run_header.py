"""What a run file may say of itself before its first line: the ir_metadata header.

    # ir_metadata.start
    # actor:
    #   team: harbour
    # ir_metadata.end

YAML behind `#` (Breuer, Keller & Schaer, "ir_metadata", SIGIR 2022). What a form says wins over it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from pooling.formats.files import BadLine

START, END = b"# ir_metadata.start", b"# ir_metadata.end"
MAX_HEADER_BYTES = 1 << 16  # bytes of a header: YAML is slow to read
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # which YAML can write with a backslash
EMPTY_VALUES = ("", "~", "null")
KIND_OF_VALUE = {"true": "automatic", "yes": "automatic", "false": "manual", "no": "manual"}


class Header(NamedTuple):
    """What the header says; empty where it says nothing. lines: how many lines of the file it takes."""

    lines: int = 0
    tag: str = ""
    group: str = ""
    kind: str = ""
    description: str = ""


def read_header(content: bytes, name: str = "") -> tuple[Header, bytes]:
    """Return the header of a run file and the bytes behind it; an empty header when there is none.

    Raises BadLine when the header has no end, is too long, or is not YAML.
    """
    fields, lines, body = _split(content, name)
    return _header(fields, lines), body


def header_fields(content: bytes, name: str = "") -> dict[str, Any]:
    """Return all fields of the header, each value as it is written. Raises BadLine as `read_header`."""
    return _split(content, name)[0]


def replace_header(content: bytes, known: Mapping[str, Any]) -> bytes:
    """Return a run file, or its beginning with a whole header, with a header that has the `known` fields.

    Other fields of its own header stay; so do those whose known value is empty. Raises BadLine as
    `read_header`.
    """
    fields, _, body = _split(content, "")
    text = yaml.safe_dump(_merged(fields, known), allow_unicode=True, sort_keys=False, width=float("inf"))
    text = text.replace(END.decode(), "#ir_metadata.end")  # a description cannot end the header
    rows = "".join(f"# {row}\n" for row in text.removesuffix("\n").split("\n"))
    return b"%b\n%b%b\n%b" % (START, rows.encode(), END, body)


def _merged(fields: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(fields)
    for name, value in known.items():
        if isinstance(value, Mapping):
            own = merged.get(name)
            value = _merged(own if isinstance(own, dict) else {}, value)
        if value:
            merged[name] = value
    return merged


def _split(content: bytes, name: str) -> tuple[dict[str, Any], int, bytes]:
    """Return the fields of the header, the number of its lines, and the bytes behind it."""
    if not content.startswith(START):
        return {}, 0, content
    end = content.find(END)
    if end < 0:
        raise BadLine(1, f"expected the line {END.decode()!r} after this one, found none", name)
    if end > MAX_HEADER_BYTES:
        raise BadLine(1, f"expected a header of at most {MAX_HEADER_BYTES:,} bytes, found {end:,}", name)
    head, _, body = content[end:].partition(b"\n")
    rows = (content[:end] + head).decode("utf-8", "replace").split("\n")
    try:
        header = _load_yaml("\n".join(row.removeprefix("#").removeprefix(" ") for row in rows[1:-1]))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise BadLine(line, f"expected YAML in the ir_metadata header: {error.problem}", name) from error
    except (yaml.YAMLError, RecursionError) as error:
        message = (
            "expected YAML in the ir_metadata header, found characters that it does not allow, or depths"
        )
        raise BadLine(1, message, name) from error
    return header if isinstance(header, dict) else {}, len(rows), body


def _load_yaml(text: str) -> Any:
    """Read YAML, every value as it is written: a tag such as 2001-01-01 or 1_000 is no date and no number."""
    return yaml.load(text, yaml.BaseLoader)


def _header(header: Mapping[str, Any], lines: int) -> Header:
    automatic = _inside(header, "method", "automatic")
    kind = KIND_OF_VALUE.get(automatic.lower(), "")
    goal = _inside(header, "research goal", "description") or _inside(header, "method", "description")
    return Header(lines, _inside(header, "tag"), _inside(header, "actor", "team"), kind, goal)


def _inside(value: Any, *path: str) -> str:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return (
        UNSTORABLE.sub("\ufffd", value)
        if isinstance(value, str) and value.lower() not in EMPTY_VALUES
        else ""
    )
