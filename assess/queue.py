"""In which order a judge meets the documents of a topic."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def judging_order(topic: str, judge: str, docnos: Iterable[str]) -> list[str]:
    """Return the docnos in an order of this judge's own: shuffled, and always the same.

    The order says nothing about ranks, runs or votes, and two judges of a topic do not tire on the same
    documents. It hangs on the docnos alone, so it survives a restart and a document that joins later.

    >>> judging_order("7", "ada", ["b", "a"]) == judging_order("7", "ada", ["a", "b"])
    True
    """
    return sorted(docnos, key=lambda docno: hashlib.sha256(f"{judge}\n{topic}\n{docno}".encode()).digest())
