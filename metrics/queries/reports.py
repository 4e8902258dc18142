"""A run's report: its rank among the other runs, its curves, its bounds, its ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assess.models import QrelsRelease
from assess.queries.caching import cached
from metrics.boards import TOO_EQUAL, UNJUDGED, Span, shown_ranks, spans_of
from metrics.bounds import ScoreBounds, score_bounds
from metrics.confusion import Table, macro, micro, tables_at
from metrics.curves import RECALL_LEVELS, at_ranks, gain_curves, mean_roc
from metrics.hits import Hits, Setting
from metrics.measure import BadMeasure, Measure
from metrics.measures.collection import area_under_roc
from metrics.plots import (
    Plot,
    against_field_plot,
    at_ranks_plot,
    gain_plot,
    ndcg_plot,
    precision_recall_plot,
    roc_plot,
)
from metrics.queries.scores import (
    PROFILE,
    Field,
    hits_of,
    means_of,
    numbered_index,
    threshold_of,
    topics_with_places,
)
from metrics.ranking import ranks
from metrics.registry import parse_measures
from metrics.ties import TieReport, tie_report
from pooling.arrays import Matrix
from pooling.formats.runs import RunFile
from pooling.models import Run, Topic
from pooling.queries.runs import docno_table, run_columns

CURVE = parse_measures(" ".join(f"ExactIPrec@{level}" for level in RECALL_LEVELS))
GAIN_DEPTH = 100
WEAKEST = 10  # the number of weakest topics in a report


class Figure(NamedTuple):
    """A run's mean on a measure. rank: None if no value of the measure is better than another."""

    measure: Measure
    mean: float
    rank: int | None


class AgainstField(NamedTuple):
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


class Decided(NamedTuple):
    """The confusion matrix at a cut-off. total: summed over topics. size: of the collection, if known."""

    cutoff: int | None
    size: int | None
    total: Table
    figures: list[tuple[str, float | None, float | None]]


class RunReport(NamedTuple):
    """The report of a run. no_interval, no_roc: why there is none, "" otherwise."""

    lead: Measure
    figures: list[Figure]
    span: Span | None
    no_interval: str
    lines: list[AgainstField]
    weakest: list[AgainstField]
    plots: dict[str, Plot]
    no_roc: str
    bounds: ScoreBounds
    decided: Decided


def run_report(
    release: QrelsRelease, run: Run, table: Field, lead: Measure, cutoff: int | None, size: int | None
) -> RunReport:
    """Return the report of a run.

    table: scored on the measures that are shown. cutoff: of the confusion matrix, None for everything
    retrieved. size: the number of documents in the collection, None if unknown.
    """
    hits, shown = hits_of(release, run), table.measures
    own = [each.pk for each in table.runs].index(run.pk)
    values, means = table.of(lead.name)
    span, no_interval = _interval_of(lead, values, means, own)
    lines = against_field(release, table, shown, lead, own)
    curves = means_of(release, table.runs, CURVE).T
    plots = _plots(run, table, lead, own, hits, curves)
    try:
        plots |= _roc(hits, size)
        no_roc = "" if size else "the size of the collection is not known"
        confusion = decided_at(hits, cutoff, size)
    except BadMeasure as error:
        no_roc, confusion = str(error), decided_at(hits, cutoff, None)
    return RunReport(
        lead,
        [_figure(table, measure, own) for measure in shown],
        span,
        no_interval,
        lines,
        weakest(lines, lead),
        plots,
        no_roc,
        score_bounds(
            hits,
            [each for each in shown if each.name != UNJUDGED],
            max(grade["value"] for grade in release.manifest["scale"]),
        ),
        confusion,
    )


def _figure(table: Field, measure: Measure, own: int) -> Figure:
    means = table.of(measure.name)[1]
    return Figure(measure, means[own], shown_ranks(means, measure)[own])


def weakest(lines: Sequence[AgainstField], lead: Measure) -> list[AgainstField]:
    """Return the topics where the run is furthest behind the median; none if no value is better."""
    if lead.direction == "neither":
        return []
    sign = -1 if lead.direction == "lower" else 1
    return sorted(lines, key=lambda line: sign * line.difference)[:WEAKEST]


def _interval_of(lead: Measure, values: Matrix, means: Sequence[float], own: int) -> tuple[Span | None, str]:
    spans = spans_of(lead, values, means)
    if isinstance(spans, str):
        return None, spans
    span = spans[0][own]
    return span, "" if span else TOO_EQUAL


def against_field(
    release: QrelsRelease, table: Field, shown: Sequence[Measure], lead: Measure, own: int
) -> list[AgainstField]:
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
        lines.append(AgainstField(topic, value, *others, [column[at] for column in mine]))
    return lines


def _plots(run: Run, table: Field, lead: Measure, own: int, hits: Hits, curves: Matrix) -> dict[str, Plot]:
    values, _ = table.of(lead.name)
    longest, gains = int(hits.retrieved.max(initial=1)), gain_curves(hits, GAIN_DEPTH)
    return {
        "by_topic": against_field_plot(run.tag, lead.name, table.topics, values[own], values),
        "curve": precision_recall_plot(run.tag, curves[own], curves, len(table.topics)),
        "raw": at_ranks_plot(at_ranks(hits, max(longest, 1))),
        "gain": gain_plot(gains),
        "ndcg": ndcg_plot(gains),
    }


def _roc(hits: Hits, size: int | None) -> dict[str, Plot]:
    if size is None:
        return {}
    curve = mean_roc(hits, size)
    areas = area_under_roc(hits, N=size)[hits.relevant().total > 0]
    return {"roc": roc_plot(curve, float(areas.mean()), size)} if curve.topics else {}


def decided_at(hits: Hits, cutoff: int | None, size: int | None) -> Decided:
    """Return the confusion matrix at a cut-off, with macro and micro averages of its measures."""
    tables = tables_at(hits, cutoff, size)
    total = sum(tables, Table(0, 0, 0, 0))
    named = [
        ("precision", lambda table: table.precision),
        ("recall", lambda table: table.recall),
        ("F1", lambda table: table.f()),
    ]
    if size is not None:
        named += [("accuracy", lambda table: table.accuracy), ("fallout", lambda table: table.fallout)]
    return Decided(
        cutoff, size, total, [(name, macro(tables, read), micro(tables, read)) for name, read in named]
    )


def tie_report_of(release: QrelsRelease, run: Run, measures: Sequence[Measure]) -> TieReport:
    """Return the tie report of a run, cached for good: runs and releases never change."""

    def compute() -> TieReport:
        columns = run_columns(run)
        names = docno_table(release.campaign).docnos(columns.ids.astype(np.int64))
        as_file = RunFile(run.tag, columns.topics, columns.offsets, names, columns.scores)
        setting = Setting(PROFILE, threshold_of(release))
        report = tie_report(as_file, numbered_index(release).index, measures, setting)
        return replace(report, measures=())  # measures hold functions, which cannot be pickled

    version = release.sha256, threshold_of(release), run.sha256, [measure.name for measure in measures]
    found = cached(release.campaign, f"ties-{release.number}-{run.pk}", version, compute)
    return replace(found, measures=tuple(measures))
