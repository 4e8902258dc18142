"""The judge swap of a campaign: runs scored under each judge's labels, and judges scored as if runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import NamedTuple, TypeVar

import numpy as np

from accounts.models import User
from assess.models import QrelsRelease
from assess.queries.agreement import AgreementScope, agreement_scope
from assess.queries.campaign_reads import CampaignReads
from assess.queries.pooled_columns import PooledColumns
from metrics.engine.hits import Settings
from metrics.engine.qrels_index import index_qrels
from metrics.engine.stored_runs import NOT_JUDGED
from metrics.measures.base import Direction, Measure
from metrics.queries.judge_qrels import combined_grades, judge_qrels, official_qrels
from metrics.queries.regraded_scores import regraded_scores
from metrics.rankings.judge_as_run import JudgeAsRun
from metrics.rankings.judge_swap import JudgeSwap, swap_judges
from metrics.rankings.ranking import upward
from pooling.arrays import Flags, Matrix
from pooling.formats.runs import RunFile

Result = TypeVar("Result")
SHOWN, ON_DEMAND = 1_000, 100_000  # draws
SEED = 20

NO_RUNS = "there are fewer than two runs"
NO_QRELS = "no document has a label of a person yet"
NO_CHOICE = "no topic has two judges who labelled nine tenths of its official documents"


class JudgeScores(NamedTuple):
    """The scores of every run under every judge's labels.

    judges: usernames of those who cover a topic. scores: (judges, topics, runs); judged: whether the judge
    covers the topic, (judges, topics); official: (topics, runs); alternatives: name -> (topics, runs).
    direction: which scores are better.
    """

    official_name: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    judges: tuple[str, ...]
    scores: Matrix
    judged: Flags
    official: Matrix
    alternatives: dict[str, Matrix]
    direction: Direction = "higher"

    @property
    def reason(self) -> str:
        """Why no swap is possible, "" otherwise."""
        if len(self.tags) < 2:
            return NO_RUNS
        if not self.topics:
            return NO_QRELS
        return "" if (self.judged.sum(axis=0) > 1).any() else NO_CHOICE


def scores_by_judge(scope: AgreementScope, measure: Measure) -> JudgeScores:
    """Return every run's score under every judge, cached until a label, a release or a run is added."""
    release = scope.reads.latest_release
    return cached_with_runs(scope, "scored", measure, lambda: _scored(scope, release, measure))


def cached_with_runs(
    scope: AgreementScope, what: str, measure: Measure, make: Callable[[], Result]
) -> Result:
    """Return a result computed from labels and runs, cached until a label, a run or a release is added."""
    release = scope.reads.latest_release
    version = f"{scope.version}-{release.number if release else 0}-{scope.reads.runs_version}"
    return scope.reads.cached(f"{what}-{measure.name}-{scope.cache_key}", version, make)


def judge_swap(judge_scores: JudgeScores, draws: int = SHOWN, runs: Sequence[int] | None = None) -> JudgeSwap:
    """Return the swap of judges. runs: positions in `tags`, by default all."""
    columns = list(range(len(judge_scores.tags))) if runs is None else list(runs)

    def scores(values: Matrix) -> Matrix:
        return upward(values[..., columns], judge_scores.direction)

    return swap_judges(
        scores(judge_scores.scores), judge_scores.judged, scores(judge_scores.official),
        draws, SEED, judge_scores.judges,
        {name: scores(values) for name, values in judge_scores.alternatives.items()},
    )  # fmt: skip


