"""Comparisons of a few runs with a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assess.corrections import CORRECTIONS
from assess.models import QrelsRelease
from metrics.comparison_plots import differences_plot, scatter_plot
from metrics.leaderboard import IntervalBar, axis_of
from metrics.measures.base import Direction, Measure
from metrics.plots import Plot
from metrics.queries.scores import ScoreTable, topics_with_places
from metrics.significance.paired import EffectSize, cohens_d, d_z, hedges_g
from metrics.significance.pairwise import PAIRED_TESTS, AgainstBaseline, against_baseline
from pooling.arrays import Matrix, Vector
from pooling.models import Run, Topic

BETTER, WORSE, NO_DIFFERENCE = "better", "worse", "no significant difference"
HIGHER, LOWER = "higher", "lower"  # verdicts where neither is better
NOT_A_MEAN = "the figure of a run is not the mean of its topics' values, and the tests compare those means"
NO_QUALITY = "neither a higher nor a lower value is better: it describes topics or runs, not their quality"


class ComparedRun(NamedTuple):
    """A run beside the baseline. result: its test, None for the baseline itself. verdict: as text."""

    run: Run
    mean: float
    result: AgainstBaseline | None
    span: IntervalBar | None
    verdict: str


class TopicDifference(NamedTuple):
    """A topic. values: of every compared run. difference: of the run in detail and the baseline."""

    topic: Topic
    values: list[float]
    difference: float


class RunComparison(NamedTuple):
    """Some runs on one measure. lines: in the requested order, with the baseline. zero: x coordinate of 0.

    caution: why the tests are less informative here, "" otherwise. counted: the names of the columns that
    count topics.
    """

    lines: list[ComparedRun]
    comparisons: int
    correction: str
    controls: str
    test: str
    zero: str
    topics: list[TopicDifference]
    effects: list[EffectSize]
    plots: list[Plot]
    caution: str
    counted: tuple[str, str, str]


class ComparisonRequest(NamedTuple):
    """The request for a comparison. runs: positions in the score table. baseline, against: in `runs`."""

    runs: list[int]
    baseline: int
    against: int
    test: str
    correction: str
    alpha: float


def run_comparison(
    release: QrelsRelease, table: ScoreTable, measure: Measure, request: ComparisonRequest
) -> RunComparison:
    """Return the comparison of some of the table's runs with one of them."""
    values, means = table.of(measure.name)
    chosen = values[request.runs].T
    results = against_baseline(chosen, request.baseline, request.test, request.correction, measure.direction)
    runs = [table.runs[index] for index in request.runs]
    spans, zero = _spans(results)
    by_index = {result.system: (result, span) for result, span in zip(results, spans, strict=True)}
    lines = [
        _compared(run, means[request.runs[index]], by_index.get(index), request.alpha, measure.direction)
        for index, run in enumerate(runs)
    ]
    first, second = chosen[:, request.against], chosen[:, request.baseline]
    tags = runs[request.against].tag, runs[request.baseline].tag
    return RunComparison(
        lines,
        results[0].comparisons,
        results[0].correction,
        CORRECTIONS[request.correction]([]).controls,
        _name_of(results),
        zero,
        _topics(release, table, chosen, first - second),
        [d_z(first, second), cohens_d(first, second), hedges_g(first, second)],
        [
            plot(measure.name, tags, table.topics, first, second, measure.direction)
            for plot in (differences_plot, scatter_plot)
        ],
        caution_of(measure),
        ("Higher", "Equal", "Lower") if measure.direction == "neither" else ("Wins", "Ties", "Losses"),
    )


def caution_of(measure: Measure) -> str:
    """Return why a test of means is less informative for this measure, "" otherwise."""
    if measure.direction == "neither":
        return NO_QUALITY
    return "" if measure.is_mean else NOT_A_MEAN


def _compared(
    run: Run,
    mean: float,
    result_and_span: tuple[AgainstBaseline, IntervalBar | None] | None,
    alpha: float,
    direction: Direction,
) -> ComparedRun:
    if result_and_span is None:
        return ComparedRun(run, mean, None, None, "")
    test, span = result_and_span
    verdict = verdict_of(test.corrected, test.test.difference or 0.0, alpha, direction)
    return ComparedRun(run, mean, test, span, verdict)


def verdict_of(p: float | None, difference: float, alpha: float, direction: Direction) -> str:
    """Return the verdict of a corrected p. difference: the run's mean less the baseline's."""
    if p is None or p > alpha:
        return NO_DIFFERENCE
    if direction == "neither":
        return HIGHER if difference > 0 else LOWER
    return BETTER if (difference > 0) == (direction == "higher") else WORSE


def _spans(results: Sequence[AgainstBaseline]) -> tuple[list[IntervalBar | None], str]:
    """Return the drawn interval of each difference, and the x coordinate of 0."""
    intervals = [result.test.interval for result in results]
    lows = np.array([interval.low for interval in intervals if interval])
    scale = axis_of(lows, np.array([interval.high for interval in intervals if interval]))
    spans = [
        IntervalBar(
            i.low, i.high, scale.place(i.low), scale.place(i.high), scale.place(result.test.difference or 0.0)
        )
        if i
        else None
        for i, result in zip(intervals, results, strict=True)
    ]
    return spans, scale.place(0.0)


def _topics(
    release: QrelsRelease, table: ScoreTable, values: Matrix, differences: Vector
) -> list[TopicDifference]:
    lines = [
        TopicDifference(topic, values[at].tolist(), float(differences[at]))
        for topic, at in topics_with_places(release, table)
    ]
    return sorted(lines, key=lambda line: -line.difference)


class TestResults(NamedTuple):
    """One test of every run against the baseline, corrected for the number of runs."""

    name: str
    results: list[AgainstBaseline]


def every_test(table: ScoreTable, measure: Measure, request: ComparisonRequest) -> list[TestResults]:
    """Return the results of every paired test for the same runs."""
    chosen = table.of(measure.name)[0][request.runs].T
    lines = []
    for test in PAIRED_TESTS:
        results = against_baseline(chosen, request.baseline, test, request.correction, measure.direction)
        lines.append(TestResults(_name_of(results), results))
    return lines


def _name_of(results: Sequence[AgainstBaseline]) -> str:
    """Return the names of the tests: several if a test was exact for some runs only."""
    names = dict.fromkeys(result.test.name for result in results if not result.test.reason)
    return " or ".join(names) or results[0].test.name
