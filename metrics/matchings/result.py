"""The result of a matching: scores of the runs, agreement of two judges, nuggets that separate answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assess.kappa.tables import Counts, confusion
from assess.kappa.two_judges import cohen
from assess.nuggets.assignments import AssignedNugget, Assignment
from assess.nuggets.banks import Importance
from metrics.nuggets.scores import MEASURES
from metrics.nuggets.values import NuggetMeasure, NuggetScore
from metrics.rankings.ranking import ranks
from metrics.significance.intervals import mean_intervals, why_no_interval
from metrics.significance.tukey import randomised_tukey_hsd
from pooling.arrays import Matrix, Vector

HOLDS = (Assignment.SUPPORT, Assignment.PARTIAL)
UNIVERSAL, HARD = 0.8, 0.1  # share of answers that hold a nugget: above, below
NOT_ALL_ANSWERS = "not all answers have all labels"
NO_PAIRS = "no nugget of an answer has labels of two judges"
ONE_VALUE = "both judges gave the same value everywhere"


class BankedNugget(NamedTuple):
    """A nugget of a topic, by its key."""

    key: int
    text: str
    importance: Importance


class MatchedNugget(NamedTuple):
    """What a judge says of a nugget and the answer of a run."""

    topic: str
    run: str
    judge: str
    nugget: int
    assignment: Assignment


Bank = Mapping[str, Sequence[BankedNugget]]
"""Topic -> its nuggets, in their order."""


class AnswerScores(NamedTuple):
    """The scores of the answer of a run, by each measure. judges: how many have labelled all nuggets."""

    topic: str
    run: str
    judges: int
    scores: list[NuggetScore]


class MeasureMean(NamedTuple):
    """A run by one measure. mean: over the common topics. rank: from 1. low, high: ends, or None."""

    mean: float
    rank: int
    low: float | None
    high: float | None
    no_interval: str


class MeasureColumn(NamedTuple):
    """A measure over the topics in which every run has a score.

    undefined: topics left out -> why. means: of the runs, in the order of the result's runs; empty without a
    topic. values: of shape (topics, runs).
    """

    measure: NuggetMeasure
    topics: int
    undefined: dict[str, str]
    means: list[MeasureMean]
    values: Matrix

    @property
    def title(self) -> str:
        """The name of the measure as pages show it, such as “vital, strict”."""
        return self.measure.name.replace("_", ", ")


class Kappa(NamedTuple):
    """Cohen's kappa of two judges over n labels; None with the reason where it is undefined."""

    value: float | None
    reason: str
    n: int


class TwoJudges(NamedTuple):
    """Labels of two judges of the same nuggets of the same answers.

    values: of the rows and columns. table: rows the judge whose name comes first in the alphabet. strict:
    kappa where only support counts.
    """

    values: list[Assignment]
    table: list[list[int]]
    same: int
    kappa: Kappa
    strict: Kappa

    @property
    def rows(self) -> list[tuple[Assignment, list[tuple[int, float, bool]], int]]:
        """Value, (count, share of the row, whether both say the same) of each column, and the sum."""
        found = []
        for place, (value, counts) in enumerate(zip(self.values, self.table, strict=True)):
            total = sum(counts)
            cells = [(count, count / total if total else 0.0, place == at) for at, count in enumerate(counts)]
            found.append((value, cells, total))
        return found


class SeparatingNugget(NamedTuple):
    """A nugget, and the share of the answers with a label that hold it, wholly or in part."""

    topic: str
    nugget: BankedNugget
    answers: int
    share: float

    @property
    def kind(self) -> str:
        """universal, hard, or "" for one that separates answers."""
        return "universal" if self.share > UNIVERSAL else "hard" if self.share < HARD else ""


