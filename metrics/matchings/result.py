"""The result of a matching: scores of the runs, agreement of two judges, nuggets that separate answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assess.kappa.doubled import DoubledLabels, doubled_labels
from assess.nuggets.assignments import AssignedNugget, Assignment
from metrics.matchings.rubric import MEASURES as RUBRIC_MEASURES
from metrics.matchings.rubric import BankedNugget, rubric_scores
from metrics.nuggets.columns import measure_column
from metrics.nuggets.scores import MEASURES
from metrics.nuggets.values import NuggetScore
from metrics.rankings.measure_columns import MeasureColumn, OrderedRuns, ordered_runs

HOLDS = (Assignment.SUPPORT, Assignment.PARTIAL)
UNIVERSAL, HARD = 0.8, 0.1  # share of answers that hold a nugget: above, below
NOT_ALL_ANSWERS = "not all answers have all labels"


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
    """The scores of the answer of a run, by each measure. judges: how many have labelled all nuggets.

    rubric: its scores as answer to the questions of a rubric.
    """

    topic: str
    run: str
    judges: int
    scores: list[NuggetScore]
    rubric: list[NuggetScore]


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
    judges who differ that an adjudicator has decided. rubric: the runs by rubric scores, None where judges
    cannot say that an answer contradicts a nugget.
    """

    ordered: OrderedRuns
    rubric: OrderedRuns | None
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
        ordered_runs(sorted(runs), _rubric_columns(scored, bank, sorted(runs))) if contradicts else None,
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
    rows = []
    for topic, nuggets in bank.items():
        for run in sorted(run for number, run in answered if number == topic):
            labels = list(given.get((topic, run), {}).values()) or [{}]
            whole = [own for own in labels if len(own) == len(nuggets)]
            counting = whole or labels[:1]
            scores = [[measure.compute(assigned(nuggets, own)) for measure in MEASURES] for own in counting]
            rubric = [rubric_scores(nuggets, own) for own in counting]
            rows.append(AnswerScores(topic, run, len(whole), _means(scores), _means(rubric)))
    return rows


def assigned(nuggets: Sequence[BankedNugget], own: Mapping[int, Assignment]) -> list[AssignedNugget]:
    """Return the nuggets with the assignments of one judge."""
    return [AssignedNugget(each.text, each.importance, own.get(each.key)) for each in nuggets]


def _means(scores: Sequence[Sequence[NuggetScore]]) -> list[NuggetScore]:
    """Return the mean over judges by each measure. scores: of each judge, by each measure."""
    return [_mean_of_judges(own) for own in zip(*scores, strict=True)]


def _mean_of_judges(scores: Sequence[NuggetScore]) -> NuggetScore:
    """Return the mean; whether a score is undefined does not depend on the judge who labelled all nuggets."""
    values = [score.value for score in scores if score.value is not None]
    return NuggetScore(sum(values) / len(values)) if values else scores[0]


def _columns(scored: Sequence[AnswerScores], bank: Bank, runs: Sequence[str]) -> list[MeasureColumn]:
    by_answer = {(each.topic, each.run): each.scores for each in scored}
    columns = []
    for place, measure in enumerate(MEASURES):
        by_topic = {}
        for topic, nuggets in bank.items():
            without = measure.compute(assigned(nuggets, _none_held(nuggets)))
            own = [by_answer.get((topic, run), [without] * len(MEASURES))[place] for run in runs]
            by_topic[topic] = _with_reasons(own, without)
        columns.append(measure_column(measure, measure.name, by_topic, NOT_ALL_ANSWERS))
    return columns


def _rubric_columns(scored: Sequence[AnswerScores], bank: Bank, runs: Sequence[str]) -> list[MeasureColumn]:
    by_answer = {(each.topic, each.run): each.rubric for each in scored}
    columns = []
    for place, measure in enumerate(RUBRIC_MEASURES):
        by_topic = {}
        for topic, nuggets in bank.items():
            without = rubric_scores(nuggets, _none_held(nuggets))
            own = [by_answer.get((topic, run), without)[place] for run in runs]
            by_topic[topic] = _with_reasons(own, without[place])
        name = measure.name.removeprefix("rubric_")
        columns.append(measure_column(measure, name, by_topic, NOT_ALL_ANSWERS))
    return columns


def _none_held(nuggets: Sequence[BankedNugget]) -> dict[int, Assignment]:
    return {each.key: Assignment.NONE for each in nuggets}


def _with_reasons(scores: Sequence[NuggetScore], without: NuggetScore) -> list[NuggetScore]:
    """Return the scores of a topic; one that is undefined has the reason of the topic, if the topic has one.

    without: the score of an answer that holds nothing.
    """
    return [score if score.value is not None else NuggetScore(None, without.reason) for score in scores]


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
    rows = []
    for topic, nuggets in bank.items():
        for nugget in nuggets:
            if by_run := held.get((topic, nugget.key)):
                share = float(np.mean([np.mean(own) for own in by_run.values()]))
                rows.append(SeparatingNugget(topic, nugget, len(by_run), share))
    return rows
