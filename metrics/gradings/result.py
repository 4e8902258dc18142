"""The result of a grading: means of the runs by each criterion, agreement of judges, order of criteria."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assess.kappa.agreement import coefficients
from assess.kappa.coefficient import Coefficient
from assess.kappa.labels import labels_of_records
from assess.kappa.registry import REGISTRY
from metrics.rankings.measure_columns import MeasureMean, measure_means
from metrics.rankings.rank_correlation import MeasureCorrelation, measure_correlation
from pooling.arrays import Matrix

ALPHA = REGISTRY["alpha-ordinal"]


class GradedAnswer(NamedTuple):
    """The grades of one answer by one judge. grades: of each criterion, from 0."""

    topic: str
    run: str
    judge: str
    grades: Sequence[int]


class Scale(NamedTuple):
    """A criterion and the names of its grades."""

    name: str
    levels: Sequence[str]


class CriterionCheck(NamedTuple):
    """Grades of a criterion. counts: of each level. doubled: answers with two judges or more.

    same: those whose judges all gave the same grade. alpha: Krippendorff's, for ordinal grades.
    """

    scale: Scale
    counts: list[int]
    doubled: int
    same: int
    alpha: Coefficient

    @property
    def named_counts(self) -> list[tuple[str, int]]:
        return list(zip(self.scale.levels, self.counts, strict=True))

    @property
    def share(self) -> float | None:
        return self.same / self.doubled if self.doubled else None


@dataclass(frozen=True, eq=False)
class GradingResult:
    """Everything that the page of results shows.

    rows: (run, its mean by each criterion), best by the first criterion first; empty without a common topic.
    topics: with grades of all runs. left_out: with grades of some of them. correlation: of the criteria.
    """

    rows: list[tuple[str, list[MeasureMean]]]
    checks: list[CriterionCheck]
    topics: int
    left_out: int
    answers: int
    judges: int
    correlation: MeasureCorrelation | None

    @property
    def orders(self) -> list[tuple[str, Sequence[float | None]]]:
        """Each criterion, and the rank correlation of its order with that of every criterion."""
        if self.correlation is None:
            return []
        return [(check.scale.name, row) for check, row in zip(self.checks, self.correlation.tau, strict=True)]


def grading_result(
    graded: Sequence[GradedAnswer], scales: Sequence[Scale], runs: Collection[str]
) -> GradingResult:
    """Return the result of grades.

    A mean is over the topics that have grades of all runs, each topic once; two judges of an answer count by
    the mean of their grades. Grades are taken as numbers from 0, with equal steps, for means only: agreement
    is that of ordered grades.
    """
    values, topics = _by_topic(graded, len(scales), sorted(runs))
    left_out = len({each.topic for each in graded}) - len(topics)
    means = values.mean(axis=0) if len(topics) else np.empty((len(runs), len(scales)))
    return GradingResult(
        _rows(values, scales, sorted(runs)) if len(topics) else [],
        [_check(graded, scale, place) for place, scale in enumerate(scales)],
        len(topics),
        left_out,
        len({(each.topic, each.run) for each in graded}),
        len({each.judge for each in graded}),
        measure_correlation(means) if len(topics) and len(scales) > 1 else None,
    )


def _by_topic(graded: Sequence[GradedAnswer], criteria: int, runs: Sequence[str]) -> tuple[Matrix, list[str]]:
    """Return grades of shape (topics, runs, criteria), means over judges, and the topics with all runs."""
    own: dict[tuple[str, str], list[Sequence[int]]] = {}
    for each in graded:
        own.setdefault((each.topic, each.run), []).append(each.grades)
    named = dict.fromkeys(each.topic for each in graded)
    topics = [topic for topic in named if all((topic, run) in own for run in runs)]
    cells = [[np.mean(own[topic, run], axis=0) for run in runs] for topic in topics]
    return np.array(cells, dtype=np.float64).reshape(len(topics), len(runs), criteria), topics


def _rows(
    values: Matrix, scales: Sequence[Scale], runs: Sequence[str]
) -> list[tuple[str, list[MeasureMean]]]:
    """Return the rows of the table. values: of shape (topics, runs, criteria)."""
    columns = [
        measure_means(values[:, :, place], 0.0, float(len(scale.levels) - 1))
        for place, scale in enumerate(scales)
    ]
    order = sorted(range(len(runs)), key=lambda run: (columns[0][run].rank, runs[run]))
    return [(runs[run], [column[run] for column in columns]) for run in order]


def _check(graded: Sequence[GradedAnswer], scale: Scale, place: int) -> CriterionCheck:
    counts = np.bincount([each.grades[place] for each in graded], minlength=len(scale.levels)).tolist()
    given: dict[tuple[str, str], list[int]] = {}
    for each in graded:
        given.setdefault((each.topic, each.run), []).append(each.grades[place])
    doubled = [grades for grades in given.values() if len(grades) > 1]
    records = [(each.topic, each.run, each.judge, each.grades[place]) for each in graded]
    (alpha,) = coefficients(labels_of_records(records, range(len(scale.levels))), [ALPHA])
    return CriterionCheck(scale, counts, len(doubled), sum(len(set(own)) == 1 for own in doubled), alpha)
