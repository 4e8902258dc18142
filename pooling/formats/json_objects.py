"""JSON objects of lines that people hand in, checked for what no database stores."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from pooling.formats.files import BadLine, decode
from pooling.formats.text import quoted, replace_unstorable

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes it


def json_object(raw: bytes, number: int) -> dict[str, Any]:
    """Return the JSON object of a line. Raises BadLine, also for what no database stores."""
    try:
        text = decode(raw)
        row = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite_number
        )
        written = json.dumps(row, ensure_ascii=False)
    except BadLine as error:
        raise BadLine(number, error.message) from error
    except (ValueError, RecursionError) as error:
        bad = f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else error
        raise BadLine(number, f"expected one JSON object on the line, found bad JSON ({bad})") from error
    if not isinstance(row, dict):
        raise BadLine(number, f"expected one JSON object on the line, found {quoted(text.strip())}")
    if replace_unstorable(written) != written or _NUL.search(written):
        raise BadLine(number, "expected text without NUL characters and halves of surrogate pairs")
    return row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {again[:40]!r} stands twice in one object")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def shown(value: Any) -> str:
    """Return a value as a message quotes it: short, on one line."""
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return quoted(text) if isinstance(value, str) else text[:40]
