"""The ranking of runs of machine judges against the people's labels of a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache as once
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.judge_runs.queries import evaluated_judge_runs, judge_run_lines, sees_every_group
from assess.models import JudgeRun, QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from metrics.engine.stored_runs import NOT_JUDGED
from metrics.judge_runs.ranking import InducedOrder, LabelAgreement, Labels, induced_order, label_agreement
from metrics.measures.base import Measure
from metrics.queries.judge_qrels import OfficialQrels, official_qrels
from metrics.queries.regraded_scores import regraded_scores
from metrics.queries.scores import public_runs, threshold_of, without_late_runs
from pooling.formats.files import BadFile
from pooling.models import Run
from pooling.queries.caching import cached

KAPPA, BINARY, TAU = "kappa", "binary", "tau"
ORDERS = {KAPPA: "kappa, all grades", BINARY: "kappa, relevant or not", TAU: "Kendall's tau of the runs"}


class Figures(NamedTuple):
    """The figures of one file. order: None for a person who may not see the scores of all runs."""

    agreement: LabelAgreement
    order: InducedOrder | None


class JudgeRunRow(NamedTuple):
    """A row of the ranking. figures: None if the stored file cannot be read. dropped: tag of a run, or ""."""

    judge_run: JudgeRun
    figures: Figures | None
    late: int | None
    dropped: str


class JudgeRunRanking(NamedTuple):
    """The runs of machine judges that a person may see, best first by `order`.

    documents: judged by people in the release. runs: the number of runs that are ordered. machines: number of
    machine judges whose labels the release uses: its lines are then not of people alone. sees_orders: whether
    this person may see the orders of runs.
    """

    rows: list[JudgeRunRow]
    order: str
    documents: int
    runs: int
    sees_orders: bool
    machines: int

    @property
    def late(self) -> bool:
        """Whether a file was submitted after a release was shared."""
        return any(row.late is not None for row in self.rows)


def judge_run_ranking(user: User, release: QrelsRelease, measure: Measure, order: str) -> JudgeRunRanking:
    """Return the ranking for this person. order: one of ORDERS."""
    seen = evaluated_judge_runs(user, release)
    sees_orders = sees_every_group(release)
    order = order if sees_orders or order != TAU else KAPPA
    runs = without_late_runs(public_runs(release))
    figures_by_key = _figures(release, measure, runs) if seen else {}
    rows = [_row(judge_run, figures_by_key.get(judge_run.pk), runs, sees_orders) for judge_run in seen]
    rows.sort(key=lambda row: _sort_key(row, order))
    documents = next((figures.agreement.documents for figures in figures_by_key.values()), 0)
    machines = len(release.manifest.get("machines", []))
    return JudgeRunRanking(rows, order, documents, len(runs), sees_orders, machines)


def _row(judge_run: JudgeRun, figures: Figures | None, runs: Sequence[Run], sees_orders: bool) -> JudgeRunRow:
    late = getattr(judge_run, "after_release", None)
    if figures is None or figures.order is None:
        return JudgeRunRow(judge_run, figures, late, "")
    dropped = runs[figures.order.dropped].tag if figures.order.dropped >= 0 else ""
    if not sees_orders:
        return JudgeRunRow(judge_run, figures._replace(order=None), late, "")
    return JudgeRunRow(judge_run, figures, late, dropped)


def _sort_key(row: JudgeRunRow, order: str) -> tuple[bool, bool, float, str]:
    """Late files stand below the others, and files without a value at the end of their part."""
    value = _sorted_by(row.figures, order) if row.figures else None
    return row.late is not None, value is None, -(value or 0.0), row.judge_run.tag


def _sorted_by(figures: Figures, order: str) -> float | None:
    if order == TAU:
        return figures.order.tau.value if figures.order else None
    return (figures.agreement.binary if order == BINARY else figures.agreement.kappa).value


def _figures(release: QrelsRelease, measure: Measure, runs: Sequence[Run]) -> dict[int, Figures]:
    """Return key -> figures of every file that is not withdrawn; cached until a file or a run is added."""
    campaign, reads = release.campaign, CampaignReads(release.campaign)
    judge_runs = list(campaign.judge_runs.active().order_by("pk"))
    files = tuple((judge_run.pk, judge_run.sha256, judge_run.group) for judge_run in judge_runs)
    version = release.sha256, files, reads.runs_version, tuple(run.pk for run in runs)
    name = f"judge-runs-{release.number}-{measure.name}"
    return reads.cached(name, version, lambda: _computed(reads, release, measure, runs, judge_runs))


def _computed(
    reads: CampaignReads,
    release: QrelsRelease,
    measure: Measure,
    runs: Sequence[Run],
    judge_runs: Sequence[JudgeRun],
) -> dict[int, Figures]:
    campaign, threshold = release.campaign, threshold_of(release)
    official = official_qrels(reads, release)
    people, row_of = official.qrels.grades, once(lambda: _rows_of(official))
    labels = {judge_run.pk: _labels(judge_run, release, row_of, len(people)) for judge_run in judge_runs}
    readable = {pk: run_labels for pk, run_labels in labels.items() if run_labels is not None}
    scale = [grade.value for grade in campaign.grades]
    given = [people, *(run_labels.grades for run_labels in readable.values())]
    scores = regraded_scores(reads, runs, official, given, measure, threshold)
    means = [matrix.mean(axis=0) if len(matrix) else np.zeros(len(runs)) for matrix in scores]
    groups = {judge_run.pk: judge_run.group for judge_run in judge_runs}
    figures = {}
    for (pk, run_labels), induced in zip(readable.items(), means[1:], strict=True):
        own = np.array([bool(run.group) and run.group == groups[pk] for run in runs], dtype=bool)
        order = induced_order(means[0], induced, measure.direction, own)
        figures[pk] = Figures(label_agreement(people, run_labels, scale, threshold), order)
    return figures


RowOf = dict[tuple[str, str], int]


def _rows_of(official: OfficialQrels) -> RowOf:
    """Return (topic, docno) -> row of the qrels."""
    topics = [official.qrels.topics[index] for index in official.topic.tolist()]
    docnos = [docno.decode() for docno in official.qrels.docnos.tolist()]
    return {pair: row for row, pair in enumerate(zip(topics, docnos, strict=True))}


def _labels(
    judge_run: JudgeRun, release: QrelsRelease, row_of: Callable[[], RowOf], count: int
) -> Labels | None:
    """Return the labels of a file on the documents of a release, cached by both; None if it is unreadable."""
    version = judge_run.sha256, release.sha256
    name = f"judge-run-{judge_run.pk}-{release.number}"
    try:
        return cached(judge_run.campaign, name, version, lambda: _read_labels(judge_run, row_of(), count))
    except (OSError, BadFile):
        return None


def _read_labels(judge_run: JudgeRun, row_of: RowOf, count: int) -> Labels:
    lines = judge_run_lines(judge_run)
    grades, confidences = np.full(count, NOT_JUDGED), np.zeros(count)
    rows = np.array([row_of.get(pair, -1) for pair in zip(lines.topics, lines.docnos, strict=True)])
    known = rows >= 0
    grades[rows[known]] = lines.grades[known]
    confidences[rows[known]] = lines.confidences[known]
    return Labels(grades, confidences)
