"""One line of each file format. Every line ends in a line feed; text is UTF-8."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from assess.release_lines import Label, Line

ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def qrels_line(line: Line) -> bytes:
    """TREC qrels: topic, 0, docno, grade, separated by blanks."""
    return f"{line.document.topic} 0 {line.document.docno} {line.relevance}\n".encode()


def beir_line(line: Line) -> bytes:
    """BEIR: query-id, corpus-id, score, separated by tabs (the header is in `Kind`)."""
    return f"{line.document.topic}\t{line.document.docno}\t{line.relevance}\n".encode()


def prels_line(topic: str, docno: str, stratum: int, grade: int) -> bytes:
    """Prels, as sample_eval.pl reads them: topic, 0, docno, stratum, grade; -1 for not sampled."""
    return f"{topic} 0 {docno} {stratum} {grade}\n".encode()


def provenance_line(line: Line) -> bytes:
    """JSON: the grade, its labels and its adjudication."""
    document, settled = line.document, line.document.settled
    return _json(
        {
            "topic": document.topic,
            "docno": document.docno,
            "relevance": line.relevance,
            "decision": line.decision if isinstance(line.decision, str) else "agreed",
            "pool": document.pool,
            "primary": document.primary or None,
            "labels": [_label(label) for label in line.votes.values()],
            "adjudication": settled._asdict() if settled else None,
        }
    )


def labels_lines(line: Line) -> Iterator[bytes]:
    """JSON, one line per event: every label ever given to the document, oldest first.

    `current` is true for each judge's last label. Comments are private notes of judges and are not published.
    """
    for label in line.document.labels:
        place = {"topic": line.document.topic, "docno": line.document.docno, "pool": line.document.pool}
        yield _json(place | _label(label) | {"current": line.votes[label.judge] is label})


def _label(label: Label) -> dict[str, Any]:
    return label._asdict()


def _json(fields: dict[str, Any]) -> bytes:
    return ENCODER.encode(fields).encode() + b"\n"
