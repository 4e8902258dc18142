"""One line of an answer run: its form, its metadata and its topic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pooling.formats.files import BadLine
from pooling.formats.json_objects import shown
from pooling.formats.text import check_identifier, quoted
from pooling.limits import MAX_TOPIC_BYTES

RAG, RAG_2024, REPORT = "rag", "rag-2024", "report"  # the forms that a line shows
TOPIC_KEYS = ("narrative_id", "topic_id", "request_id", "query_id", "qid")
MAX_METADATA = 50_000  # characters of the metadata of an answer, as JSON


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


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
