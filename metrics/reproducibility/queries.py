"""A run of a release against the one that it reproduces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from assess.models import QrelsRelease
from metrics.comparison_plots import differences_plot, scatter_plot
from metrics.measures.base import Measure
from metrics.plots import Plot
from metrics.queries.scores import ScoreTable, stored_runs, topics_with_places
from metrics.reproducibility.replicas import (
    PERSISTENCE,
    DocumentOrders,
    Experiment,
    TopicOrder,
    document_orders,
    effect_ratio,
    relative_delta,
    rmse,
)
from metrics.significance.paired import EffectSize, PairedTest, paired_t_test
from pooling.models import Run, Topic

COLUMNS = "measure", "original", "replica", "rmse", "p", "effect_ratio", "relative_delta"
TOPIC_COLUMNS = "topic", "original", "replica", "common_documents", "tau_union", "rbo"


class ChosenRuns(NamedTuple):
    """The runs to compare. baselines: that of the original and its replica, None without."""

    original: Run
    replica: Run
    baselines: tuple[Run, Run] | None


class MeasureLine(NamedTuple):
    """A measure. test, ratio, delta: None where a run's score is not a mean over topics; the last two also
    without baselines."""

    measure: Measure
    original: float
    replica: float
    rmse: float | None
    test: PairedTest | None
    ratio: EffectSize | None
    delta: EffectSize | None

    @property
    def difference(self) -> float:
        return self.replica - self.original


class TopicLine(NamedTuple):
    """A topic, with the scores of both runs. order: of their documents, None if a run has none."""

    topic: Topic
    original: float
    replica: float
    order: TopicOrder | None

    @property
    def difference(self) -> float:
        return self.replica - self.original


class ReproducedRun(NamedTuple):
    """A replica against its original. lead: the line of the measure by which topics are shown."""

    lead: MeasureLine
    lines: list[MeasureLine]
    orders: DocumentOrders
    topics: list[TopicLine]
    plots: list[Plot]

    @property
    def rows(self) -> Iterator[dict[str, Any]]:
        """The measures by COLUMNS; an undefined figure is None."""
        for line in self.lines:
            figures = (
                line.test and line.test.p,
                line.ratio and line.ratio.value,
                line.delta and line.delta.value,
            )
            values = (line.measure.name, line.original, line.replica, line.rmse, *figures)
            yield dict(zip(COLUMNS, values, strict=True))

    @property
    def topic_rows(self) -> Iterator[dict[str, Any]]:
        """The topics by TOPIC_COLUMNS."""
        for line in self.topics:
            order = line.order
            of_documents = (order.common, order.tau, order.rbo) if order else (None, None, None)
            values = (line.topic.number, line.original, line.replica, *of_documents)
            yield dict(zip(TOPIC_COLUMNS, values, strict=True))


def reproduced_run(
    release: QrelsRelease,
    table: ScoreTable,
    measures: Sequence[Measure],
    lead: Measure,
    chosen: ChosenRuns,
    depth: int,
) -> ReproducedRun:
    """Return the comparison. table: with the chosen runs. depth: how many documents of a topic count."""
    lines = [_line(table, measure, chosen) for measure in measures]
    orders = _orders(table, chosen, depth)
    first, second = (table.of(lead.name)[0][table.runs.index(run)] for run in chosen[:2])
    topics = [
        TopicLine(topic, float(first[at]), float(second[at]), orders.by_topic.get(topic.number))
        for topic, at in topics_with_places(release, table)
    ]
    tags = chosen.replica.tag, chosen.original.tag
    return ReproducedRun(
        next(line for line in lines if line.measure.name == lead.name),
        lines,
        orders,
        sorted(topics, key=lambda line: -abs(line.difference)),
        [
            plot(lead.name, tags, table.topics, second, first, lead.direction)
            for plot in (scatter_plot, differences_plot)
        ],
    )


def _line(table: ScoreTable, measure: Measure, chosen: ChosenRuns) -> MeasureLine:
    values, means = table.of(measure.name)
    at = [table.runs.index(run) for run in (*chosen[:2], *(chosen.baselines or ()))]
    first, second = values[at[0]], values[at[1]]
    experiments = None
    if measure.is_mean and chosen.baselines:
        experiments = Experiment(first, values[at[2]]), Experiment(second, values[at[3]])
    return MeasureLine(
        measure,
        means[at[0]],
        means[at[1]],
        rmse(first, second),
        paired_t_test(first, second) if measure.is_mean else None,
        effect_ratio(*experiments) if experiments else None,
        relative_delta(*experiments) if experiments else None,
    )


def _orders(table: ScoreTable, chosen: ChosenRuns, depth: int) -> DocumentOrders:
    """Return the order of documents in both runs, on the topics of the table."""
    wanted, documents = set(table.topics), []
    for stored in stored_runs(chosen[:2]):
        run = stored.top(depth)
        ids, offsets = run.ids.tolist(), run.offsets.tolist()
        documents.append(
            {
                topic: ids[offsets[at] : offsets[at + 1]]
                for at, topic in enumerate(run.topics)
                if topic in wanted
            }
        )
    original, replica = documents
    return document_orders(original, replica, depth, PERSISTENCE)
