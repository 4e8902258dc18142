"""One line of an answer run: its JSON object, its form, its metadata and its topic."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from pooling.formats.files import BadLine, decode
from pooling.formats.text import check_identifier, quoted, replace_unstorable
from pooling.limits import MAX_TOPIC_BYTES

RAG, RAG_2024, REPORT = "rag", "rag-2024", "report"  # the forms that a line shows
TOPIC_KEYS = ("narrative_id", "topic_id", "request_id", "query_id", "qid")
MAX_METADATA = 50_000  # characters of the metadata of an answer, as JSON
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


def form_of(row: Mapping[str, Any], number: int) -> str:
    if "responses" in row:
        return REPORT
    if "answer" in row:
        return RAG if "metadata" in row else RAG_2024
    raise BadLine(number, f"expected the key answer or responses, found {_keys(row)}")


def metadata_of(row: Mapping[str, Any], form: str, number: int) -> dict[str, Any]:
    """Return what the line says beside sentences and references. Raises BadLine."""
    if form == RAG_2024:
        metadata: Any = {name: value for name, value in row.items() if name not in ("answer", "references")}
    else:
        metadata = row.get("metadata")
    if not isinstance(metadata, dict):
        raise BadLine(number, f"expected metadata as an object, found {shown(metadata)}")
    if len(json.dumps(metadata, ensure_ascii=False)) > MAX_METADATA:
        raise BadLine(number, f"expected metadata of at most {MAX_METADATA:,} characters, found more")
    return metadata


def topic_of(metadata: Mapping[str, Any], number: int) -> str:
    """Return the topic that the metadata name. Raises BadLine for none, and for two that differ."""
    given = {key: metadata[key] for key in TOPIC_KEYS if metadata.get(key) is not None}
    if not given:
        expected = ", ".join(TOPIC_KEYS[:3])
        raise BadLine(number, f"expected one of {expected} in the metadata, found {_keys(metadata)}")
    for key, value in given.items():
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise BadLine(number, f"expected a topic as {key}, found {shown(value)}")
    topics = {check_identifier(str(value), number, "topic", MAX_TOPIC_BYTES) for value in given.values()}
    if len(topics) > 1:
        raise BadLine(number, f"expected one topic, found {', '.join(given)} that differ")
    return topics.pop()


def _keys(row: Mapping[str, Any]) -> str:
    return ", ".join(quoted(key) for key in list(row)[:10]) or "no keys"


def shown(value: Any) -> str:
    """Return a value as a message quotes it: short, on one line."""
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return quoted(text) if isinstance(value, str) else text[:40]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
