"""What magnitudes of judges say: a gain for each document, beside its grade, and how well judges agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import exp, fsum, log
from statistics import median
from typing import NamedTuple

import numpy as np

from metrics.magnitudes.agreement import MagnitudeAgreement, magnitude_agreement
from metrics.magnitudes.normalised import Magnitudes, normalised

Grades = Mapping[str, Mapping[str, int]]
"""topic -> docno -> grade."""


class DocumentGain(NamedTuple):
    """The gain of a document. gain: the median of its normalised magnitudes, lowest and highest among them.

    relative: gain over the geometric mean of all normalised magnitudes of the topic, so that topics can be
    compared. grade: None without one.
    """

    topic: str
    docno: str
    gain: float
    relative: float
    judges: int
    lowest: float
    highest: float
    grade: int | None

    @property
    def factor(self) -> float | None:
        """How many times the lowest the highest is; None for one judge."""
        return self.highest / self.lowest if self.judges > 1 else None


class GradeGains(NamedTuple):
    """The relative gains of the documents of a grade. low, high: quartiles; the middle half is between."""

    grade: int
    documents: int
    median: float
    low: float
    high: float


class SameOrder(NamedTuple):
    """Two documents of a topic with different grades. same: pairs in which the better grade has more gain.

    tied: with the same gain.
    """

    pairs: int
    same: int
    tied: int

    @property
    def share(self) -> float | None:
        """Part of the pairs in the same order; a tie counts half. None without pairs."""
        return (self.same + self.tied / 2) / self.pairs if self.pairs else None


class MagnitudeResult(NamedTuple):
    """Everything on the page of results. topics: finished by a judge. open_topics: by none.

    numbers, cannot: of finished topics.
    """

    documents: list[DocumentGain]
    topics: list[str]
    open_topics: list[str]
    judges: int
    numbers: int
    cannot: int
    agreement: MagnitudeAgreement
    by_grade: list[GradeGains]
    order: SameOrder

    @property
    def gains(self) -> dict[str, dict[str, float]]:
        """topic -> docno -> gain."""
        gains_of_topic: dict[str, dict[str, float]] = {topic: {} for topic in self.topics}
        for each in self.documents:
            gains_of_topic[each.topic][each.docno] = each.gain
        return {topic: own for topic, own in gains_of_topic.items() if own}


def magnitude_result(
    given: Mapping[str, Magnitudes], grades: Grades, open_topics: Sequence[str] = (), cannot: int = 0
) -> MagnitudeResult:
    """Return the result of magnitudes. given: topic -> judge -> docno -> magnitude, all above 0.

    open_topics, cannot: see MagnitudeResult. Raises Refused for a magnitude that is not above 0.
    """
    documents = [each for topic, own in given.items() for each in gains_of(topic, own, grades)]
    return MagnitudeResult(
        documents,
        list(given),
        list(open_topics),
        len({judge for own in given.values() for judge in own}),
        sum(len(own) for judges in given.values() for own in judges.values()),
        cannot,
        agreement_of(given),
        by_grade(documents),
        same_order(documents),
    )


def gains_of(topic: str, given: Magnitudes, grades: Grades) -> list[DocumentGain]:
    """Return the gains of the documents of a topic, highest first."""
    values: dict[str, list[float]] = {}
    for own in normalised(given).values():
        for docno, value in own.items():
            values.setdefault(docno, []).append(value)
    mean = geometric_mean([value for own in given.values() for value in own.values()])
    gains = []
    for docno, own_values in values.items():
        gain, grade = median(own_values), grades.get(topic, {}).get(docno)
        gains.append(
            DocumentGain(
                topic,
                docno,
                gain,
                gain / mean,
                len(own_values),
                min(own_values),
                max(own_values),
                grade,
            )
        )
    return sorted(gains, key=lambda each: (-each.gain, each.docno))


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of values above 0; 1 for none."""
    return exp(fsum(map(log, values)) / len(values)) if values else 1.0


def agreement_of(given: Mapping[str, Magnitudes]) -> MagnitudeAgreement:
    """Return the agreement on the documents that two judges have given numbers to."""
    first, second = list[float](), list[float]()
    for judges in given.values():
        means = {judge: geometric_mean(list(own.values())) for judge, own in judges.items()}
        for one, other in combinations(sorted(judges), 2):
            for docno in sorted(judges[one].keys() & judges[other].keys()):
                first.append(judges[one][docno] / means[one])
                second.append(judges[other][docno] / means[other])
    return magnitude_agreement(np.array(first), np.array(second))


def by_grade(documents: Sequence[DocumentGain]) -> list[GradeGains]:
    """Return the relative gains of each grade, highest grade first."""
    gains: dict[int, list[float]] = {}
    for each in documents:
        if each.grade is not None:
            gains.setdefault(each.grade, []).append(each.relative)
    rows = []
    for grade, own in sorted(gains.items(), reverse=True):
        low, middle, high = np.quantile(own, [0.25, 0.5, 0.75]).tolist()
        rows.append(GradeGains(grade, len(own), middle, low, high))
    return rows


def same_order(documents: Sequence[DocumentGain]) -> SameOrder:
    """Return how often the better grade has more gain, among two documents of one topic."""
    of_topic: dict[str, list[DocumentGain]] = {}
    for each in documents:
        if each.grade is not None:
            of_topic.setdefault(each.topic, []).append(each)
    pairs = same = tied = 0
    for own in of_topic.values():
        grade = np.array([each.grade for each in own])
        gain = np.array([each.gain for each in own])
        better = grade[:, None] > grade
        pairs += int(better.sum())
        same += int((better & (gain[:, None] > gain)).sum())
        tied += int((better & (gain[:, None] == gain)).sum())
    return SameOrder(pairs, same, tied)
