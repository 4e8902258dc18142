"""The topics of a release, as the runs found them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.models import QrelsRelease
from metrics.difficulty import TopicFigures, remarks, topic_figures
from metrics.queries.scores import Field, numbered_index, threshold_of
from pooling.models import Run, Topic


class TopicLine(NamedTuple):
    """One topic over the runs. best: the run with the highest value, None where all runs have the same."""

    topic: Topic
    judged: int
    relevant: int
    figures: TopicFigures
    best: Run | None
    remarks: list[str]


def topic_lines(release: QrelsRelease, field: Field, measure: str) -> list[TopicLine]:
    """Return the topics in campaign order; none when there is no run."""
    if not field.runs:
        return []
    values, _ = field.of(measure)
    index = numbered_index(release).index
    judged, relevant = index.count(0).tolist(), index.count(threshold_of(release)).tolist()
    places = {topic: place for place, topic in enumerate(field.topics)}
    figures = topic_figures(values)
    lines = []
    for topic in release.campaign.topics.filter(number__in=field.topics):
        at = places[topic.number]
        all_same = len(field.runs) > 1 and figures[at].low == figures[at].high
        best = None if all_same else field.runs[int(np.argmax(values[:, at]))]
        said = remarks(figures[at], judged[at], relevant[at])
        lines.append(TopicLine(topic, judged[at], relevant[at], figures[at], best, said))
    return lines


ORDERS = {  # what the head of a column sorts by; None stands below every number
    "topic": lambda line: -line.topic.place,
    "judged": lambda line: line.judged,
    "relevant": lambda line: line.relevant,
    "mean": lambda line: -line.figures.mean,
    "spread": lambda line: line.figures.spread or 0.0,
    "discrimination": lambda line: (
        -2.0 if line.figures.discrimination is None else line.figures.discrimination
    ),
}
