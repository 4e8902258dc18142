"""The lines of a release, each with where its grade comes from, and their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from assess.consensus import Decision, Open
from assess.consensus_columns import LabelColumns, decide
from assess.kappa.labels import LabelCollector
from assess.no_grade import NoGrade
from assess.release_plan import ReleasePlan


class Label(NamedTuple):
    """What a judge did once. relevance: None when the judge could not judge, for `reason`. at: ISO 8601, UTC.

    text_hash: SHA-256 of the text that was on screen. event: the UUID under which it was recorded.
    """

    judge: str
    machine: bool
    relevance: int | None
    reason: str = ""
    at: str = ""
    source: str = ""
    text_hash: str = ""
    event: str = ""


class Settled(NamedTuple):
    """An adjudicated grade: by whom, why and when."""

    relevance: int
    by: str
    why: str
    at: str


class Labelled(NamedTuple):
    """A pooled document with its labels, oldest first."""

    topic: str
    docno: str
    pool: int
    labels: Sequence[Label]
    primary: str = ""
    settled: Settled | None = None

    def current(self) -> dict[str, Label]:
        """Return judge -> the last label of that judge, judges in alphabetical order."""
        last = {label.judge: label for label in self.labels}
        return dict(sorted(last.items()))


class Line(NamedTuple):
    """What a rule made of a document. votes: judge -> label. relevance: None when the release has no line."""

    document: Labelled
    votes: Mapping[str, Label]
    decision: Decision
    relevance: int | None


def numbered(line: Line, numbers: Mapping[str, str]) -> Line:
    """Return a line with numbers for the names of judges, in the order of `numbers`.

    An adjudicator, who may be a judge, has no number.
    """
    document, settled = line.document, line.document.settled
    named = [label._replace(judge=numbers[label.judge]) for label in document.labels]
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


def lines_of(documents: Sequence[Labelled], plan: ReleasePlan, scale: Sequence[int]) -> Iterator[Line]:
    """Apply the plan's rule to documents; yield their lines in the same order. scale: the campaign's grades.

    The labels of a document are of judges whom the plan admits.
    """
    votes = [document.current() for document in documents]
    judges = sorted({judge for given in votes for judge in given})
    place_of = {judge: place for place, judge in enumerate(judges)}
    cells = [
        (row, place_of[judge], NoGrade.REFUSED if label.relevance is None else label.relevance)
        for row, given in enumerate(votes)
        for judge, label in given.items()
    ]
    decisions = decide(
        plan.rule,
        LabelColumns(*np.array(cells, dtype=np.int64).reshape(-1, 3).T),
        judges,
        np.array([place_of.get(document.primary, -1) for document in documents], dtype=np.int64),
        np.array(
            [document.settled.relevance if document.settled else NoGrade.MISSING for document in documents],
            dtype=np.int64,
        ),
        plan.judge,
        scale,
    )
    for document, given, place in zip(documents, votes, decisions.of_document.tolist(), strict=True):
        decision = decisions.different[place]
        yield Line(document, given, decision, plan.written(decision))


@dataclass
class Tally:
    """The figures of a release, counted line by line.

    grades: number in the qrels -> lines. by_judge: judge -> grades that were read. by_topic: topic -> lines.
    several: lines on which more than one judge gave a grade. unwritten: why -> documents without a line.
    labels: the grades of people on documents with a line, from which their agreement is computed.
    """

    threshold: int
    lines: int = 0
    relevant: int = 0
    several: int = 0
    grades: Counter[int] = field(default_factory=Counter)
    by_judge: Counter[str] = field(default_factory=Counter)
    by_topic: Counter[str] = field(default_factory=Counter)
    unwritten: Counter[str] = field(default_factory=Counter)
    labels: LabelCollector = field(default_factory=LabelCollector)

    def add(self, line: Line) -> None:
        graded = {judge: label for judge, label in line.votes.items() if label.relevance is not None}
        self.by_judge.update(graded.keys())
        if line.relevance is None:
            self.unwritten[str(line.decision) if isinstance(line.decision, Open) else ""] += 1
            return
        self.lines += 1
        self.relevant += line.relevance >= self.threshold
        self.several += len(graded) > 1
        self.grades[line.relevance] += 1
        self.by_topic[line.document.topic] += 1
        for judge, label in graded.items():
            if not label.machine and label.relevance is not None:
                self.labels.add(line.document.topic, line.document.docno, judge, label.relevance)