@dataclass(frozen=True, eq=False)
class MatchingResult:
    """Everything that the page of results shows.

    runs: the best by the first measure that has means first. labels, judges: counted. complete: answers with
    labels of all nuggets, of `answers`. letters: of the runs; those that share one do not
    differ significantly by the lead measure. test: its name, or why there is none.
    """

    runs: list[str]
    columns: list[MeasureColumn]
    answers: int
    complete: int
    labels: int
    judges: int
    agreement: TwoJudges
    nuggets: list[SeparatingNugget]
    letters: list[str]
    test: str

    @property
    def lead(self) -> MeasureColumn | None:
        """The first measure that has means."""
        return next((column for column in self.columns if column.means), None)

    @property
    def rows(self) -> list[tuple[str, list[MeasureMean | None], str]]:
        """Each run, its mean by each measure, None where no topic has a score, and its letters."""
        return [
            (run, [column.means[place] if column.means else None for column in self.columns], letters)
            for place, (run, letters) in enumerate(zip(self.runs, self.letters, strict=True))
        ]

    @property
    def universal(self) -> int:
        return sum(each.kind == "universal" for each in self.nuggets)

    @property
    def hard(self) -> int:
        return sum(each.kind == "hard" for each in self.nuggets)


def matching_result(
    matched: Sequence[MatchedNugget],
    bank: Bank,
    answered: Collection[tuple[str, str]],
    runs: Collection[str],
    contradicts: bool = False,
) -> MatchingResult:
    """Return the result of labels.

    bank: of the topics of the matching. answered: (topic, run) of the answers. Two judges of an answer count
    by the mean of their scores, if both have labelled all of its nuggets; otherwise the one who has counts. A
    topic that a run does not answer counts 0. A mean is over the topics in which every run has a score.
    """
    scored = answer_scores(matched, bank, answered)
    columns, order = _columns(scored, bank, sorted(runs)), sorted(runs)
    letters, test = [""] * len(order), ""
    if lead := next((column for column in columns if column.means), None):
        places = sorted(range(len(order)), key=lambda place: (lead.means[place].rank, order[place]))
        order = [order[place] for place in places]
        columns = [_in_order(each, places) for each in columns]
        pairs = randomised_tukey_hsd(lead.values[:, places])
        letters, test = (letters, pairs.reason) if pairs.reason else ([*pairs.display().letters], pairs.name)
    return MatchingResult(
        order,
        columns,
        len(answered),
        sum(each.judges > 0 for each in scored),
        len(matched),
        len({each.judge for each in matched}),
        two_judges(matched, contradicts),
        separating(matched, bank),
        letters,
        test,
    )


def _in_order(column: MeasureColumn, places: Sequence[int]) -> MeasureColumn:
    means = [column.means[place] for place in places] if column.means else []
    return column._replace(means=means, values=column.values[:, places])


def answer_scores(
    matched: Sequence[MatchedNugget], bank: Bank, answered: Collection[tuple[str, str]]
) -> list[AnswerScores]:
    """Return the scores of each answer, topic by topic in the order of the bank."""
    given: dict[tuple[str, str], dict[str, dict[int, Assignment]]] = {}
    for each in matched:
        given.setdefault((each.topic, each.run), {}).setdefault(each.judge, {})[each.nugget] = each.assignment
    found = []
    for topic, nuggets in bank.items():
        for run in sorted(run for number, run in answered if number == topic):
            labels = list(given.get((topic, run), {}).values()) or [{}]
            whole = [own for own in labels if len(own) == len(nuggets)]
            scores = [
                [measure.compute(assigned(nuggets, own)) for measure in MEASURES]
                for own in whole or labels[:1]
            ]
            means = [_mean_of_judges(own) for own in zip(*scores, strict=True)]
            found.append(AnswerScores(topic, run, len(whole), means))
    return found


def assigned(nuggets: Sequence[BankedNugget], own: Mapping[int, Assignment]) -> list[AssignedNugget]:
    """Return the nuggets with the assignments of one judge."""
    return [AssignedNugget(each.text, each.importance, own.get(each.key)) for each in nuggets]


