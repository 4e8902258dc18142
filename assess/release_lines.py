"""The lines of a release, each with where its grade comes from, and their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .consensus import RULES, Case, Decision, Open
from .release_plan import ReleasePlan


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


def line_of(document: Labelled, plan: ReleasePlan, scale: Sequence[int]) -> Line:
    """Apply the plan's rule to a document. scale: the campaign's grades, rising."""
    votes = document.current()
    grades = {judge: label.relevance for judge, label in votes.items() if label.relevance is not None}
    case = Case(
        grades,
        frozenset(votes) - frozenset(grades),
        document.primary,
        document.settled.relevance if document.settled else None,
        plan.judge,
        scale,
    )
    decision = RULES[plan.rule].decide(case)
    return Line(document, votes, decision, plan.written(decision))


@dataclass
class Tally:
    """The figures of a release, counted line by line.

    grades: number in the qrels -> lines. by_judge: judge -> grades that were read. by_topic: topic -> lines.
    several: lines on which more than one judge gave a grade. unwritten: why -> documents without a line.
    """

    threshold: int
    lines: int = 0
    relevant: int = 0
    several: int = 0
    grades: Counter[int] = field(default_factory=Counter)
    by_judge: Counter[str] = field(default_factory=Counter)
    by_topic: Counter[str] = field(default_factory=Counter)
    unwritten: Counter[str] = field(default_factory=Counter)

    def add(self, line: Line, documents: int = 1) -> None:
        """Count a line, or as many documents that differ in nothing but their docnos."""
        judges = [judge for judge, label in line.votes.items() if label.relevance is not None]
        for judge in judges:
            self.by_judge[judge] += documents
        if line.relevance is None:
            self.unwritten[str(line.decision) if isinstance(line.decision, Open) else ""] += documents
            return
        self.lines += documents
        self.relevant += documents * (line.relevance >= self.threshold)
        self.several += documents * (len(judges) > 1)
        self.grades[line.relevance] += documents
        self.by_topic[line.document.topic] += documents
