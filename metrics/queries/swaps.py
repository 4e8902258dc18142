"""Would other judges have ranked the runs otherwise? The labels of a campaign, made ready for the swap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import NamedTuple, TypeVar

import numpy as np

from assess.consensus import MAJORITY, majority
from assess.models import QrelsRelease
from assess.queries import Scope, agreed_grades, latest_release, scope_of_agreement
from assess.queries.keeping import kept
from metrics.evaluate import score
from metrics.hits import Setting
from metrics.human_ceiling import human_ceiling
from metrics.judge_swap import JudgeSwap, Values, swap_judges
from metrics.measure import Measure
from metrics.queries.scores import scored
from metrics.stored import NumberedIndex, StoredRun, find_stored_hits
from pooling.columns import Flags
from pooling.models import Campaign, PooledDocument
from pooling.qrels import parse_qrels
from pooling.queries import docno_table

Grades = dict[str, dict[str, int]]  # topic -> docno -> grade

Kept = TypeVar("Kept")
COVERED = 0.9  # of a topic's official documents, that a judge must have labelled to stand in for the others
SHOWN, ON_DEMAND = 1_000, 100_000  # draws
SEED = 20
MOST_CEILINGS = 6  # judges that are scored as if they were runs

NO_RUNS = "there are fewer than two runs"
NO_QRELS = "no document has a label of a person yet"
NO_CHOICE = "no topic has two judges who labelled nine tenths of its official documents"


class Official(NamedTuple):
    """The qrels that rank the runs officially: the newest release, or what the majority says so far."""

    name: str
    grades: Grades


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
    filled = stand_ins(scope, official.grades)
    runs = list(campaign.runs.select_related("columns").order_by("tag"))
    scorer = _Scorer(campaign, [scored(run.columns) for run in runs], measure, tuple(official.grades))
    shape = len(filled), len(scorer.topics)
    covered = [[topic in grades for topic in scorer.topics] for grades in filled.values()]
    together = {
        name: official.grades | combined(list(filled.values()), rule, campaign.threshold)
        for name, rule in COMBINED.items()
    }
    return Scored(
        official.name,
        tuple(run.tag for run in runs),
        scorer.topics,
        tuple(filled),
        np.array([scorer(grades) for grades in filled.values()]).reshape(*shape, len(runs)),
        np.array(covered, dtype=bool).reshape(shape),
        scorer(official.grades),
        {name: scorer(grades) for name, grades in together.items()},
    )


def official_qrels(campaign: Campaign, release: QrelsRelease | None) -> Official:
    """Return the newest release's grades; before there is one, the majority of people's labels."""
    grades: Grades = {}
    if release is None:
        for row in agreed_grades(campaign, MAJORITY):
            grades.setdefault(row.topic, {})[row.docno] = row.relevance
        return Official("the majority of people's labels so far", grades)
    with release.file.open("rb") as file:
        qrels = parse_qrels(file.read(), str(release))
    for topic, docno, grade in zip(qrels.topic_of_rows(), qrels.docnos, qrels.grades, strict=True):
        if grade >= 0:  # below: pooled, and judged by nobody
            grades.setdefault(qrels.topics[topic], {})[docno.decode()] = int(grade)
    return Official(f"{release}", grades)


def grades_of_judges(scope: Scope) -> dict[str, Grades]:
    """Return judge -> topic -> docno -> grade."""
    labels = scope.labels
    pooled = PooledDocument.objects.filter(pool__campaign=scope.campaign)
    docnos = dict(pooled.values_list("pk", "docno"))
    items = [docnos[int(str(item))] for item in labels.items]
    topics = [labels.topics[code] for code in labels.topic.tolist()]
    found: dict[str, Grades] = {}
    for judge, row in zip(labels.judges, labels.places, strict=True):
        grades = found.setdefault(judge, {})
        for column in np.flatnonzero(row >= 0).tolist():
            grades.setdefault(topics[column], {})[items[column]] = labels.scale[int(row[column])]
    return found


def stand_ins(scope: Scope, official: Grades) -> dict[str, Grades]:
    """Return judge -> the qrels of the topics that this judge covers.

    They are the judge's grades of the official documents; what of these the judge left out keeps its official
    grade. Judges who cover no topic are absent.
    """
    found: dict[str, Grades] = {}
    for judge, own in grades_of_judges(scope).items():
        for topic, docnos in official.items():
            known = {docno: grade for docno, grade in own.get(topic, {}).items() if docno in docnos}
            if len(known) >= COVERED * len(docnos):
                found.setdefault(judge, {})[topic] = docnos | known
    return found


COMBINED: dict[str, Callable[[list[int]], int]] = {
    "majority": majority,
    "union": max,
    "intersection": min,
}


def combined(judges: Sequence[Grades], rule: Callable[[list[int]], int], threshold: int) -> Grades:
    """Return the grades of all judges who cover a topic as one.

    A topic in which the rule leaves nothing relevant takes the union, as Voorhees (2000) has it for
    intersections that are empty.
    """
    found: Grades = {}
    for topic in dict.fromkeys(topic for grades in judges for topic in grades):
        own = [grades[topic] for grades in judges if topic in grades]
        by_docno = {docno: [grades[docno] for grades in own] for docno in own[0]}
        agreed = {docno: rule(grades) for docno, grades in by_docno.items()}
        if max(agreed.values(), default=0) < threshold:
            agreed = {docno: max(grades) for docno, grades in by_docno.items()}
        found[topic] = agreed
    return found


class _Scorer:
    """Scores all runs under some grades: (topics, runs), 0 in a topic without any.

    topics: in byte order.
    """

    def __init__(
        self, campaign: Campaign, runs: list[StoredRun], measure: Measure, topics: Iterable[str]
    ) -> None:
        self.runs, self.measure, self.threshold = runs, measure, campaign.threshold
        self.table = docno_table(campaign)
        self.topics = tuple(sorted(topics, key=str.encode))
        self._place = {topic: place for place, topic in enumerate(self.topics)}

    def __call__(self, grades: Grades) -> Values:
        values = np.zeros((len(self.topics), len(self.runs)))
        if not grades or not self.runs:
            return values
        index = NumberedIndex(parse_qrels(qrels_text(grades)), self.table)
        rows = [self._place[topic] for topic in index.index.topics]
        for column, run in enumerate(self.runs):
            hits = find_stored_hits(run, index, self.threshold)
            values[rows, column] = score(hits, [self.measure]).values[:, 0]
        return values


def qrels_text(grades: Grades) -> bytes:
    lines = (f"{topic} 0 {docno} {grade}\n" for topic, own in grades.items() for docno, grade in own.items())
    return "".join(lines).encode()


def human_ceilings(scope: Scope, measure: Measure) -> list[Ceiling]:
    """Score the judges who cover most topics as if they were runs, by each other's qrels."""
    found = scored_by_judges(scope, measure)
    return _kept(scope, "ceilings", measure, lambda: _human_ceilings(scope, found, measure))


