"""The kinds of files of a release, and how their lines are written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from assess.release.lines import ReleaseLabel, ReleaseLine
from assess.release.sources import BETWEEN

ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def qrels_line(line: ReleaseLine) -> bytes:
    """TREC qrels: topic, 0, docno, grade, separated by blanks."""
    return f"{line.document.topic} 0 {line.document.docno} {line.relevance}\n".encode()


def beir_line(line: ReleaseLine) -> bytes:
    """BEIR: query-id, corpus-id, score, separated by tabs (the header is in `Kind`)."""
    return f"{line.document.topic}\t{line.document.docno}\t{line.relevance}\n".encode()


def sources_line(line: ReleaseLine) -> bytes:
    """Tab-separated: topic, docno, grade, sources of the grade."""
    document, sources = line.document, BETWEEN.join(line.sources)
    return f"{document.topic}\t{document.docno}\t{line.relevance}\t{sources}\n".encode()


def prels_line(topic: str, docno: str, stratum: int, grade: int) -> bytes:
    """Prels, as sample_eval.pl reads them: topic, 0, docno, stratum, grade; -1 for not sampled."""
    return f"{topic} 0 {docno} {stratum} {grade}\n".encode()


def provenance_line(line: ReleaseLine) -> bytes:
    """JSON: the grade, its sources, its labels and its adjudication; why it was judged, if no run said so."""
    document, settled = line.document, line.document.settled
    selection = {} if document.selection is None else {"selection": document.selection}
    return _json(
        {
            "topic": document.topic,
            "docno": document.docno,
            "relevance": line.relevance,
            "decision": line.decision if isinstance(line.decision, str) else "agreed",
            "source": line.sources,
            "pool": document.pool,
            "primary": document.primary or None,
            "labels": [_label(label) for label in line.votes.values()],
            "adjudication": settled.fields() if settled else None,
        }
        | selection
    )


def labels_lines(line: ReleaseLine) -> Iterator[bytes]:
    """JSON, one line per event: every label ever given to the document, oldest first.

    `current` is true for each judge's last label. Judges wrote comments for organisers and adjudicators, so
    that only the file with names has them.
    """
    for label in line.document.labels:
        place = {"topic": line.document.topic, "docno": line.document.docno, "pool": line.document.pool}
        remarks = label.remarks._asdict() if label.remarks else {}
        yield _json(place | _label(label) | {"current": line.votes[label.judge] is label} | remarks)


def _label(label: ReleaseLabel) -> dict[str, Any]:
    fields = label._asdict()
    del fields["remarks"]
    return fields


def _json(fields: dict[str, Any]) -> bytes:
    return ENCODER.encode(fields).encode() + b"\n"


QRELS, PRELS, LABELS, MANIFEST, CITATION = "qrels", "prels", "labels", "manifest", "citation"
PROVENANCE, BEIR, SOURCES = "provenance", "beir", "sources"
PROPAGATED, PROPAGATED_SOURCES = "propagated", "propagated-sources"
NUMBERED = "-numbered"  # suffix of a kind: the same file with numbers for the names of judges


class FileKind(NamedTuple):
    """A kind of release file.

    name: in URLs and manifests. all_documents: whether documents without a line in the qrels are included.
    packed: whether it is gzip. has_labels: whether it has labels of single judges. names: whether it names
    judges.
    """

    name: str
    suffix: str
    meaning: str
    content_type: str
    lines: Callable[[ReleaseLine], Iterable[bytes]] | None = None
    header: bytes = b""
    all_documents: bool = False
    packed: bool = False
    has_labels: bool = False
    names: bool = False


WITH_REMARKS = "; with comments and evidence"


def _with_numbers(kind: FileKind) -> FileKind:
    meaning = f"{kind.meaning.removesuffix(WITH_REMARKS)}; with numbers for judges"
    return kind._replace(name=kind.name + NUMBERED, meaning=meaning, names=False)


def _one(write: Callable[[ReleaseLine], bytes]) -> Callable[[ReleaseLine], Iterator[bytes]]:
    return lambda line: iter((write(line),))


_KINDS = (
    FileKind(QRELS, ".txt", "TREC qrels, four columns", "text/plain; charset=utf-8", _one(qrels_line)),
    FileKind(
        BEIR,
        ".tsv",
        "BEIR, tab-separated: query-id, corpus-id, score",
        "text/plain; charset=utf-8",  # for programs, so cells are not escaped for spreadsheets
        _one(beir_line),
        b"query-id\tcorpus-id\tscore\n",
    ),
    FileKind(
        SOURCES,
        ".tsv",
        "who decided each grade (people, adjudication, machine), tab-separated",
        "text/plain; charset=utf-8",
        _one(sources_line),
        b"topic\tdocno\tgrade\tsource\n",
    ),
    FileKind(
        PROVENANCE,
        ".jsonl",
        "JSON Lines: every grade with its labels",
        "application/jsonl; charset=utf-8",
        _one(provenance_line),
        has_labels=True,
        names=True,
    ),
    FileKind(
        LABELS,
        ".jsonl.gz",
        f"JSON Lines: every label of every judge, with times and earlier labels{WITH_REMARKS}",
        "application/gzip",
        labels_lines,
        all_documents=True,
        packed=True,
        has_labels=True,
        names=True,
    ),
    FileKind(
        PRELS,
        ".prels",
        "sampled judgments, five columns, for infAP and infNDCG",
        "text/plain; charset=utf-8",
    ),
    FileKind(
        PROPAGATED,
        ".txt",
        "TREC qrels, with the propagated labels of near duplicates that were not judged",
        "text/plain; charset=utf-8",
    ),
    FileKind(
        PROPAGATED_SOURCES,
        ".tsv",
        "which of these grades are propagated, and from which document, tab-separated",
        "text/plain; charset=utf-8",
        header=b"topic\tdocno\tgrade\tsource\trepresentative\n",
    ),
    FileKind(
        MANIFEST,
        ".json",
        "how the release was made, with the checksums of its files",
        "application/json; charset=utf-8",
        names=True,
    ),
    FileKind(CITATION, ".txt", "how to cite it, as text and as BibTeX", "text/plain; charset=utf-8"),
)
KINDS: dict[str, FileKind] = {
    kind.name: kind for kind in (*_KINDS, *(_with_numbers(kind) for kind in _KINDS if kind.has_labels))
}
FROM_LINES = [kind for kind in KINDS.values() if kind.lines]


def kind_of(name: str) -> FileKind:
    """Return the kind of a file; prels have one a sampled pool, such as `prels-2`. Raises KeyError.

    >>> kind_of("prels-2").suffix
    '.prels'
    """
    word, _, number = name.partition("-")
    return KINDS[word if word == PRELS and number.isdecimal() else name]
