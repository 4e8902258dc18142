"""The score of one answer or of one run: a value, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from pooling.notebook import fields_html


class NuggetScore(NamedTuple):
    """A score of an answer or of a run. Where it is undefined, `value` is None and `reason` says why."""

    value: float | None
    reason: str = ""


class RunScore(NamedTuple):
    """The mean of a run over topics. undefined: topics that are left out of the mean -> why."""

    value: float | None
    reason: str = ""
    topics: int = 0
    undefined: Mapping[str, str] = {}

    def _repr_html_(self) -> str:
        return fields_html(self)


class NuggetMeasure(NamedTuple):
    """A measure of one answer, from what people or programs said of it.

    - takes: what `compute` reads, the module's own name of it
    - compute: function of that; returns a NuggetScore
    - meaning: what the value says, in one line
    - undefined: when there is no value
    - source: the publication or program that defines it
    - more_never_lowers: whether a better label of a nugget or a sentence never makes the score worse
    """

    name: str
    takes: Literal["nuggets", "rubric", "questions", "returned", "votes", "grades", "argue", "citations"]
    compute: Callable[[Any], NuggetScore]
    meaning: str
    formula: str
    undefined: str
    source: str
    low: float = 0.0
    high: float = 1.0
    direction: Literal["higher", "lower"] = "higher"
    more_never_lowers: bool = True


NO_TOPICS = "no topic has a score"


def ratio(part: float, whole: float, why_none: str) -> NuggetScore:
    """Return part / whole, undefined for a whole of 0.

    >>> ratio(1, 4, "there are no nuggets"), ratio(0, 0, "there are no nuggets").reason
    (NuggetScore(value=0.25, reason=''), 'there are no nuggets')
    """
    return NuggetScore(part / whole) if whole else NuggetScore(None, why_none)


def f_measure(precision: NuggetScore, recall: NuggetScore, beta: float = 1.0) -> NuggetScore:
    """Return (beta^2 + 1) P R / (beta^2 P + R), 0 where both are 0; undefined where one of them is.

    >>> round(f_measure(NuggetScore(0.6), NuggetScore(0.5), beta=3).value, 4)
    0.5085
    """
    if precision.value is None:
        return precision
    if recall.value is None:
        return recall
    below = beta**2 * precision.value + recall.value
    return NuggetScore((beta**2 + 1) * precision.value * recall.value / below if below else 0.0)


def mean_over_topics(scores: Mapping[str, NuggetScore]) -> RunScore:
    """Return the mean of the topics that have a value; the others are counted and named.

    scores: topic -> score of the run's answer, and 0 or undefined for a topic that the run does not answer.

    >>> mean_over_topics({"7": NuggetScore(0.5), "8": NuggetScore(1.0), "9": NuggetScore(None, "none")}).value
    0.75
    """
    values = [score.value for score in scores.values() if score.value is not None]
    undefined = {topic: score.reason for topic, score in scores.items() if score.value is None}
    if not values:
        return RunScore(None, NO_TOPICS, 0, undefined)
    return RunScore(sum(values) / len(values), "", len(values), undefined)
