"""The result of a matching: scores of the runs, agreement of two judges, nuggets that separate answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assess.kappa.doubled import DoubledLabels, doubled_labels
from assess.nuggets.assignments import AssignedNugget, Assignment
from assess.nuggets.banks import Importance
from metrics.nuggets.scores import MEASURES
from metrics.nuggets.values import NuggetScore
from metrics.rankings.measure_columns import MeasureColumn, OrderedRuns, measure_means, ordered_runs

HOLDS = (Assignment.SUPPORT, Assignment.PARTIAL)
UNIVERSAL, HARD = 0.8, 0.1  # share of answers that hold a nugget: above, below
NOT_ALL_ANSWERS = "not all answers have all labels"


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

    labels, judges: counted. complete: answers with labels of all nuggets, of `answers`. settled: cases of
    judges who differ that an adjudicator has decided.
    """

    ordered: OrderedRuns
    answers: int
    complete: int
    labels: int
    judges: int
    agreement: DoubledLabels[Assignment]
    nuggets: list[SeparatingNugget]
    settled: int

    @property
    def universal(self) -> int:
        return sum(each.kind == "universal" for each in self.nuggets)

    @property
    def hard(self) -> int:
        return sum(each.kind == "hard" for each in self.nuggets)

    @property
    def plain(self) -> dict[str, Any]:
        """The figures of the page of results as plain values, for files and the API."""
        counts = {"labels": self.labels, "judges": self.judges, "answers": self.answers}
        counts |= {"complete": self.complete, "settled": self.settled}
        return counts | self.ordered.plain | self.agreement.plain


Settled = Mapping[tuple[str, str, int], Assignment]
"""(topic, run, key of a nugget) -> what an adjudicator decided, where judges differ."""


def with_decisions(matched: Sequence[MatchedNugget], settled: Settled) -> list[MatchedNugget]:
    """Return the labels as they count in scores: a decision takes the place of the labels of its case."""
    return [
        each._replace(assignment=settled.get((each.topic, each.run, each.nugget), each.assignment))
        for each in matched
    ]


def matching_result(
    matched: Sequence[MatchedNugget],
    bank: Bank,
    answered: Collection[tuple[str, str]],
    runs: Collection[str],
    contradicts: bool = False,
    settled: Settled | None = None,
) -> MatchingResult:
    """Return the result of labels. settled: decisions, which count in scores and not in agreement.

    bank: of the topics of the matching. answered: (topic, run) of the answers. Two judges of an answer count
    by the mean of their scores, if both have labelled all of its nuggets; otherwise the one who has counts. A
    topic that a run does not answer counts 0. A mean is over the topics in which every run has a score.
    """
    counting = with_decisions(matched, settled or {})
    scored = answer_scores(counting, bank, answered)
    return MatchingResult(
        ordered_runs(sorted(runs), _columns(scored, bank, sorted(runs))),
        len(answered),
        sum(each.judges > 0 for each in scored),
        len(matched),
        len({each.judge for each in matched}),
        two_judges(matched, contradicts),
        separating(counting, bank),
        len(settled or {}),
    )


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
        columns.append(
            MeasureColumn(measure.name, measure.meaning, undefined, measure_means(values_of), values_of)
        )
    return columns


def two_judges(matched: Sequence[MatchedNugget], contradicts: bool = False) -> DoubledLabels[Assignment]:
    """Return how two judges agree, over all pairs of judges together."""
    values = [each for each in Assignment if contradicts or each != Assignment.CONTRADICTS]
    given: dict[tuple[str, str, int], dict[str, Assignment]] = {}
    for each in matched:
        given.setdefault((each.topic, each.run, each.nugget), {})[each.judge] = each.assignment
    return doubled_labels(given.values(), values, Assignment.SUPPORT)


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
