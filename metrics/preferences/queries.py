"""What judges preferred: the best documents of each topic, checks of the votes, and scores by Compat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.kappa.coefficient import Coefficient
from assess.kappa.pairs import coefficients_of_table
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import confusion
from assess.models import Preference, PreferencePair, PreferenceSet, PreferenceTask
from assess.preferences.queries.plan import grades_by_topic
from assess.preferences.queries.votes import STANDING_CHOICE
from assess.preferences.stages import Preferred, preference_grades
from assess.queries.releases import qrels_of
from metrics.engine.evaluate import score
from metrics.engine.stored_runs import RegradedQrels, regrade
from metrics.measures.names import parse_measure
from metrics.queries.scores import ranked_runs_for, stored_runs, threshold_of, without_late_runs
from metrics.rankings.transitivity import Transitivity, transitivity
from metrics.significance.sides import PositionBias, side_bias
from pooling.models import Run
from pooling.queries.caching import cached
from pooling.queries.runs import docno_table, docnos_version

FIRST, SECOND, NEITHER = OUTCOMES = (0, 1, 2)
COMPAT = "Compat"
Choice = Preference.Choice


class VotedPair(NamedTuple):
    """A pair with a vote that stands. left, right: docnos."""

    task: int
    topic: str
    judge: str
    is_second: bool
    stage: int
    left: str
    right: str
    choice: str
    reason: str

    @property
    def winner(self) -> str:
        """The preferred document, "" for a tie."""
        return {Choice.LEFT.value: self.left, Choice.RIGHT.value: self.right}.get(self.choice, "")

    @property
    def preferred(self) -> Preferred | None:
        """The winner and the loser; None for a tie."""
        if not self.winner:
            return None
        return self.winner, self.right if self.winner == self.left else self.left


def voted_pairs(preference_set: PreferenceSet) -> list[VotedPair]:
    """Return every pair with a standing vote, in the order of topics, stages and places."""
    pairs = (
        PreferencePair.objects.filter(task__preference_set=preference_set)
        .annotate(choice=STANDING_CHOICE)
        .exclude(choice="")
    )
    ordered = pairs.order_by("task__topic__place", "task__is_second", "stage", "place")
    votes = Preference.objects.filter(pair__task__preference_set=preference_set).exclude(reason="")
    reasons = dict(votes.order_by("pk").values_list("pair", "reason"))
    related = ordered.select_related("task__topic", "task__judge", "left", "right")
    return [
        VotedPair(
            pair.task_id,
            pair.task.topic.number,
            pair.task.judge.username,
            pair.task.is_second,
            pair.stage,
            pair.left.docno,
            pair.right.docno,
            pair.choice,
            reasons.get(pair.pk, ""),
        )
        for pair in related
    ]


class TopicBest(NamedTuple):
    """The best documents of a finished topic: (docno, grade), best first. pairs: votes of all stages."""

    topic: str
    best: list[tuple[str, int]]
    pairs: int
    stages: int


class PreferenceResult(NamedTuple):
    """Everything on the page of results. open_topics: without a finished first judge.

    grades: topic -> docno -> grade, of the finished topics. doubled: pairs of two judges. same: those
    with the same preference; kappa: Cohen's, of these pairs.
    """

    topics: list[TopicBest]
    open_topics: list[str]
    grades: dict[str, dict[str, int]]
    votes: int
    ties: int
    judges: int
    bias: PositionBias
    transitivity: Transitivity
    doubled: int
    same: int
    kappa: Coefficient

    @property
    def agreement(self) -> float | None:
        return self.same / self.doubled if self.doubled else None


def preference_result(preference_set: PreferenceSet) -> PreferenceResult:
    """Return the result of a set. The best documents of a topic are those of its first judge."""
    pairs = voted_pairs(preference_set)
    of_task: dict[int, list[VotedPair]] = {}
    for pair in pairs:
        of_task.setdefault(pair.task, []).append(pair)
    stored = grades_by_topic(preference_set.release)
    tasks = PreferenceTask.objects.filter(preference_set=preference_set, is_second=False)
    topics, open_topics, grades = [], [], {}
    for task in tasks.select_related("topic").order_by("topic__place"):
        number, own = task.topic.number, of_task.get(task.pk, [])
        if not task.finished_at:
            open_topics.append(number)
            continue
        final = [pair for pair in own if pair.stage == task.stage]
        documents = dict.fromkeys(docno for pair in final for docno in (pair.left, pair.right))
        preferred = [pair.preferred for pair in final if pair.preferred]
        grades[number] = preference_grades(stored[number], documents, preferred, preference_set.k)
        raised = {d: g for d, g in grades[number].items() if g > max(stored[number].values())}
        best = sorted(raised.items(), key=lambda each: (-each[1], each[0]))
        topics.append(TopicBest(number, best, len(own), task.stage))
    triples = [transitivity([pair.preferred for pair in own if pair.preferred]) for own in of_task.values()]
    first, second = _of_two_judges(pairs)
    table = confusion(first, second, OUTCOMES)
    (kappa,) = coefficients_of_table(table, OUTCOMES, definitions=[REGISTRY["cohen"]])
    return PreferenceResult(
        topics,
        open_topics,
        grades,
        len(pairs),
        sum(pair.choice == Choice.TIE for pair in pairs),
        len({pair.judge for pair in pairs}),
        side_bias([pair.choice for pair in pairs]),
        Transitivity(sum(each.triples for each in triples), sum(each.cycles for each in triples)),
        len(first),
        sum(one == other for one, other in zip(first, second, strict=True)),
        kappa,
    )


def _of_two_judges(pairs: Sequence[VotedPair]) -> tuple[list[int], list[int]]:
    """Return the outcomes of the pairs that both judges of a topic voted on, without regard to sides."""
    outcomes: dict[tuple[str, str, str], dict[bool, int]] = {}
    for pair in pairs:
        one, other = sorted((pair.left, pair.right))
        outcome = NEITHER if not pair.winner else FIRST if pair.winner == one else SECOND
        outcomes.setdefault((pair.topic, one, other), {})[pair.is_second] = outcome
    both = [votes for votes in outcomes.values() if len(votes) == 2]
    return [votes[False] for votes in both], [votes[True] for votes in both]


class RunCompat(NamedTuple):
    """A run's mean of Compat over the finished topics: by the grades of the release, and by preferences."""

    run: Run
    grades: float
    preferences: float


