"""The audit log of a campaign as plain records, linked by a hash chain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pooling.checksum import sha256_of


def json_values(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details as JSON stores them: tuples become lists, other types become text."""
    values: dict[str, Any] = json.loads(json.dumps(details, default=str))
    return values


def chain_hash(before: str, record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the hash of the record before and this record.

    before: the hash of the record before; empty for the first. record: without its own hash. A record that is
    changed, removed or inserted changes the hash of every later one.

    >>> first = chain_hash("", {"number": 1})
    >>> chain_hash("", {"number": 1}) == first, chain_hash("x", {"number": 1}) == first
    (True, False)
    """
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return sha256_of(f"{before}\n{text}")


def without_grade(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without the settled grade of a document.

    Earlier versions wrote that grade into the audit log. An organiser who has not yet judged the document
    must not read it here; the history of the document shows it.

    >>> details = {"topic": "1", "docno": "D2", "relevance": 3}
    >>> without_grade({"verb": "settled a grade", "sentence": "1 D2, 3", "details": details})["sentence"]
    '1 D2'
    """
    if record["verb"] != "settled a grade" or "relevance" not in record["details"]:
        return dict(record)
    details = {name: value for name, value in record["details"].items() if name != "relevance"}
    return {**record, "sentence": f"{details['topic']} {details['docno']}", "details": details}
