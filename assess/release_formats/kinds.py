"""What files a release has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from assess.release_formats.lines import beir_line, labels_lines, provenance_line, qrels_line
from assess.release_lines import Line

QRELS, PRELS, LABELS, MANIFEST, CITATION = "qrels", "prels", "labels", "manifest", "citation"
PROVENANCE = "provenance"
NUMBERED = "-numbered"  # behind the name of a kind: the same file with numbers for the names of judges


class Kind(NamedTuple):
    """A file of a release. name: in URLs and manifests. all_documents: whether documents without a grade in
    the release have lines too. packed: whether it is gzip. has_labels: whether it says what single judges
    gave. names: whether it names judges.
    """

    name: str
    suffix: str
    meaning: str
    content_type: str
    lines: Callable[[Line], Iterable[bytes]] | None = None
    header: bytes = b""
    all_documents: bool = False
    packed: bool = False
    has_labels: bool = False
    names: bool = False


def _with_numbers(kind: Kind) -> Kind:
    meaning = f"{kind.meaning}; judges are numbers"
    return kind._replace(name=kind.name + NUMBERED, meaning=meaning, names=False)


def _one(write: Callable[[Line], bytes]) -> Callable[[Line], Iterator[bytes]]:
    return lambda line: iter((write(line),))


_KINDS = (
    Kind(QRELS, ".txt", "TREC qrels, four columns", "text/plain; charset=utf-8", _one(qrels_line)),
    Kind(
        "beir",
        ".tsv",
        "BEIR, tab-separated: query-id, corpus-id, score",
        "text/plain; charset=utf-8",  # for programs: no cell may be changed
        _one(beir_line),
        b"query-id\tcorpus-id\tscore\n",
    ),
    Kind(
        PROVENANCE,
        ".jsonl",
        "JSON Lines: every grade with the labels it was made of",
        "application/jsonl; charset=utf-8",
        _one(provenance_line),
        has_labels=True,
        names=True,
    ),
    Kind(
        LABELS,
        ".jsonl.gz",
        "every label of every judge, with times and earlier labels, JSON Lines",
        "application/gzip",
        labels_lines,
        all_documents=True,
        packed=True,
        has_labels=True,
        names=True,
    ),
    Kind(
        PRELS,
        ".prels",
        "sampled judgments, five columns, for infAP and infNDCG",
        "text/plain; charset=utf-8",
    ),
    Kind(
        MANIFEST,
        ".json",
        "how the release was made, with the checksums of its files",
        "application/json; charset=utf-8",
        names=True,
    ),
    Kind(CITATION, ".txt", "how to cite it, as text and as BibTeX", "text/plain; charset=utf-8"),
)
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (*_KINDS, *(_with_numbers(kind) for kind in _KINDS if kind.has_labels))
}
FROM_LINES = [kind for kind in KINDS.values() if kind.lines]


def kind_of(name: str) -> Kind:
    """Return the kind of a file; prels have one a sampled pool, such as `prels-2`. Raises KeyError.

    >>> kind_of("prels-2").suffix
    '.prels'
    """
    word, _, number = name.partition("-")
    return KINDS[word if word == PRELS and number.isdecimal() else name]
