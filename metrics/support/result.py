"""The result of citation support: precision and recall of the runs, agreement of two judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assess.kappa.doubled import DoubledLabels, doubled_labels
from metrics.nuggets.columns import measure_column
from metrics.nuggets.support import MEASURES, Support
from metrics.nuggets.values import NuggetMeasure, NuggetScore
from metrics.rankings.measure_columns import MeasureColumn, OrderedRuns, ordered_runs

OF_FIRST = tuple(each for each in MEASURES if not each.name.endswith(("_any", "_all")))
NOT_ALL_ANSWERS = "not all citations of all answers have a label"


class CheckedCitation(NamedTuple):
    """What a judge says of a citation in the answer of a run. sentence, citation: places, from 1.

    support: None where the judge could not say.
    """

    topic: str
    run: str
    judge: str
    sentence: int
    citation: int
    support: Support | None


Citations = Mapping[tuple[str, str], Sequence[int]]
"""(topic, run) -> for each sentence of the answer, how many of its citations are checked."""


class AnswerSupport(NamedTuple):
    """The scores of the answer of a run. judges: how many have checked all of its citations.

    is_complete: whether one has, or there is none to check.
    """

    topic: str
    run: str
    judges: int
    is_complete: bool
    scores: list[NuggetScore]


@dataclass(frozen=True, eq=False)
class SupportResult:
    """Everything that the page of results shows.

    complete: answers of which a judge has checked all citations, of `answers`. cannot: labels of citations
    that judges could not judge.
    """

    ordered: OrderedRuns
    answers: int
    complete: int
    labels: int
    cannot: int
    judges: int
    agreement: DoubledLabels[Support]

    @property
    def plain(self) -> dict[str, Any]:
        """The figures of the page of results as plain values, for files and the API."""
        counts = {"labels": self.labels, "judges": self.judges, "answers": self.answers}
        counts |= {"complete": self.complete, "cannot": self.cannot}
        return counts | self.ordered.plain | self.agreement.plain


def measures_of(every: bool) -> Sequence[NuggetMeasure]:
    """Return the measures that a set has labels for. every: of all citations of a sentence."""
    return MEASURES if every else OF_FIRST


def support_result(
    checked: Sequence[CheckedCitation],
    citations: Citations,
    topics: Sequence[str],
    runs: Collection[str],
    every: bool,
) -> SupportResult:
    """Return the result of labels.

    citations: of all answers of the set. topics: in their order. Two judges of an answer count by the mean of
    their scores, if both have checked all of its citations; otherwise the one who has counts. A topic that a
    run does not answer counts 0. A mean is over the topics in which every run has a score.
    """
    scored = answer_scores(checked, citations, topics, every)
    given: dict[tuple[str, str, int, int], dict[str, Support]] = {}
    for each in checked:
        if each.support is not None:
            place = each.topic, each.run, each.sentence, each.citation
            given.setdefault(place, {})[each.judge] = each.support
    return SupportResult(
        ordered_runs(sorted(runs), _columns(scored, topics, sorted(runs), every)),
        len(citations),
        sum(each.is_complete for each in scored),
        len(checked),
        sum(each.support is None for each in checked),
        len({each.judge for each in checked}),
        doubled_labels(given.values(), list(Support), Support.FULL),
    )


def answer_scores(
    checked: Sequence[CheckedCitation], citations: Citations, topics: Sequence[str], every: bool
) -> list[AnswerSupport]:
    """Return the scores of each answer, topic by topic."""
    given: dict[tuple[str, str], dict[str, dict[tuple[int, int], Support | None]]] = {}
    for each in checked:
        own = given.setdefault((each.topic, each.run), {}).setdefault(each.judge, {})
        own[each.sentence, each.citation] = each.support
    rows = []
    for topic in topics:
        for run in sorted(run for number, run in citations if number == topic):
            counts = citations[topic, run]
            labels = list(given.get((topic, run), {}).values())
            whole = [own for own in labels if len(own) == sum(counts)]
            scores = [
                [measure.compute(_sentences(counts, own)) for measure in measures_of(every)]
                for own in whole or labels[:1] or [{}]
            ]
            means = [_mean_of_judges(own) for own in zip(*scores, strict=True)]
            rows.append(AnswerSupport(topic, run, len(whole), bool(whole) or not sum(counts), means))
    return rows


def _sentences(
    counts: Sequence[int], own: Mapping[tuple[int, int], Support | None]
) -> list[list[Support | None]]:
    """Return for each sentence what one judge says of its citations, in order."""
    return [
        [own.get((place, citation)) for citation in range(1, count + 1)]
        for place, count in enumerate(counts, start=1)
    ]


def _mean_of_judges(scores: Sequence[NuggetScore]) -> NuggetScore:
    """Return the mean over the judges who have a score; the first reason if nobody has one."""
    values = [score.value for score in scores if score.value is not None]
    return NuggetScore(sum(values) / len(values)) if values else scores[0]


def _columns(
    scored: Sequence[AnswerSupport], topics: Sequence[str], runs: Sequence[str], every: bool
) -> list[MeasureColumn]:
    by_answer = {(each.topic, each.run): each.scores for each in scored}
    columns = []
    for place, measure in enumerate(measures_of(every)):
        by_topic = {
            topic: [by_answer[topic, run][place] if (topic, run) in by_answer else ZERO for run in runs]
            for topic in topics
        }
        short = measure.name.removeprefix("support_")
        columns.append(measure_column(measure, short, by_topic, NOT_ALL_ANSWERS))
    return columns


ZERO = NuggetScore(0.0)
