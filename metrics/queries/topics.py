"""The topics of a release: their difficulty and how they separate the runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assess.models import QrelsRelease
from assess.queries.releases import judged_by_programs
from metrics.measures.base import Measure
from metrics.queries.scores import ScoreTable, numbered_index, threshold_of, topics_with_places
from metrics.rankings.ranking import is_best
from metrics.topic_difficulty import TopicFigures, remarks, topic_figures
from pooling.models import Run, Topic


class TopicRow(NamedTuple):
    """A topic with the figures of the runs.

    by_programs: how many of its judgments have their grade from programs alone. best: the run with the best
    value; None if all runs have the same value or no value is better.
    """

    topic: Topic
    judged: int
    by_programs: int
    relevant: int
    figures: TopicFigures
    best: Run | None
    remarks: list[str]


def topic_rows(release: QrelsRelease, table: ScoreTable, measure: Measure) -> list[TopicRow]:
    """Return the topics in campaign order; none when there is no run."""
    if not table.runs:
        return []
    values, _ = table.of(measure.name)
    index = numbered_index(release).index
    judged, relevant = index.count(0).tolist(), index.count(threshold_of(release)).tolist()
    by_programs = judged_by_programs(release).judgments
    figures, best = topic_figures(values), is_best(values, measure.direction)
    lines = []
    for topic, at in topics_with_places(release, table):
        first = np.flatnonzero(best[:, at])
        all_same = len(table.runs) > 1 and len(first) == len(table.runs)
        run = table.runs[int(first[0])] if len(first) and not all_same else None
        notes = remarks(figures[at], judged[at], relevant[at], measure.direction)
        lines.append(
            TopicRow(topic, judged[at], by_programs[topic.number], relevant[at], figures[at], run, notes)
        )
    return lines


ORDERS = {  # column -> sort key, the largest first; None is below every number
    "topic": lambda line: -line.topic.place,
    "judged": lambda line: line.judged,
    "programs": lambda line: line.by_programs,
    "relevant": lambda line: line.relevant,
    "spread": lambda line: line.figures.spread or 0.0,
    "discrimination": lambda line: (
        -2.0 if line.figures.discrimination is None else line.figures.discrimination
    ),
}


def sorted_rows(lines: Sequence[TopicRow], by: str, measure: Measure) -> list[TopicRow]:
    """Return the rows sorted by a column; by the mean, the hardest topic comes first."""
    if by == "mean":
        sign = -1 if hardest_first(measure) == "ascending" else 1
        return sorted(lines, key=lambda line: sign * line.figures.mean, reverse=True)
    return sorted(lines, key=ORDERS.get(by, ORDERS["topic"]), reverse=True)


def hardest_first(measure: Measure) -> str:
    """Return the direction in which the hardest topic has the first mean."""
    return "descending" if measure.direction == "lower" else "ascending"
