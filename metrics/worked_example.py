"""A measure computed on a ranking of a few documents, rank by rank, by the engine that scores runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metrics.engine.evaluate import evaluate
from metrics.engine.qrels_index import QrelsIndex, index_qrels, index_subtopics
from metrics.measures.base import Measure, MeasureKind
from metrics.measures.registry import make_measure
from metrics.trec_eval.preferences import parse_preferences
from pooling.formats.qrels import parse_prels, parse_qrels
from pooling.formats.runs import RunFile, parse_run
from pooling.refusals import Refused

RANKING, MISSED = "3 0 2 - 1", "2"
LONGEST = 20  # documents
HIGHEST = 9  # grade
RELEVANT = 1  # the relevance threshold of the example, as in trec_eval
COLLECTION = 100  # documents, for measures that need the size of the collection
CUTOFF, LEVEL = 5, 0.5  # where a kind must have a cut-off: a rank, a recall or a multiple of R


class BadExample(Refused):
    """A text that is not a ranking."""


class Document(NamedTuple):
    """One document. grade: None where it was not judged. rank: None where it was not retrieved.

    also: its other judgments, for measures that need more than a grade; "" otherwise.
    """

    docno: str
    rank: int | None
    grade: int | None
    also: str


class WorkedExample(NamedTuple):
    """A measure of an example. value: of the whole ranking. steps: one value for each rank, as `by` says.

    head: the column head of the documents' `also`, "" without it.
    """

    measure: Measure
    documents: list[Document]
    value: float
    steps: list[float]
    by: str
    head: str

    @property
    def retrieved(self) -> list[Document]:
        return [document for document in self.documents if document.rank]


def parse_grades(text: str, name: str = "ranking") -> list[int | None]:
    """Return the grades of "3 0 2 - 1"; - is a document that was not judged. Raises BadExample.

    >>> parse_grades("3 0 -")
    [3, 0, None]
    """
    words = text.split()
    if len(words) > LONGEST:
        raise BadExample(f"expected a {name} of at most {LONGEST} documents, found {len(words)}")
    for word in words:
        if word != "-" and not (len(word) == 1 and word in "0123456789"):
            raise BadExample(f"expected grades from 0 to {HIGHEST}, or - for not judged, found {word[:20]!r}")
    return [None if word == "-" else int(word) for word in words]


def read_example(ranking: str, missed: str) -> list[Document]:
    """Return the documents of a ranking, and the judged ones that it missed. Raises BadExample."""
    retrieved, others = parse_grades(ranking), parse_grades(missed, "list of missed documents")
    if not retrieved:
        raise BadExample("expected at least one grade")
    if None in others:
        raise BadExample("expected a grade for every missed document: an unjudged one cannot be known")
    if all(grade is None for grade in (*retrieved, *others)):
        raise BadExample("expected at least one document with a grade")
    documents = [Document(f"d{rank}", rank, grade, "") for rank, grade in enumerate(retrieved, start=1)]
    return documents + [
        Document(f"m{number}", None, grade, "") for number, grade in enumerate(others, start=1)
    ]


def usual_measure(kind: MeasureKind) -> Measure:
    """Return a measure of a kind with its default parameters, and a cut-off where there must be one."""
    if not kind.needs_cutoff:
        return make_measure(kind)
    return make_measure(kind, cutoff=CUTOFF if kind.cutoff is int else LEVEL)


def worked_example(measure: Measure, documents: Sequence[Document]) -> WorkedExample:
    """Return a measure worked out on an example.

    A kind with a rank as cut-off gives its value at each rank; another kind gives its value for the ranking
    cut there. Other judgments that a kind needs are derived from the grades and shown as `also`.
    """
    kind, parameters = measure.kind, measure.parameters
    head, documents = _with_more(kind, documents)
    index, retrieved = _index(kind, documents), [document for document in documents if document.rank]
    if kind.cutoff is int:
        measures = [make_measure(kind, parameters, rank) for rank in range(1, len(retrieved) + 1)]
        steps = _values(retrieved, index, measures)
        by = f"{kind.name}@k"
    else:
        prefixes = (retrieved[:end] for end in range(1, len(retrieved) + 1))
        steps = [_values(prefix, index, [measure])[0] for prefix in prefixes]
        by = "Had it ended here"
    value = _values(retrieved, index, [measure])[0]
    return WorkedExample(measure, list(documents), value, steps, by, head)


def _values(retrieved: Sequence[Document], index: QrelsIndex, measures: Sequence[Measure]) -> list[float]:
    scores = evaluate(_run(retrieved), index, measures, relevance=RELEVANT, collection=COLLECTION)
    values: list[float] = scores.values[0].tolist()
    return values


def _run(retrieved: Sequence[Document]) -> RunFile:
    lines = (f"1 Q0 {document.docno} {document.rank} {len(retrieved) - index} example\n"
             for index, document in enumerate(retrieved))  # fmt: skip
    return parse_run("".join(lines).encode())


def _with_more(kind: MeasureKind, documents: Sequence[Document]) -> tuple[str, Sequence[Document]]:
    """Return the column head of the other judgments that a kind needs, and the documents with them."""
    if kind.needs == "judges":
        more = [_second_grade(document) for document in documents]
        return "Second judge", _with_also(documents, ["" if grade is None else str(grade) for grade in more])
    if kind.needs == "subtopics":
        return "Subtopics", _with_also(
            documents, [" ".join(_subtopics(p, d)) for p, d in enumerate(documents)]
        )
    if kind.needs == "strata":
        return "Stratum", _with_also(documents, [_stratum(index) for index in range(len(documents))])
    return "", documents


def _with_also(documents: Sequence[Document], more: Sequence[str]) -> list[Document]:
    return [document._replace(also=also) for document, also in zip(documents, more, strict=True)]


def _second_grade(document: Document) -> int | None:
    """Return the grade of the second judge, who is stricter by one grade."""
    return None if document.grade is None else max(document.grade - 1, 0)


def _subtopics(index: int, document: Document) -> list[str]:
    """Return subtopics: relevant documents alternate between a and b; from grade 3 on they have both."""
    if not document.grade:
        return []
    return ["a", "b"] if document.grade >= 3 else ["ab"[index % 2]]


def _stratum(index: int) -> str:
    return "1" if index < 3 else "2"


def _index(kind: MeasureKind, documents: Sequence[Document]) -> QrelsIndex:
    judged = [document for document in documents if document.grade is not None]
    plain = [f"1 0 {document.docno} {document.grade}\n" for document in judged]
    if kind.needs == "judges":
        second = [f"1 second {document.docno} {_second_grade(document)}\n" for document in judged]
        return index_qrels(
            parse_qrels("".join(plain + second).encode(), by_iteration=True), by_iteration=True
        )
    if kind.needs == "subtopics":
        pairs = [
            (document, about)
            for index, document in enumerate(documents)
            for about in _subtopics(index, document)
        ]
        rows = [f"1 {about} {document.docno} 1\n" for document, about in pairs]
        rows += [f"1 none {document.docno} 0\n" for document in judged if not document.grade]
        return index_subtopics(parse_qrels("".join(rows).encode(), by_iteration=True))
    if kind.needs == "strata":
        grades = [-1 if document.grade is None else document.grade for document in documents]
        rows = [f"1 0 {document.docno} {document.also} {grade}\n"
                for document, grade in zip(documents, grades, strict=True)]  # fmt: skip
        return index_qrels(parse_prels("".join(rows).encode()))
    if kind.needs == "preferences":
        return parse_preferences("".join(plain).encode(), of_qrels=True)
    return index_qrels(parse_qrels("".join(plain).encode()))
