"""A run's documents for one topic, with grades, and its rank among the runs on that topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.models import QrelsRelease
from metrics.boards import UNJUDGED, shown_ranks
from metrics.curves import eleven_points
from metrics.measure import Measure
from metrics.measures.textbook import recall_precision_points
from metrics.plots import Plot, topic_curve_plot
from metrics.queries.scores import Field, hits_of, numbered_index, threshold_of
from pooling.models import Run
from pooling.queries.runs import docno_table, run_columns


class Retrieved(NamedTuple):
    """A document of the list. grade: None if unjudged. tied: whether a neighbour has the same score."""

    rank: int
    docno: str
    score: float
    grade: int | None
    tied: bool


class Standing(NamedTuple):
    """A run's value on one measure and topic, among the runs that the person may see.

    rank: None if no value of the measure is better than another.
    """

    measure: Measure
    value: float
    low: float
    median: float
    high: float
    rank: int | None


class TopicReport(NamedTuple):
    """The report of a run on a topic.

    holes, relevant: the numbers of unjudged and of relevant documents in the list. found_of: R.
    """

    documents: list[Retrieved]
    total: int
    holes: int
    relevant: int
    found_of: int
    standings: list[Standing]
    plot: Plot


def topic_report(release: QrelsRelease, run: Run, table: Field, topic: str) -> TopicReport:
    """Return the report of a run on a topic of the release."""
    documents = retrieved(release, run, topic)
    level, at = threshold_of(release), table.topics.index(topic)
    hits = hits_of(release, run)
    recall, precision = recall_precision_points(hits)[at]
    return TopicReport(
        documents,
        len(documents),
        sum(document.grade is None for document in documents),
        sum(document.grade is not None and document.grade >= level for document in documents),
        int(hits.relevant().total[at]),
        standings(table, run, at),
        topic_curve_plot(recall, precision, eleven_points(hits)[at]),
    )


def standings(table: Field, run: Run, at: int) -> list[Standing]:
    """Return the run's value and rank on each measure. at: the position of the topic in the table."""
    own = [each.pk for each in table.runs].index(run.pk)
    found = []
    for measure, values in zip(table.measures, table.values, strict=True):
        if measure.name == UNJUDGED:  # it describes the judgments, not the run
            continue
        column = values[:, at]
        low, median, high = np.quantile(column, [0, 0.5, 1]).tolist()
        rank = shown_ranks(column.tolist(), measure)[own]
        found.append(Standing(measure, float(column[own]), low, median, high, rank))
    return found


def retrieved(release: QrelsRelease, run: Run, topic: str) -> list[Retrieved]:
    """Return a run's documents of a topic in scoring order; none where it lacks the topic."""
    columns = run_columns(run)
    if topic not in columns.topics:
        return []
    place = columns.topics.index(topic)
    rows = slice(int(columns.offsets[place]), int(columns.offsets[place + 1]))
    scores = columns.scores[columns.scoring] if len(columns.scoring) else columns.scores
    names = docno_table(release.campaign).docnos(columns.scored_ids[rows].astype(np.int64))
    grades = grades_of(release, topic)
    compared = scores[rows].astype(np.float32)  # as the profile compares them
    same = np.append(compared[1:] == compared[:-1], False)
    tied = same | np.append(False, same[:-1])
    shown = zip(names.tolist(), scores[rows].tolist(), tied.tolist(), strict=True)
    return [
        Retrieved(rank, name.decode(), score, grades.get(name), is_tied)
        for rank, (name, score, is_tied) in enumerate(shown, start=1)
    ]


def grades_of(release: QrelsRelease, topic: str) -> dict[bytes, int]:
    """Return docno -> grade of one topic; a negative grade is no judgment."""
    qrels = numbered_index(release).index.qrels
    place = qrels.topics.index(topic)
    rows = slice(int(qrels.offsets[place]), int(qrels.offsets[place + 1]))
    pairs = zip(qrels.docnos[rows].tolist(), qrels.grades[rows].tolist(), strict=True)
    return {docno: grade for docno, grade in pairs if grade >= 0}
