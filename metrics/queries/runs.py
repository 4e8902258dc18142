"""A run's report: its rank among the other runs, curves, bounds and ties, and its documents for one topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assess.models import QrelsRelease
from metrics.engine.bounds import ScoreBounds, score_bounds
from metrics.engine.confusion import ContingencyTable, contingency_tables, macro_average, micro_average
from metrics.engine.curves import (
    RECALL_LEVELS,
    eleven_points,
    gain_curves,
    mean_roc,
    precision_recall_at_ranks,
)
from metrics.engine.hits import Hits, Settings
from metrics.engine.ties import TieReport, tie_report
from metrics.leaderboard import UNJUDGED, IntervalBar, interval_bars, shown_ranks
from metrics.measures.base import BadMeasure, Measure
from metrics.measures.collection import area_under_roc
from metrics.measures.names import parse_measures
from metrics.measures.textbook import recall_precision_points
from metrics.plots import (
    Plot,
    against_field_plot,
    gain_plot,
    ndcg_plot,
    precision_recall_plot,
    raw_precision_recall_plot,
    roc_plot,
    topic_curve_plot,
)
from metrics.queries.scores import (
    PROFILE,
    ScoreTable,
    hits_of,
    mean_scores,
    numbered_index,
    threshold_of,
    topics_with_places,
)
from metrics.rankings.ranking import ranks
from metrics.significance.intervals import why_no_interval
from pooling.arrays import Matrix
from pooling.formats.runs import RunFile
from pooling.models import Run, Topic
from pooling.queries.caching import cached
from pooling.queries.runs import docno_table, run_columns

CURVE = parse_measures(" ".join(f"ExactIPrec@{level}" for level in RECALL_LEVELS))
GAIN_DEPTH = 100
WEAKEST = 10  # the number of weakest topics in a report


class RunFigure(NamedTuple):
    """A run's mean on a measure. rank: None if no value of the measure is better than another."""

    measure: Measure
    mean: float
    rank: int | None


class TopicComparison(NamedTuple):
    """A topic: the run's value on each measure, and on the leading measure the values of all runs.

    rank: None if no value of the leading measure is better than another.
    """

    topic: Topic
    value: float
    low: float
    median: float
    high: float
    difference: float
    rank: int | None
    values: list[float]


class ConfusionReport(NamedTuple):
    """The confusion matrix at a cut-off. total: summed over topics. size: of the collection, if known."""

    cutoff: int | None
    size: int | None
    total: ContingencyTable
    figures: list[tuple[str, float | None, float | None]]


class RunReport(NamedTuple):
    """The report of a run. no_interval, no_roc: why there is none, "" otherwise."""

    lead: Measure
    figures: list[RunFigure]
    span: IntervalBar | None
    no_interval: str
    lines: list[TopicComparison]
    weakest: list[TopicComparison]
    plots: dict[str, Plot]
    no_roc: str
    bounds: ScoreBounds
    confusion: ConfusionReport


def run_report(
    release: QrelsRelease, run: Run, table: ScoreTable, lead: Measure, cutoff: int | None, size: int | None
) -> RunReport:
    """Return the report of a run.

    table: scored on the measures that are shown. cutoff: of the confusion matrix, None for everything
    retrieved. size: the number of documents in the collection, None if unknown.
    """
    hits, shown = hits_of(release, run), table.measures
    own = [other.pk for other in table.runs].index(run.pk)
    values, means = table.of(lead.name)
    span, no_interval = _interval_of(lead, values, means, own)
    lines = topic_comparisons(release, table, shown, lead, own)
    curves = mean_scores(release, table.runs, CURVE).T
    plots = _plots(run, table, lead, own, hits, curves)
    try:
        plots |= _roc(hits, size)
        no_roc = "" if size else "the size of the collection is not known"
        confusion = confusion_report(hits, cutoff, size)
    except BadMeasure as error:
        no_roc, confusion = str(error), confusion_report(hits, cutoff, None)
    return RunReport(
        lead,
        [_figure(table, measure, own) for measure in shown],
        span,
        no_interval,
        lines,
        weakest_topics(lines, lead),
        plots,
        no_roc,
        score_bounds(
            hits,
            [measure for measure in shown if measure.name != UNJUDGED],
            max(grade["value"] for grade in release.manifest["scale"]),
        ),
        confusion,
    )


def _figure(table: ScoreTable, measure: Measure, own: int) -> RunFigure:
    means = table.of(measure.name)[1]
    return RunFigure(measure, means[own], shown_ranks(means, measure)[own])


def weakest_topics(lines: Sequence[TopicComparison], lead: Measure) -> list[TopicComparison]:
    """Return the topics where the run is furthest behind the median; none if no value is better."""
    if lead.direction == "neither":
        return []
    sign = -1 if lead.direction == "lower" else 1
    return sorted(lines, key=lambda line: sign * line.difference)[:WEAKEST]


def _interval_of(
    lead: Measure, values: Matrix, means: Sequence[float], own: int
) -> tuple[IntervalBar | None, str]:
    spans = interval_bars(lead, values, means)
    if isinstance(spans, str):
        return None, spans
    span = spans[0][own]
    return span, "" if span else why_no_interval(values[own], lead.low, lead.high)


def topic_comparisons(
    release: QrelsRelease, table: ScoreTable, shown: Sequence[Measure], lead: Measure, own: int
) -> list[TopicComparison]:
    """Return the release's topics in campaign order."""
    values, _ = table.of(lead.name)
    low, median, high = np.quantile(values, [0, 0.5, 1], axis=0).tolist()
    places: list[int | None] = [None] * len(table.topics)
    if lead.direction != "neither":
        places = ranks(values, lead.direction)[own].tolist()
    mine = [table.of(measure.name)[0][own].tolist() for measure in shown]
    lines = []
    for topic, at in topics_with_places(release, table):
        value = float(values[own, at])
        others = low[at], median[at], high[at], value - median[at], places[at]
        lines.append(TopicComparison(topic, value, *others, [column[at] for column in mine]))
    return lines