def runs_by_compat(user: User, preference_set: PreferenceSet, result: PreferenceResult) -> list[RunCompat]:
    """Return the ranked runs that a person may see, best by preferences first. Needs a finished topic."""
    release = preference_set.release
    runs = without_late_runs(ranked_runs_for(user, release))
    if not result.grades or not runs:
        return []
    version = (
        release.sha256, [run.pk for run in runs], docnos_version(release.campaign),
        sorted((topic, *sorted(own.items())) for topic, own in result.grades.items()),
    )  # fmt: skip
    name = f"preferences-{preference_set.pk}"
    scores = cached(release.campaign, name, version, lambda: _compat(preference_set, runs, result))
    rows = [RunCompat(run, *both) for run, both in zip(runs, scores, strict=True)]
    return sorted(rows, key=lambda row: (-row.preferences, row.run.tag))


def _compat(
    preference_set: PreferenceSet, runs: Sequence[Run], result: PreferenceResult
) -> list[tuple[float, float]]:
    release, measure = preference_set.release, parse_measure(COMPAT)
    qrels = qrels_of(release)
    regraded = RegradedQrels(qrels, docno_table(release.campaign))
    preferred = qrels.grades.copy()
    topic_of_row = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets)).tolist()
    for row, (topic, docno) in enumerate(zip(topic_of_row, qrels.docnos.tolist(), strict=True)):
        if own := result.grades.get(qrels.topics[topic]):
            preferred[row] = own.get(docno.decode(), preferred[row])
    chosen = np.array([topic in result.grades for topic in qrels.topics])
    plain, raised = regraded.index(qrels.grades), regraded.index(preferred)
    compared = []
    for run in stored_runs(runs):
        hits = regraded.hits_of(run, threshold_of(release))
        values = (score(regrade(hits, index), [measure]).values[:, 0] for index in (plain, raised))
        one, other = (float(np.mean(own[chosen])) for own in values)
        compared.append((one, other))
    return compared


def qrels_lines(result: PreferenceResult) -> Iterator[str]:
    """Yield the preference qrels of the finished topics: `topic 0 docno grade`."""
    for topic, own in result.grades.items():
        for docno, grade in sorted(own.items()):
            yield f"{topic} 0 {docno} {grade}\n"


def vote_lines(preference_set: PreferenceSet) -> Iterator[str]:
    """Yield every standing vote: topic, left, right, winner or "tie", stage, number of the judge."""
    pairs = voted_pairs(preference_set)
    numbers: dict[str, int] = {}
    for pair in pairs:
        number = numbers.setdefault(pair.judge, len(numbers) + 1)
        yield f"{pair.topic} {pair.left} {pair.right} {pair.winner or 'tie'} {pair.stage} {number}\n"