def better_half(judge_scores: JudgeScores) -> list[int]:
    """Return the better half of the runs by the official ranking: very bad runs make any tau high."""
    order = np.argsort(-upward(judge_scores.official.mean(axis=0), judge_scores.direction), kind="stable")
    return sorted(order[: (len(order) + 1) // 2].tolist())


def _scored(scope: AgreementScope, release: QrelsRelease | None, measure: Measure) -> JudgeScores:
    campaign = scope.campaign
    official = official_qrels(scope.reads, release)
    own, topic, given = judge_qrels(scope, official), official.topic, official.qrels.grades
    together = combined_grades(own.grades, own.covered[:, topic], given, topic, campaign.threshold)
    alone = np.where(own.covered[:, topic], own.grades, NOT_JUDGED)
    runs = list(campaign.runs.ranked().order_by("tag"))
    scores = np.stack(
        regraded_scores(
            scope.reads, runs, official, [*alone, given, *together.values()], measure, campaign.threshold
        )
    )
    order = np.argsort([number.encode() for number in official.qrels.topics])  # the order of a qrels index
    count = len(own.judges)
    judged = own.covered[:, order]
    return JudgeScores(
        official.name,
        tuple(run.tag for run in runs),
        tuple(official.qrels.topics[index] for index in order.tolist()),
        own.judges,
        np.where(judged[:, :, None], scores[:count], 0.0),
        judged,
        scores[count],
        dict(zip(together, scores[count + 1 :], strict=True)),
        measure.direction,
    )


def swap_scope(reads: CampaignReads, machines: bool, reader: User | None = None) -> AgreementScope:
    return agreement_scope(reads, machines=machines, reader=reader)


MOST_JUDGES = 6


class HumanCeiling(NamedTuple):
    """A judge scored as if a run, by another judge's labels, over the topics that both cover.

    expected: over random orders of the documents of equal grade; worst, best: of them. run, run_score: the
    best run by the same labels.
    """

    judge: str
    against: str
    topics: int
    worst: float
    expected: float
    best: float
    run: str
    run_score: float


def human_ceilings(scope: AgreementScope, measure: Measure) -> list[HumanCeiling]:
    """Score the MOST_JUDGES judges who cover most topics as if they were runs, by each other's labels."""
    judge_scores = scores_by_judge(scope, measure)
    return cached_with_runs(scope, "ceilings", measure, lambda: _human_ceilings(scope, judge_scores, measure))


def _human_ceilings(scope: AgreementScope, judge_scores: JudgeScores, measure: Measure) -> list[HumanCeiling]:
    if len(judge_scores.judges) < 2:
        return []
    official = official_qrels(scope.reads, scope.reads.latest_release)
    grades = judge_qrels(scope, official).grades
    most = np.argsort(-judge_scores.judged.sum(axis=1), kind="stable")[:MOST_JUDGES].tolist()
    documents = scope.reads.pooled
    index, setting = index_qrels(official.qrels), Settings(relevance=scope.campaign.threshold)
    judges = {
        row: JudgeAsRun(judge_as_run(scope, judge_scores.judges[row], documents), index, setting)
        for row in most
    }
    ceilings = []
    for row, other in permutations(most, 2):
        shared = np.flatnonzero(judge_scores.judged[row] & judge_scores.judged[other])
        topics = tuple(judge_scores.topics[index] for index in shared.tolist())
        if not topics:
            continue
        given = replace(official.qrels, grades=grades[other])
        report = judges[row].against(given, topics, [measure])
        means = judge_scores.scores[other, shared].mean(axis=0)
        best = int(upward(means, measure.direction).argmax())
        names = judge_scores.judges[row], judge_scores.judges[other]
        bounds = float(report.worst[0]), float(report.expected[0]), float(report.best[0])
        ceilings.append(
            HumanCeiling(*names, len(topics), *bounds, judge_scores.tags[best], float(means[best]))
        )
    return ceilings


def judge_as_run(scope: AgreementScope, judge: str, documents: PooledColumns) -> RunFile:
    """Return a judge's labels as a run: the graded documents, with the grade as score, best first."""
    labels = scope.labels
    own = labels.places[labels.judges.index(judge)]
    rows = np.flatnonzero(own >= 0)
    rows = rows[np.lexsort((-own[rows], labels.topic[rows]))]
    places = np.searchsorted(documents.pk, np.array(labels.items, dtype=np.int64)[rows])
    codes, counts = np.unique(labels.topic[rows], return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    topics = tuple(labels.topics[code] for code in codes.tolist())
    return RunFile(
        judge, topics, offsets, documents.docno[places], np.array(labels.scale)[own[rows]].astype(float)
    )