def _plots(
    run: Run, table: ScoreTable, lead: Measure, own: int, hits: Hits, curves: Matrix
) -> dict[str, Plot]:
    values, _ = table.of(lead.name)
    longest, gains = int(hits.retrieved.max(initial=1)), gain_curves(hits, GAIN_DEPTH)
    return {
        "by_topic": against_field_plot(run.tag, lead.name, table.topics, values[own], values),
        "curve": precision_recall_plot(run.tag, curves[own], curves, len(table.topics)),
        "raw": raw_precision_recall_plot(precision_recall_at_ranks(hits, max(longest, 1))),
        "gain": gain_plot(gains),
        "ndcg": ndcg_plot(gains),
    }


def _roc(hits: Hits, size: int | None) -> dict[str, Plot]:
    if size is None:
        return {}
    curve = mean_roc(hits, size)
    areas = area_under_roc(hits, N=size)[hits.relevant().total > 0]
    return {"roc": roc_plot(curve, float(areas.mean()), size)} if curve.topics else {}


def confusion_report(hits: Hits, cutoff: int | None, size: int | None) -> ConfusionReport:
    """Return the confusion matrix at a cut-off, with macro and micro averages of its measures."""
    tables = contingency_tables(hits, cutoff, size)
    total = sum(tables, ContingencyTable(0, 0, 0, 0))
    named = [
        ("precision", lambda table: table.precision),
        ("recall", lambda table: table.recall),
        ("F1", lambda table: table.f()),
    ]
    if size is not None:
        named += [("accuracy", lambda table: table.accuracy), ("fallout", lambda table: table.fallout)]
    return ConfusionReport(
        cutoff,
        size,
        total,
        [(name, macro_average(tables, read), micro_average(tables, read)) for name, read in named],
    )


def tie_report_of(release: QrelsRelease, run: Run, measures: Sequence[Measure]) -> TieReport:
    """Return the tie report of a run, cached for good: runs and releases never change."""

    def compute() -> TieReport:
        columns = run_columns(run)
        names = docno_table(release.campaign).docnos(columns.ids.astype(np.int64))
        as_file = RunFile(run.tag, columns.topics, columns.offsets, names, columns.scores)
        setting = Settings(PROFILE, threshold_of(release))
        report = tie_report(as_file, numbered_index(release).index, measures, setting)
        return replace(report, measures=())  # measures hold functions, which cannot be pickled

    version = release.sha256, threshold_of(release), run.sha256, [measure.name for measure in measures]
    report = cached(release.campaign, f"ties-{release.number}-{run.pk}", version, compute)
    return replace(report, measures=tuple(measures))


class RetrievedDocument(NamedTuple):
    """A document of the list. grade: None if unjudged. tied: whether a neighbour has the same score."""

    rank: int
    docno: str
    score: float
    grade: int | None
    tied: bool


class TopicStanding(NamedTuple):
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

    documents: list[RetrievedDocument]
    total: int
    holes: int
    relevant: int
    found_of: int
    standings: list[TopicStanding]
    plot: Plot


def topic_report(release: QrelsRelease, run: Run, table: ScoreTable, topic: str) -> TopicReport:
    """Return the report of a run on a topic of the release."""
    documents = retrieved_documents(release, run, topic)
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


def standings(table: ScoreTable, run: Run, at: int) -> list[TopicStanding]:
    """Return the run's value and rank on each measure. at: the position of the topic in the table."""
    own = [other.pk for other in table.runs].index(run.pk)
    standings = []
    for measure, values in zip(table.measures, table.values, strict=True):
        if measure.name == UNJUDGED:  # it describes the judgments, not the run
            continue
        column = values[:, at]
        low, median, high = np.quantile(column, [0, 0.5, 1]).tolist()
        rank = shown_ranks(column.tolist(), measure)[own]
        standings.append(TopicStanding(measure, float(column[own]), low, median, high, rank))
    return standings


def retrieved_documents(release: QrelsRelease, run: Run, topic: str) -> list[RetrievedDocument]:
    """Return a run's documents of a topic in scoring order; none where it lacks the topic."""
    columns = run_columns(run)
    if topic not in columns.topics:
        return []
    index = columns.topics.index(topic)
    rows = slice(int(columns.offsets[index]), int(columns.offsets[index + 1]))
    scores = columns.scores[columns.scoring] if len(columns.scoring) else columns.scores
    names = docno_table(release.campaign).docnos(columns.scored_ids[rows].astype(np.int64))
    grades = grades_of(release, topic)
    compared = scores[rows].astype(np.float32)  # as the profile compares them
    same = np.append(compared[1:] == compared[:-1], False)
    tied = same | np.append(False, same[:-1])
    shown = zip(names.tolist(), scores[rows].tolist(), tied.tolist(), strict=True)
    return [
        RetrievedDocument(rank, name.decode(), score, grades.get(name), is_tied)
        for rank, (name, score, is_tied) in enumerate(shown, start=1)
    ]


def grades_of(release: QrelsRelease, topic: str) -> dict[bytes, int]:
    """Return docno -> grade of one topic; a negative grade is no judgment."""
    qrels = numbered_index(release).index.qrels
    index = qrels.topics.index(topic)
    rows = slice(int(qrels.offsets[index]), int(qrels.offsets[index + 1]))
    pairs = zip(qrels.docnos[rows].tolist(), qrels.grades[rows].tolist(), strict=True)
    return {docno: grade for docno, grade in pairs if grade >= 0}
