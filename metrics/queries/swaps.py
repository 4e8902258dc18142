"""The judge swap of a campaign: the scores of every run under every judge's labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from accounts.models import User
from assess.models import QrelsRelease
from assess.queries.agreement import AgreementScope, agreement_scope
from assess.queries.caching import cached
from assess.queries.releases import latest_release
from metrics.evaluate import deepest, values_of
from metrics.hits import Hits
from metrics.index import QrelsIndex
from metrics.judge_swap import JudgeSwap, swap_judges
from metrics.measure import Direction, Measure
from metrics.queries.scores import stored_runs
from metrics.queries.stand_ins import Official, combined, official_qrels, stand_ins
from metrics.ranking import upward
from metrics.regraded import TAKEN_BACK, Regraded, regrade
from pooling.arrays import Flags, IntVector, Matrix
from pooling.models import Campaign, Run
from pooling.queries.runs import docno_table

Result = TypeVar("Result")
SHOWN, ON_DEMAND = 1_000, 100_000  # draws
SEED = 20

NO_RUNS = "there are fewer than two runs"
NO_QRELS = "no document has a label of a person yet"
NO_CHOICE = "no topic has two judges who labelled nine tenths of its official documents"


class Scored(NamedTuple):
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


def scored_by_judges(scope: AgreementScope, measure: Measure) -> Scored:
    """Return every run's score under every judge, cached until a label, a release or a run is added."""
    release = latest_release(scope.campaign)
    return kept_with_runs(scope, "scored", measure, lambda: _scored(scope, release, measure))


def kept_with_runs(scope: AgreementScope, what: str, measure: Measure, make: Callable[[], Result]) -> Result:
    """Return a result computed from labels and runs, cached until a label, a run or a release is added."""
    release = latest_release(scope.campaign)
    last_run = scope.campaign.runs.order_by("-pk").values_list("pk", flat=True).first()
    version = f"{scope.version}-{release.number if release else 0}-{last_run}"
    return cached(scope.campaign, f"{what}-{measure.name}-{scope.name}", version, make)


def judge_swap(found: Scored, draws: int = SHOWN, runs: Sequence[int] | None = None) -> JudgeSwap:
    """Return the swap of judges. runs: positions in `tags`, by default all."""
    columns = list(range(len(found.tags))) if runs is None else list(runs)

    def scores(values: Matrix) -> Matrix:
        return upward(values[..., columns], found.direction)

    return swap_judges(
        scores(found.scores), found.judged, scores(found.official), draws, SEED, found.judges,
        {name: scores(values) for name, values in found.alternatives.items()},
    )  # fmt: skip


def better_half(found: Scored) -> list[int]:
    """Return the better half of the runs by the official ranking: very bad runs make any tau high."""
    order = np.argsort(-upward(found.official.mean(axis=0), found.direction), kind="stable")
    return sorted(order[: (len(order) + 1) // 2].tolist())


def _scored(scope: AgreementScope, release: QrelsRelease | None, measure: Measure) -> Scored:
    campaign = scope.campaign
    official = official_qrels(campaign, release)
    own, topic, given = stand_ins(scope, official), official.topic, official.qrels.grades
    together = combined(own.grades, own.covered[:, topic], given, topic, campaign.threshold)
    alone = np.where(own.covered[:, topic], own.grades, TAKEN_BACK)
    runs = list(campaign.runs.order_by("tag"))
    found = np.stack(_scores(campaign, runs, official, [*alone, given, *together.values()], measure))
    order = np.argsort([number.encode() for number in official.qrels.topics])  # the order of a qrels index
    count = len(own.judges)
    judged = own.covered[:, order]
    return Scored(
        official.name,
        tuple(run.tag for run in runs),
        tuple(official.qrels.topics[place] for place in order.tolist()),
        own.judges,
        np.where(judged[:, :, None], found[:count], 0.0),
        judged,
        found[count],
        dict(zip(together, found[count + 1 :], strict=True)),
        measure.direction,
    )


def _scores(
    campaign: Campaign, runs: Sequence[Run], official: Official, grades: Sequence[IntVector], measure: Measure
) -> list[Matrix]:
    """Return the scores of the runs under each of the grades, (topics, runs), topics in byte order."""
    if not official.qrels.topics:
        return [np.zeros((0, len(runs))) for _ in grades]
    ranked = stored_runs(runs)
    regraded = Regraded(official.qrels, docno_table(campaign))
    indexes = [regraded.index(each) for each in grades]
    if measure.at_ranks and isinstance(measure.cutoff, int):
        tops = [run.top(measure.cutoff) for run in ranked]
        return _scores_at_ranks(
            [regraded.found(top, campaign.threshold) for top in tops], indexes, measure, campaign.threshold
        )
    columns, depth = [], deepest([measure])
    for run in ranked:
        hits = regraded.found(run, campaign.threshold)
        hits = hits.take(np.flatnonzero(hits.rank <= depth))
        columns.append([values_of(regrade(hits, index), [measure])[:, 0] for index in indexes])
    topics = len(official.qrels.topics)
    return [
        np.array([column[place] for column in columns]).reshape(len(columns), topics).T
        for place in range(len(indexes))
    ]


def _scores_at_ranks(
    found: Sequence[Hits], indexes: Sequence[QrelsIndex], measure: Measure, threshold: int
) -> list[Matrix]:
    """Return the same as `_scores`, with the measure's `at_ranks`, which scores all runs at once.

    found: see `Regraded.found`; without hits below the measure's cut-off.
    """
    assert measure.at_ranks and isinstance(measure.cutoff, int)
    rows = np.full((len(found), len(indexes[0].topics), measure.cutoff), -1)  # the last one, appended below
    for ranking, hits in zip(rows, found, strict=True):
        ranking[hits.topic, hits.rank - 1] = hits.grade
    return [
        measure.at_ranks(index, np.append(index.qrels.grades, TAKEN_BACK)[rows], threshold).T
        for index in indexes
    ]


def swap_scope(campaign: Campaign, machines: bool, reader: User | None = None) -> AgreementScope:
    return agreement_scope(campaign, machines=machines, reader=reader)
