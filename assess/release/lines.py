"""The lines of a release with the labels behind each grade, and counts over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from assess.consensus import Decision, LabelColumns, NoDecision, decide
from assess.kappa.labels import LabelCollector
from assess.no_grade import NoGrade
from assess.release.plan import ReleasePlan
from assess.release.sources import BETWEEN, bit_of, names_of, source_of_label, sources_of


class Remarks(NamedTuple):
    """What a judge added to a label. evidence: the words that the judge selected, and where they begin."""

    comment: str
    evidence: Mapping[str, Any] | None


class ReleaseLabel(NamedTuple):
    """One label of a judge. relevance: None for *cannot judge*, with `reason`. at: ISO 8601, UTC.

    text_hash: SHA-256 of the text on screen. event: UUID of the label event. machine_kind: as stored, empty
    for a person. suggested: the grade of a machine judge that was on screen, None without one. remarks: for
    organisers and adjudicators; None where they may not be told.
    """

    judge: str
    machine: bool
    relevance: int | None
    reason: str = ""
    at: str = ""
    source: str = ""
    text_hash: str = ""
    event: str = ""
    machine_kind: str = ""
    suggested: int | None = None
    remarks: Remarks | None = None


class SettledGrade(NamedTuple):
    """An adjudicated grade: by whom, why, when, and by which rule if many were settled at once."""

    relevance: int
    by: str
    why: str
    at: str
    rule: str = ""

    def fields(self) -> dict[str, Any]:
        """Return what files say; they say nothing of a rule where there was none."""
        fields = self._asdict()
        return fields if self.rule else {name: value for name, value in fields.items() if name != "rule"}


class LabelledDocument(NamedTuple):
    """A pooled document with its labels, oldest first.

    selection: why it was judged, where something else than runs chose it.
    """

    topic: str
    docno: str
    pool: int
    labels: Sequence[ReleaseLabel]
    primary: str = ""
    settled: SettledGrade | None = None
    selection: Mapping[str, Any] | None = None

    def current(self) -> dict[str, ReleaseLabel]:
        """Return judge -> the judge's last label, judges in alphabetical order."""
        last = {label.judge: label for label in self.labels}
        return dict(sorted(last.items()))


class ReleaseLine(NamedTuple):
    """The decision on a document.

    votes: judge -> label. relevance: None when the release has no line. sources: of the labels that entered
    the decision (`assess.release.sources`), in alphabetical order.
    """

    document: LabelledDocument
    votes: Mapping[str, ReleaseLabel]
    decision: Decision
    relevance: int | None
    sources: tuple[str, ...] = ()


def with_judge_numbers(line: ReleaseLine, numbers: Mapping[str, str]) -> ReleaseLine:
    """Return a line with numbers instead of judges' names and without remarks, in the order of `numbers`.

    An adjudicator, who may also be a judge, has no number.
    """
    document, settled = line.document, line.document.settled
    named = [label._replace(judge=numbers[label.judge], remarks=None) for label in document.labels]
    of_label = dict(zip(map(id, document.labels), named, strict=True))
    anonymous = document._replace(
        labels=named,
        primary=numbers.get(document.primary, ""),
        settled=settled and settled._replace(by="adjudicator"),
    )
    votes = {
        number: of_label[id(line.votes[judge])] for judge, number in numbers.items() if judge in line.votes
    }
    return line._replace(document=anonymous, votes=votes)


def release_lines_of(
    documents: Sequence[LabelledDocument], plan: ReleasePlan, scale: Sequence[int]
) -> Iterator[ReleaseLine]:
    """Apply the plan's rule to documents; yield their lines in the same order. scale: all grades.

    The labels of a document are of judges whom the plan admits.
    """
    votes = [document.current() for document in documents]
    judges = sorted({judge for given in votes for judge in given})
    place_of = {judge: place for place, judge in enumerate(judges)}
    cells = [
        (row, place_of[judge], NoGrade.REFUSED if label.relevance is None else label.relevance, _bit(label))
        for row, given in enumerate(votes)
        for judge, label in given.items()
    ]
    *columns, source = np.array(cells, dtype=np.int64).reshape(-1, 4).T
    labels = LabelColumns(*columns)
    primary = np.array([place_of.get(document.primary, -1) for document in documents], dtype=np.int64)
    settled = np.array([_settled(document) for document in documents], dtype=np.int64)
    decisions = decide(plan.rule, labels, judges, primary, settled, plan.judge, scale)
    sources = sources_of(plan.rule, labels, source, primary, settled, place_of.get(plan.judge, -1))
    places = decisions.of_document.tolist()
    for document, given, place, bits in zip(documents, votes, places, sources.tolist(), strict=True):
        decision = decisions.different[place]
        yield ReleaseLine(document, given, decision, plan.written(decision), names_of(bits))


def _bit(label: ReleaseLabel) -> int:
    return bit_of(source_of_label(label.machine_kind, label.suggested is not None))


def _settled(document: LabelledDocument) -> int:
    return document.settled.relevance if document.settled else NoGrade.MISSING


@dataclass
class ReleaseCounts:
    """Counts over the lines of a release.

    grades: number in the qrels -> lines. by_judge: judge -> number of grades used. by_topic: topic -> lines.
    several: lines with several grades, also of programs. sources: sources -> lines. unwritten: reason ->
    documents without a line. labels: the grades of people on documents with a line, from which their
    agreement is computed.
    """

    threshold: int
    lines: int = 0
    relevant: int = 0
    several: int = 0
    grades: Counter[int] = field(default_factory=Counter)
    by_judge: Counter[str] = field(default_factory=Counter)
    by_topic: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    unwritten: Counter[str] = field(default_factory=Counter)
    labels: LabelCollector = field(default_factory=LabelCollector)

    def add(self, line: ReleaseLine) -> None:
        graded = {judge: label for judge, label in line.votes.items() if label.relevance is not None}
        self.by_judge.update(graded.keys())
        if line.relevance is None:
            self.unwritten[str(line.decision) if isinstance(line.decision, NoDecision) else ""] += 1
            return
        self.lines += 1
        self.relevant += line.relevance >= self.threshold
        self.several += len(graded) > 1
        self.grades[line.relevance] += 1
        self.by_topic[line.document.topic] += 1
        self.sources[BETWEEN.join(line.sources)] += 1
        for judge, label in graded.items():
            if not label.machine and label.relevance is not None:
                self.labels.add(line.document.topic, line.document.docno, judge, label.relevance)