def _mean_of_judges(scores: Sequence[NuggetScore]) -> NuggetScore:
    """Return the mean; whether a score is undefined does not depend on the judge who labelled all nuggets."""
    values = [score.value for score in scores if score.value is not None]
    return NuggetScore(sum(values) / len(values)) if values else scores[0]


def _columns(scored: Sequence[AnswerScores], bank: Bank, runs: Sequence[str]) -> list[MeasureColumn]:
    by_answer = {(each.topic, each.run): each.scores for each in scored}
    columns = []
    for place, measure in enumerate(MEASURES):
        rows, undefined = [], dict[str, str]()
        for topic, nuggets in bank.items():
            without = measure.compute(assigned(nuggets, {each.key: Assignment.NONE for each in nuggets}))
            own = [by_answer.get((topic, run), [without] * len(MEASURES))[place] for run in runs]
            values = [score.value for score in own if score.value is not None]
            if len(values) == len(runs):
                rows.append(values)
            else:
                undefined[topic] = without.reason or NOT_ALL_ANSWERS
        values_of = np.array(rows, dtype=np.float64).reshape(len(rows), len(runs))
        columns.append(MeasureColumn(measure, len(rows), undefined, _means(values_of), values_of))
    return columns


def _means(values: Matrix) -> list[MeasureMean]:
    """Return the mean of each run. values: of shape (topics, runs)."""
    if not len(values):
        return []
    means, ends = values.mean(axis=0), mean_intervals(values, 0.0, 1.0)
    return [
        _mean(values[:, run], rank, (ends[0][run], ends[1][run]) if ends else None)
        for run, rank in enumerate(ranks(means).tolist())
    ]


def _mean(own: Vector, rank: int, ends: tuple[float, float] | None) -> MeasureMean:
    mean = float(own.mean())
    if ends is None or np.isnan(ends[0]):
        return MeasureMean(mean, rank, None, None, why_no_interval(own, 0.0, 1.0))
    return MeasureMean(mean, rank, float(ends[0]), float(ends[1]), "")


def two_judges(matched: Sequence[MatchedNugget], contradicts: bool = False) -> TwoJudges:
    """Return how two judges agree, over all pairs of judges together."""
    values = [each for each in Assignment if contradicts or each != Assignment.CONTRADICTS]
    given: dict[tuple[str, str, int], dict[str, int]] = {}
    for each in matched:
        own = given.setdefault((each.topic, each.run, each.nugget), {})
        own[each.judge] = values.index(each.assignment)
    pairs = [[own[judge] for judge in sorted(own)[:2]] for own in given.values() if len(own) > 1]
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    table = confusion(first, second, range(len(values)))
    support = values.index(Assignment.SUPPORT)
    strict = confusion([one == support for one in first], [other == support for other in second], (0, 1))
    return TwoJudges(values, table.tolist(), int(np.trace(table)), _kappa(table), _kappa(strict))


def _kappa(table: Counts) -> Kappa:
    value, n = cohen(table), int(table.sum())
    reason = "" if value is not None else ONE_VALUE if n else NO_PAIRS
    return Kappa(value, reason, n)


def separating(matched: Sequence[MatchedNugget], bank: Bank) -> list[SeparatingNugget]:
    """Return the nuggets that have labels. An answer with two judges counts by the mean of what they say."""
    held: dict[tuple[str, int], dict[str, list[bool]]] = {}
    for each in matched:
        own = held.setdefault((each.topic, each.nugget), {})
        own.setdefault(each.run, []).append(each.assignment in HOLDS)
    found = []
    for topic, nuggets in bank.items():
        for nugget in nuggets:
            if by_run := held.get((topic, nugget.key)):
                share = float(np.mean([np.mean(own) for own in by_run.values()]))
                found.append(SeparatingNugget(topic, nugget, len(by_run), share))
    return found
