"""Would other judges have ranked the runs otherwise? The labels of a campaign, made ready for the swap."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import NamedTuple, TypeVar

import numpy as np
from django.core.cache import cache

from assess.models import QrelsRelease
from assess.queries import Scope, latest_release, scope_of_agreement
from assess.queries.keeping import HOUR, kept
from assess.queries.pooled_columns import pooled_columns
from metrics.evaluate import values_of
from metrics.hits import Setting
from metrics.human_ceiling import human_ceiling
from metrics.judge_swap import JudgeSwap, Values, swap_judges
from metrics.measure import Measure
from metrics.queries.scores import scored
from metrics.queries.stand_ins import Official, combined, official_qrels, stand_ins
from metrics.regraded import TAKEN_BACK, Regraded, regrade
from pooling.columns import Flags, IntVector
from pooling.models import Campaign
from pooling.queries import docno_table

Grades = dict[str, dict[str, int]]  # topic -> docno -> grade

Kept = TypeVar("Kept")
SHOWN, ON_DEMAND = 1_000, 100_000  # draws
SEED = 20
MOST_CEILINGS = 6  # judges that are scored as if they were runs

NO_RUNS = "there are fewer than two runs"
NO_QRELS = "no document has a label of a person yet"
NO_CHOICE = "no topic has two judges who labelled nine tenths of its official documents"


class Scored(NamedTuple):
    """Every run under every judge.

    judges: usernames of those who cover a topic. scores: (judges, topics, runs); judged: which of them covers
    which topic, (judges, topics); official: (topics, runs); alternatives: name -> (topics, runs).
    """

    official_name: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    judges: tuple[str, ...]
    scores: Values
    judged: Flags
    official: Values
    alternatives: dict[str, Values]

    @property
    def reason(self) -> str:
        """Why there is nothing to swap, "" where there is."""
        if len(self.tags) < 2:
            return NO_RUNS
        if not self.topics:
            return NO_QRELS
        return "" if (self.judged.sum(axis=0) > 1).any() else NO_CHOICE


Bounds = tuple[float, float, float]
"""A measure under the worst order of equal grades, over all of them, and under the best."""


class Ceiling(NamedTuple):
    """A judge scored as if a run, by another one's labels, over the topics that both cover.

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


def scored_by_judges(scope: Scope, measure: Measure) -> Scored:
    """Return every run's score under every judge, kept until a label, a release or a run comes in."""
    release = latest_release(scope.campaign)
    return _kept(scope, "scored", measure, lambda: _scored(scope, release, measure))


def _kept(scope: Scope, what: str, measure: Measure, make: Callable[[], Kept]) -> Kept:
    release = latest_release(scope.campaign)
    last_run = scope.campaign.runs.order_by("-pk").values_list("pk", flat=True).first()
    stamp = f"{scope.stamp}-{release.number if release else 0}-{last_run}"
    return kept(scope.campaign, f"{what}-{measure.name}-{scope.name}", stamp, make)


def judge_swap(found: Scored, draws: int = SHOWN, runs: Sequence[int] | None = None) -> JudgeSwap:
    """Return the swap of judges; over some of the runs, as places in `tags`, where that is asked for."""
    kept_runs = list(range(len(found.tags))) if runs is None else list(runs)
    return swap_judges(
        found.scores[:, :, kept_runs], found.judged, found.official[:, kept_runs], draws, SEED, found.judges,
        {name: values[:, kept_runs] for name, values in found.alternatives.items()},
    )  # fmt: skip