def _human_ceilings(scope: Scope, found: Scored, measure: Measure) -> list[Ceiling]:
    official = official_qrels(scope.campaign, latest_release(scope.campaign))
    own, qrels = grades_of_judges(scope), stand_ins(scope, official.grades)
    setting = Setting(relevance=scope.campaign.threshold)
    most = np.argsort(-found.judged.sum(axis=1), kind="stable")[:MOST_CEILINGS].tolist()
    ceilings = []
    for row, other in permutations(most, 2):
        judge, against = found.judges[row], found.judges[other]
        shared = np.flatnonzero(found.judged[row] & found.judged[other])
        topics = [found.topics[place] for place in shared.tolist()]
        if not topics:
            continue
        as_run = {topic: own[judge][topic] for topic in topics}
        theirs = {topic: qrels[against][topic] for topic in topics}
        report = human_ceiling(as_run, {against: theirs}, [measure], setting)[against]
        worst, expected, highest = (float(each[0]) for each in (report.worst, report.expected, report.best))
        means = found.scores[other, shared].mean(axis=0)
        best = int(means.argmax())
        ceilings.append(
            Ceiling(
                judge, against, len(topics), worst, expected, highest, found.tags[best], float(means[best])
            )
        )
    return ceilings


def swap_scope(campaign: Campaign, machines: bool) -> Scope:
    return scope_of_agreement(campaign, machines=machines)
