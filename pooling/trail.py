"""The trail of a campaign as plain records: who changed what, each record sealed to the one before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pooling.checksum import sha256_of


def plain(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return details as a database of JSON gives them back: tuples as lists, all else that is no JSON as
    text."""
    found: dict[str, Any] = json.loads(json.dumps(details, default=str))
    return found


def seal(before: str, record: Mapping[str, Any]) -> str:
    """Return the SHA-256 that ties a record to all that stand before it.

    before: the seal of the record before; empty for the first. record: without its own seal. A record that is
    changed, taken out or put in breaks the seal of every later one.

    >>> first = seal("", {"number": 1})
    >>> seal("", {"number": 1}) == first, seal("x", {"number": 1}) == first
    (True, False)
    """
    told = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return sha256_of(f"{before}\n{told}")


def without_grade(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as people may read it.

    Earlier versions wrote the settled grade of a document into the trail. An organiser who is still to judge
    that document must not read it; it stands in the history of the document.

    >>> details = {"topic": "1", "docno": "D2", "relevance": 3}
    >>> without_grade({"verb": "settled a grade", "sentence": "1 D2, 3", "details": details})["sentence"]
    '1 D2'
    """
    if record["verb"] != "settled a grade" or "relevance" not in record["details"]:
        return dict(record)
    details = {name: value for name, value in record["details"].items() if name != "relevance"}
    return {**record, "sentence": f"{details['topic']} {details['docno']}", "details": details}
