"""What the judges' side and the database's side share; the former knows no Django."""

from __future__ import annotations

from collections.abc import Sequence

SLUG = "load"
TRACK = "track"  # a second campaign, which gets runs and a pool while the first is judged
SHARED = "shared"  # the number of the topic that the judges share
PASSWORD = "correct horse battery"


def run_file(topics: Sequence[str], docnos: Sequence[str], tag: str) -> bytes:
    """Return a run that ranks the documents alike for every topic."""
    lines = [
        f"{topic} Q0 {docno} {rank} {len(docnos) - rank} {tag}\n"
        for topic in topics
        for rank, docno in enumerate(docnos)
    ]
    return "".join(lines).encode()
