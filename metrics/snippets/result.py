"""What grades of snippets and of their documents say about the results of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assess.judge_checks import wilson
from assess.kappa.agreement import coefficients
from assess.kappa.bootstrap import MIN_TOPICS, Bootstrap
from assess.kappa.coefficient import NO_LABELS, NO_OVERLAP, ONE_CATEGORY, ONE_JUDGE, TOO_FEW, Coefficient
from assess.kappa.labels import labels_of, labels_of_records
from assess.kappa.pairs import pair_report
from assess.kappa.registry import REGISTRY

COEFFICIENTS = ("percent", "cohen", "cohen-quadratic", "percent-binary", "cohen-binary")
REASONS = {
    NO_OVERLAP: "no result has both grades",
    TOO_FEW: "fewer than two results have both grades",
    ONE_CATEGORY: "all grades are the same, so that chance alone could not disagree",
}
JUDGES = ("percent", "alpha-ordinal", "percent-binary", "alpha-nominal-binary")
NO_SECOND = "no result has grades of two judges"
REASONS_OF_JUDGES = {
    NO_LABELS: NO_SECOND,
    ONE_JUDGE: NO_SECOND,
    NO_OVERLAP: NO_SECOND,
    TOO_FEW: "fewer than two results have grades of two judges",
    ONE_CATEGORY: REASONS[ONE_CATEGORY],
}
FEW_TOPICS = f"fewer than {MIN_TOPICS} topics, too few for an interval over topics"
NO_SPREAD = "the same in every topic, so that drawing topics gives no interval"
NO_RELEVANT = "no document with both grades is relevant"
ALL_RELEVANT = "every document with both grades is relevant"
NO_TOPIC = "no judge has graded all snippets of a topic"


class GradedResult(NamedTuple):
    """A result and what one judge gave. snippet, document: grades, None without one.

    answers: whether the judge said that the snippet alone answers the topic.
    """

    topic: str
    docno: str
    rank: int
    judge: str
    snippet: int | None
    answers: bool
    document: int | None


class Share(NamedTuple):
    """A share of n, with its 95 % interval. hits: may have halves, of topics with two judges.

    value: None where it is undefined; low and high: None without an interval; note: why.
    """

    hits: float
    n: int
    value: float | None
    low: float | None
    high: float | None
    note: str = ""


class SnippetFigures(NamedTuple):
    """Everything on the page of results.

    graded: results with a grade of the snippet, by judge; both: with both grades. topics: with both grades.
    table: rows snippet, columns document, by places on the scale. coefficients: of the two grades, see
    COEFFICIENTS. missed: of the relevant documents, those whose snippet looks not relevant. attracted: of the
    other documents, those whose snippet looks relevant. answered: of the topics, those that a snippet
    answers. judges_of_same: see `agreement_of_judges`.
    """

    graded: int
    both: int
    topics: int
    judges: int
    table: list[list[int]]
    coefficients: list[tuple[str, Coefficient]]
    missed: Share
    attracted: Share
    answered: Share
    judges_of_same: list[tuple[str, Coefficient, Coefficient]]

    @property
    def no_interval(self) -> str:
        """Why the coefficients have no interval; "" if there are enough topics for one."""
        return FEW_TOPICS if self.topics < MIN_TOPICS else ""


def snippet_figures(results: Sequence[GradedResult], scale: Sequence[int], threshold: int) -> SnippetFigures:
    """Return the figures of a set. results: each once for each of its judges; scale: all grades, ascending.

    A grade from the threshold on is relevant. A user is taken to click on what looks relevant, so that a
    relevant document behind another snippet would be missed, and a document that is not relevant behind a
    snippet that looks so would be clicked in vain. Intervals of agreement and of these two shares are by
    bootstrap over topics, since results of a topic are not independent; none for fewer than MIN_TOPICS.

    Coefficients are undefined for fewer than two results with both grades, kappa also where all grades are
    the same; a share is undefined where nothing is counted.
    """
    both = [each for each in results if each.snippet is not None and each.document is not None]
    place = {grade: at for at, grade in enumerate(scale)}
    places = [[place[each.snippet] for each in both], [place[each.document] for each in both]]  # type: ignore[index]
    topic = [each.topic for each in both]
    labels = labels_of(places, scale, threshold, topic, judges=("snippet", "document"))
    report = pair_report(labels, "snippet", "document", Bootstrap())
    return SnippetFigures(
        sum(each.snippet is not None for each in results),
        len(both),
        len({*topic}),
        len({each.judge for each in results if each.snippet is not None}),
        report.counts.tolist(),
        [(key, _in_these_words(report.coefficients[key])) for key in COEFFICIENTS],
        share_of(
            both, lambda each: _relevant(each.document, threshold),
            lambda each: not _relevant(each.snippet, threshold), NO_RELEVANT,
        ),
        share_of(
            both, lambda each: not _relevant(each.document, threshold),
            lambda each: _relevant(each.snippet, threshold), ALL_RELEVANT if both else NO_RELEVANT,
        ),
        answered_topics(results),
        agreement_of_judges(results, scale, threshold),
    )  # fmt: skip


def _in_these_words(coefficient: Coefficient) -> Coefficient:
    """Return a coefficient whose reason speaks of results instead of judges."""
    return coefficient._replace(reason=REASONS.get(coefficient.reason, coefficient.reason))


def agreement_of_judges(
    results: Sequence[GradedResult], scale: Sequence[int], threshold: int
) -> list[tuple[str, Coefficient, Coefficient]]:
    """Return how judges of the same results agree: (key of JUDGES, of snippets, of documents).

    Results with grades of fewer than two judges do not count; without any, the coefficients are undefined.
    Intervals are by bootstrap over the topics with such results.
    """
    sides = []
    for step in ("snippet", "document"):
        records = [
            (each.topic, each.docno, each.judge, grade)
            for each in results
            if (grade := getattr(each, step)) is not None
        ]
        labels = labels_of_records(records, scale, threshold)
        figures = coefficients(labels, [REGISTRY[key] for key in JUDGES], Bootstrap())
        sides.append(
            [each._replace(reason=REASONS_OF_JUDGES.get(each.reason, each.reason)) for each in figures]
        )
    return list(zip(JUDGES, *sides, strict=True))


def _relevant(grade: int | None, threshold: int) -> bool:
    return grade is not None and grade >= threshold


Test = Callable[[GradedResult], bool]


def share_of(results: Sequence[GradedResult], counts: Test, hits: Test, none: str) -> Share:
    """Return the share of hits among the results that count, with an interval by bootstrap over topics.

    none: the note where no result counts.
    """
    counted = [each for each in results if counts(each)]
    if not counted:
        return Share(0, 0, None, None, None, none)
    topics = {topic: at for at, topic in enumerate(dict.fromkeys(each.topic for each in counted))}
    totals, sums = np.zeros(len(topics)), np.zeros(len(topics))
    for each in counted:
        totals[topics[each.topic]] += 1
        sums[topics[each.topic]] += hits(each)
    value, n = float(sums.sum() / totals.sum()), len(counted)
    if len(topics) < MIN_TOPICS:
        return Share(float(sums.sum()), n, value, None, None, FEW_TOPICS)
    if np.allclose(sums / totals, value):
        return Share(float(sums.sum()), n, value, None, None, NO_SPREAD)
    bootstrap = Bootstrap()
    weights = bootstrap.weights(len(topics))
    low, high = bootstrap.interval((weights @ sums) / (weights @ totals), len(topics)) or (None, None)
    return Share(float(sums.sum()), n, value, low, high)


def answered_topics(results: Sequence[GradedResult]) -> Share:
    """Return the share of topics that a snippet answers alone: the abandonment of these would be good.

    A topic counts for a judge who has graded all its snippets, and a topic of two judges by the mean of both.
    The interval is Wilson's, of as many topics. Li, Huffman and Tokuda, Good abandonment in mobile and PC
    internet search (SIGIR 2009).
    """
    by_judge: dict[tuple[str, str], list[GradedResult]] = {}
    for each in results:
        by_judge.setdefault((each.topic, each.judge), []).append(each)
    said: dict[str, list[bool]] = {}
    for (topic, _), own in by_judge.items():
        if all(each.snippet is not None for each in own):
            said.setdefault(topic, []).append(any(each.answers for each in own))
    if not said:
        return Share(0, 0, None, None, None, NO_TOPIC)
    hits, n = sum(sum(own) / len(own) for own in said.values()), len(said)
    low, high = wilson(hits, n) or (None, None)
    return Share(hits, n, hits / n, low, high)
