"""The files of a release: what each is called and holds, and how its lines are written."""

from .bibliography import bibtex, citation
from .kinds import (
    CITATION,
    FROM_LINES,
    KINDS,
    LABELS,
    MANIFEST,
    NUMBERED,
    PRELS,
    PROVENANCE,
    QRELS,
    Kind,
    kind_of,
)
from .lines import beir_line, labels_lines, prels_line, provenance_line, qrels_line
from .writing import FileWriter, Written, written

__all__ = [
    "CITATION",
    "FROM_LINES",
    "KINDS",
    "LABELS",
    "MANIFEST",
    "NUMBERED",
    "PRELS",
    "PROVENANCE",
    "QRELS",
    "FileWriter",
    "Kind",
    "Written",
    "beir_line",
    "bibtex",
    "citation",
    "kind_of",
    "labels_lines",
    "prels_line",
    "provenance_line",
    "qrels_line",
    "written",
]
