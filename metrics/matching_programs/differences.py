"""Scores of answers by a program less those by people, of each run with an interval over topics."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assess.nuggets.assignments import Assignment
from metrics.machine_audits.intervals import Estimate, undefined
from metrics.matching_programs.agreement import METHOD, Cell
from metrics.matchings.result import Bank, MatchedNugget, answer_scores
from metrics.nuggets.scores import MEASURES
from metrics.nuggets.values import NuggetMeasure
from metrics.rankings.rank_correlation import Correlation, kendall_tau_b
from metrics.significance.intervals import mean_intervals, why_no_interval
from pooling.arrays import Vector

NO_TOPIC = "no answer has all labels of both people and the program"
NO_COMMON_TOPIC = "in no topic do the answers of all runs have all labels of both"

BothScores = dict[tuple[str, str], tuple[float, float]]
"""Topic and run of an answer -> its score by people and by the program."""


class ScoreDifference(NamedTuple):
    """A run by one measure, over the topics in which its answer has a score by both.

    people, program: means; None without such a topic. difference: mean of program less people.
    """

    people: float | None
    program: float | None
    difference: Estimate


class MeasureDifferences(NamedTuple):
    """A measure. runs: in the order of the result. overall: mean difference over all runs.

    tau: Kendall's tau-b of the orders of runs by the means of the topics in which all runs have both scores.
    topics: these.
    """

    measure: NuggetMeasure
    runs: list[ScoreDifference]
    overall: Estimate
    tau: Correlation
    topics: int

    @property
    def title(self) -> str:
        """The name of the measure as pages show it, such as “vital, strict”."""
        return self.measure.name.replace("_", ", ")


def differences(
    program: Mapping[Cell, Assignment],
    people: Sequence[MatchedNugget],
    bank: Bank,
    answered: Collection[tuple[str, str]],
    runs: Sequence[str],
) -> list[MeasureDifferences]:
    """Return the differences by each measure, runs in the order given.

    bank: of the topics of the matching. answered: (topic, run) of the answers. Two people of an answer count
    by the mean of their scores. An answer without a label that a score needs, of either, does not count.
    """
    own = [MatchedNugget(topic, run, "", nugget, said) for (topic, run, nugget), said in program.items()]
    by_people = {(each.topic, each.run): each.scores for each in answer_scores(people, bank, answered)}
    by_program = {(each.topic, each.run): each.scores for each in answer_scores(own, bank, answered)}
    rows = []
    for place, measure in enumerate(MEASURES):
        both: BothScores = {}
        for answer, scores in by_people.items():
            one, other = scores[place].value, by_program[answer][place].value
            if one is not None and other is not None:
                both[answer] = one, other
        rows.append(_of_measure(measure, both, [*bank], runs))
    return rows


def _of_measure(
    measure: NuggetMeasure, both: BothScores, topics: Sequence[str], runs: Sequence[str]
) -> MeasureDifferences:
    of_runs = [_of_run([both[topic, run] for topic in topics if (topic, run) in both]) for run in runs]
    errors = [
        float(np.mean([other - one for one, other in own]))
        for topic in topics
        if (own := [both[topic, run] for run in runs if (topic, run) in both])
    ]
    shared = [topic for topic in topics if runs and all((topic, run) in both for run in runs)]
    return MeasureDifferences(
        measure, of_runs, topic_mean(np.array(errors), NO_TOPIC), _tau(both, shared, runs), len(shared)
    )


def _of_run(own: Sequence[tuple[float, float]]) -> ScoreDifference:
    if not own:
        return ScoreDifference(None, None, undefined(METHOD, 0, NO_TOPIC))
    people, program = np.array(own, dtype=np.float64).T
    error = topic_mean(program - people, NO_TOPIC)
    return ScoreDifference(float(people.mean()), float(program.mean()), error)


def topic_mean(values: Vector, why_none: str) -> Estimate:
    """Return the mean of one value of each topic, from -1 to 1, with a bootstrap-t interval over topics.

    why_none: the reason without a topic. There is no interval for fewer than ten topics, and where too few of
    them differ.
    """
    n = len(values)
    if not n:
        return undefined(METHOD, 0, why_none)
    mean, ends = float(values.mean()), mean_intervals(values[:, None], -1.0, 1.0)
    if ends is None or np.isnan(ends[0][0]):
        return Estimate(mean, None, None, None, METHOD, n, why_no_interval(values, -1.0, 1.0))
    return Estimate(mean, None, float(ends[0][0]), float(ends[1][0]), METHOD, n)


def _tau(both: BothScores, topics: Sequence[str], runs: Sequence[str]) -> Correlation:
    if not topics:
        return Correlation("Kendall's tau-b", len(runs), None, NO_COMMON_TOPIC)
    means = np.array([[both[topic, run] for run in runs] for topic in topics]).mean(axis=0)
    return kendall_tau_b(means[:, 0], means[:, 1])