def better_half(found: Scored) -> list[int]:
    """Return the better half of the runs by the official ranking: hopeless ones make any tau high."""
    order = np.argsort(-found.official.mean(axis=0), kind="stable")
    return sorted(order[: (len(order) + 1) // 2].tolist())


def _scored(scope: Scope, release: QrelsRelease | None, measure: Measure) -> Scored:
    campaign = scope.campaign
    official = official_qrels(campaign, release)
    own, topic, given = stand_ins(scope, official), official.topic, official.qrels.grades
    together = combined(own.grades, own.covered[:, topic], given, topic, campaign.threshold)
    alone = np.where(own.covered[:, topic], own.grades, TAKEN_BACK)
    tags, found = _scores(scope, official, [*alone, given, *together.values()], measure)
    order = np.argsort([number.encode() for number in official.qrels.topics])  # as an index sorts them
    count = len(own.judges)
    judged = own.covered[:, order]
    return Scored(
        official.name,
        tags,
        tuple(official.qrels.topics[place] for place in order.tolist()),
        own.judges,
        np.where(judged[:, :, None], found[:count], 0.0),
        judged,
        found[count],
        dict(zip(together, found[count + 1 :], strict=True)),
    )


def _scores(
    scope: Scope, official: Official, grades: Sequence[IntVector], measure: Measure
) -> tuple[tuple[str, ...], Values]:
    """Return the tags of all runs, and their scores under each of the grades: (grades, topics, runs).

    Those under the same grades as when somebody last asked are kept: a label changes one judge's.
    """
    campaign = scope.campaign
    runs = list(campaign.runs.order_by("tag"))
    told = f"{[run.sha256 for run in runs]} {official.name} {campaign.threshold}".encode()
    documents = hashlib.sha256(told + official.documents.tobytes()).digest()
    names = [hashlib.sha256(documents + each.tobytes()).hexdigest() for each in grades]
    key = f"swap-{campaign.pk}-{measure.name}-{scope.name}"
    known: dict[str, Values] = cache.get(key) or {}
    wanted = {name: each for name, each in zip(names, grades, strict=True) if name not in known}
    if wanted:
        known |= dict(zip(wanted, _score(campaign, official, list(wanted.values()), measure), strict=True))
        cache.set(key, {name: known[name] for name in names}, HOUR)
    return tuple(run.tag for run in runs), np.stack([known[name] for name in names])


def _score(
    campaign: Campaign, official: Official, grades: Sequence[IntVector], measure: Measure
) -> list[Values]:
    """Return the scores of all runs under each of the grades, (topics, runs), topics in byte order."""
    runs = campaign.runs.order_by("tag").select_related("columns").defer("columns__scores")
    if not official.qrels.topics:
        return [np.zeros((0, len(runs))) for _ in grades]
    regraded = Regraded(official.qrels, docno_table(campaign))
    indexes, columns = [regraded.index(each) for each in grades], []
    for run in runs:
        found = regraded.found(scored(run.columns), campaign.threshold)
        columns.append([values_of(regrade(found, index), [measure])[:, 0] for index in indexes])
    topics = len(official.qrels.topics)
    return [
        np.array([column[place] for column in columns]).reshape(len(columns), topics).T
        for place in range(len(indexes))
    ]


def grades_of(scope: Scope, judge: str, topics: Sequence[str]) -> Grades:
    """Return topic -> docno -> grade of one judge, on some of the topics."""
    labels, documents = scope.labels, pooled_columns(scope.campaign)
    own = labels.places[labels.judges.index(judge)]
    wanted = [labels.topics.index(topic) for topic in topics]
    rows = np.flatnonzero((own >= 0) & np.isin(labels.topic, wanted))
    places = np.searchsorted(documents.pk, np.array(labels.items, dtype=np.int64)[rows])
    given = np.array(labels.scale)[own[rows]]
    found: Grades = {topic: {} for topic in topics}
    columns = labels.topic[rows].tolist(), documents.docno[places].tolist(), given.tolist()
    for topic, docno, grade in zip(*columns, strict=True):
        found[labels.topics[topic]][docno.decode()] = grade
    return found


def human_ceilings(scope: Scope, measure: Measure) -> list[Ceiling]:
    """Score the judges who cover most topics as if they were runs, by each other's qrels."""
    found = scored_by_judges(scope, measure)
    return _kept(scope, "ceilings", measure, lambda: _human_ceilings(scope, found, measure))


def _human_ceilings(scope: Scope, found: Scored, measure: Measure) -> list[Ceiling]:
    if len(found.judges) < 2:
        return []
    official = official_qrels(scope.campaign, latest_release(scope.campaign))
    grades = stand_ins(scope, official).grades
    most = np.argsort(-found.judged.sum(axis=1), kind="stable")[:MOST_CEILINGS].tolist()
    key = f"ceiling-bounds-{scope.campaign.pk}-{measure.name}-{scope.name}"
    before: dict[str, Bounds] = cache.get(key) or {}
    now: dict[str, Bounds] = {}
    ceilings = []
    for row, other in permutations(most, 2):
        judge, against = found.judges[row], found.judges[other]
        shared = np.flatnonzero(found.judged[row] & found.judged[other])
        topics = [found.topics[place] for place in shared.tolist()]
        if not topics:
            continue
        told = f"{topics} {official.name} {scope.campaign.threshold}".encode()
        name = hashlib.sha256(told + _given(scope, judge) + grades[other].tobytes()).hexdigest()
        now[name] = before.get(name) or _bounds(
            scope, judge, by_topic(official, grades[other], topics), measure
        )
        means = found.scores[other, shared].mean(axis=0)
        best = int(means.argmax())
        ceilings.append(
            Ceiling(judge, against, len(topics), *now[name], found.tags[best], float(means[best]))
        )
    cache.set(key, now, HOUR)  # a label changes one judge's pairs alone
    return ceilings


def _given(scope: Scope, judge: str) -> bytes:
    """Return what tells the labels of a judge from others."""
    own = scope.labels.places[scope.labels.judges.index(judge)]
    given = np.flatnonzero(own >= 0)
    items: IntVector = np.array(scope.labels.items, dtype=np.int64)[given]
    return items.tobytes() + bytes(own[given].tobytes())


def _bounds(scope: Scope, judge: str, theirs: Grades, measure: Measure) -> Bounds:
    own, setting = grades_of(scope, judge, list(theirs)), Setting(relevance=scope.campaign.threshold)
    report = human_ceiling(own, {"other": theirs}, [measure], setting)["other"]
    return float(report.worst[0]), float(report.expected[0]), float(report.best[0])


def by_topic(official: Official, grades: IntVector, topics: Sequence[str]) -> Grades:
    """Return topic -> docno -> grade of some topics of the official documents."""
    qrels, found = official.qrels, {}
    for topic in topics:
        place = qrels.topics.index(topic)
        rows = slice(int(qrels.offsets[place]), int(qrels.offsets[place + 1]))
        docnos = [docno.decode() for docno in qrels.docnos[rows].tolist()]
        found[topic] = dict(zip(docnos, grades[rows].tolist(), strict=True))
    return found


def swap_scope(campaign: Campaign, machines: bool) -> Scope:
    return scope_of_agreement(campaign, machines=machines)
