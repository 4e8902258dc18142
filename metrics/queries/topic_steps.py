"""A measure of a run on one topic, rank by rank: the worked example with the numbers of a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np

from assess.models import QrelsRelease
from metrics.engine.evaluate import deepest_cutoff, score
from metrics.engine.stored_runs import StoredRun, find_stored_hits
from metrics.measures.base import Measure
from metrics.measures.registry import make_measure
from metrics.queries.runs import RetrievedDocument, grades_of, retrieved_documents
from metrics.queries.scores import PROFILE, numbered_index, stored_runs, threshold_of
from pooling.models import Run

HEAD = 10  # ranks that have a row each, whatever their documents are
MOST_MISSED = 10  # documents that are named
ROUNDING = 1e-12  # a change of less is none


class Stretch(NamedTuple):
    """One document, or a stretch of documents of which none has a positive grade.

    first, last: ranks. docno: "" for more than one document. grade: None where it is not judged. unjudged:
    how many are not judged.
    """

    first: int
    last: int
    docno: str
    grade: int | None
    unjudged: int

    @property
    def documents(self) -> int:
        return self.last - self.first + 1


class Step(NamedTuple):
    """A stretch, the value of the ranking after it, and what it changed."""

    stretch: Stretch
    value: float
    change: float


class Missed(NamedTuple):
    """A document of a positive grade that does not count: the ranking lacks it or has it too deep."""

    docno: str
    grade: int


class TopicSteps(NamedTuple):
    """A measure of a run on a topic.

    value: as on the pages of scores. by: what the value of a step is. level: the grade from which documents
    are relevant. stretches: of the ranks that the measure reads. retrieved, relevant, unjudged: documents
    there. known: the relevant documents of the topic. missed: MOST_MISSED of `missed_count`, the best first.
    """

    measure: Measure
    value: float
    by: str
    level: int
    stretches: list[Stretch]
    retrieved: int
    relevant: int
    unjudged: int
    known: int
    missed: list[Missed]
    missed_count: int

    @property
    def more_missed(self) -> int:
        """How many of the missed documents are not named."""
        return self.missed_count - len(self.missed)

    @property
    def depth(self) -> int | None:
        """The last rank that the measure reads; None if it reads all."""
        depth = deepest_cutoff([self.measure])
        return None if depth == inf else int(depth)


def topic_steps(
    release: QrelsRelease, run: Run, topic: str, measure: Measure, every: bool = False
) -> TopicSteps:
    """Return the stretches of a run's ranking on a topic of the release, and the measure's value.

    every: whether each document is a stretch of its own. Raises BadMeasure for a measure that these qrels do
    not allow.
    """
    documents, grades = retrieved_documents(release, run, topic), grades_of(release, topic)
    rel = measure.arguments.get("rel")
    level = rel if isinstance(rel, int) else threshold_of(release)
    read = documents[: int(min(deepest_cutoff([measure]), len(documents)))]
    names = {document.docno.encode() for document in read}
    positive = [(grade, name.decode()) for name, grade in grades.items() if grade > 0 and name not in names]
    return TopicSteps(
        measure,
        _topic_value(release, run, topic, measure),
        f"{measure.kind.name}@k" if measure.kind.cutoff is int else "Had it ended here",
        level,
        list(_stretches(read, every)),
        len(read),
        sum(document.grade is not None and document.grade >= level for document in read),
        sum(document.grade is None for document in read),
        sum(grade >= level for grade in grades.values()),
        [Missed(name, grade) for grade, name in sorted(positive, key=lambda pair: (-pair[0], pair[1]))][
            :MOST_MISSED
        ],
        len(positive),
    )


def _stretches(documents: Sequence[RetrievedDocument], every: bool) -> Iterator[Stretch]:
    edges = [0]
    for place, document in enumerate(documents, start=1):
        after = documents[place : place + 1]
        alone = every or place <= HEAD or (document.grade or 0) > 0
        if alone or not after or (after[0].grade or 0) > 0:
            edges.append(place)
    for start, end in pairwise(edges):
        some, (first, *others) = documents[start:end], documents[start:end]
        unjudged = sum(document.grade is None for document in some)
        yield Stretch(
            start + 1, end, "" if others else first.docno, None if others else first.grade, unjudged
        )


def values_after(
    release: QrelsRelease, run: Run, topic: str, measure: Measure, stretches: Sequence[Stretch]
) -> list[Step]:
    """Return the value after each of some neighbouring stretches: one for each row of a page.

    A kind with a rank as cut-off has its value at that rank; another kind that of the ranking cut there.
    """
    if not stretches:
        return []
    before = stretches[0].first - 1
    ranks = (
        [before, *(stretch.last for stretch in stretches)] if before else [each.last for each in stretches]
    )
    stored, kind = _ranking(run, topic), measure.kind
    if kind.cutoff is int:
        measures = [make_measure(kind, measure.parameters, rank) for rank in ranks]
        values = _values(release, stored, topic, measures)
    else:
        values = [_values(release, stored.top(rank), topic, [measure])[0] for rank in ranks]
    pairs = pairwise(values if before else [0.0, *values])
    return [
        Step(stretch, value, value - former if abs(value - former) > ROUNDING else 0.0)
        for stretch, (former, value) in zip(stretches, pairs, strict=True)
    ]


def _topic_value(release: QrelsRelease, run: Run, topic: str, measure: Measure) -> float:
    return _values(release, stored_runs([run])[0], topic, [measure])[0]


def _values(release: QrelsRelease, stored: StoredRun, topic: str, measures: Sequence[Measure]) -> list[float]:
    numbered = numbered_index(release)
    scores = score(find_stored_hits(stored, numbered, threshold_of(release)), measures)
    values: list[float] = scores.values[numbered.index.code_of_topic[topic]].tolist()
    return values


def _ranking(run: Run, topic: str) -> StoredRun:
    """Return the part of a run on one topic that it has."""
    (stored,) = stored_runs([run])
    place = stored.topics.index(topic)
    ids = stored.ids[int(stored.offsets[place]) : int(stored.offsets[place + 1])]
    return StoredRun(PROFILE, (topic,), np.array([0, len(ids)]), ids)
