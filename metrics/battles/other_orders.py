"""Systems of battles in the order of other measures of their answers, beside the order by strength.

The measures are taken over the answers to the topics of the battles; each share is of all sentences, or of
all cited documents, of a system. Highest first does not mean best: tau is large, too, if votes go to length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metrics.battles.rank_intervals import BattleRanking
from metrics.rankings.rank_correlation import TAU_B, Correlation, kendall_tau_b
from metrics.rankings.ranking import ranks

WORDS, CITED_SENTENCES, CITATIONS, RELEVANT, NDCG = KEYS = (
    "words_per_answer", "cited_sentences", "citations_per_answer", "relevant_cited", "ndcg_of_run",
)  # fmt: skip
NAMES: Mapping[str, str] = {
    WORDS: "Words per answer",
    CITED_SENTENCES: "Sentences with a citation",
    CITATIONS: "Citations per answer",
    RELEVANT: "Cited documents that are relevant",
    NDCG: "nDCG of the run with the same tag",
}
DIGITS: Mapping[str, int] = {WORDS: 1, CITED_SENTENCES: 3, CITATIONS: 2, RELEVANT: 3, NDCG: 4}  # on the page
NO_ANSWERS = "no system has an answer to these topics"
NO_RELEASE = "there is no release of qrels"
NO_PUBLIC_RELEASE = "there is no public release of qrels"
NO_QRELS = "no topic of the battles is in the qrels"
NONE_CITED = "no answer to a topic of the qrels cites a document"


class AnswerCounts(NamedTuple):
    """One answer. sentences, with_citation: their number. citations: of all sentences. cited: docnos."""

    system: str
    topic: str
    words: int
    sentences: int
    with_citation: int
    citations: int
    cited: frozenset[str]


class OtherMeasure(NamedTuple):
    """A measure. key: one of KEYS. values: system -> value, of those that have one. reason: why none has."""

    key: str
    values: Mapping[str, float]
    reason: str = ""

    @property
    def name(self) -> str:
        return NAMES[self.key]


class RelevantDocuments(NamedTuple):
    """What qrels say: topic -> docnos. The topics of both are those of the qrels."""

    relevant: dict[str, frozenset[str]]
    judged: dict[str, frozenset[str]]


class CitedDocuments(NamedTuple):
    """Documents that the answers to topics of the qrels cite, once an answer, and how many are judged."""

    cited: int
    judged: int


def answer_measures(
    answers: Sequence[AnswerCounts], qrels: RelevantDocuments | None, no_release: str = NO_RELEASE
) -> tuple[list[OtherMeasure], CitedDocuments]:
    """Return the measures of answers. qrels: None where there is no release; no_release says so.

    A cited document without a grade is not relevant, as in measures of rankings; a document counts once an
    answer. Shares are undefined for a system without sentences, or without a cited document.

    >>> answers = [AnswerCounts("a", "7", 10, 2, 1, 3, frozenset({"D1", "D2"}))]
    >>> qrels = RelevantDocuments({"7": frozenset({"D1"})}, {"7": frozenset({"D1"})})
    >>> [list(measure.values.values()) for measure in answer_measures(answers, qrels)[0]]
    [[10.0], [0.5], [3.0], [0.5]]
    """
    none = "" if answers else NO_ANSWERS
    plain = [
        OtherMeasure(WORDS, _ratios(answers, lambda each: each.words, lambda each: 1), none),
        OtherMeasure(
            CITED_SENTENCES,
            _ratios(answers, lambda each: each.with_citation, lambda each: each.sentences),
            none,
        ),
        OtherMeasure(CITATIONS, _ratios(answers, lambda each: each.citations, lambda each: 1), none),
    ]
    if qrels is None:
        return [*plain, OtherMeasure(RELEVANT, {}, no_release)], CitedDocuments(0, 0)
    graded = [each for each in answers if each.topic in qrels.judged]
    values = _ratios(
        graded, lambda each: len(each.cited & qrels.relevant[each.topic]), lambda each: len(each.cited)
    )
    why = "" if values else NONE_CITED if graded else NO_QRELS
    judged = sum(len(each.cited & qrels.judged[each.topic]) for each in graded)
    cited = CitedDocuments(sum(len(each.cited) for each in graded), judged)
    return [*plain, OtherMeasure(RELEVANT, values, why)], cited


def _ratios(
    answers: Iterable[AnswerCounts],
    part: Callable[[AnswerCounts], int],
    whole: Callable[[AnswerCounts], int],
) -> dict[str, float]:
    """Return the sum of parts over the sum of wholes for each system; not where the wholes are 0."""
    sums: dict[str, list[int]] = {}
    for each in answers:
        of_system = sums.setdefault(each.system, [0, 0])
        of_system[0] += part(each)
        of_system[1] += whole(each)
    return {system: parts / wholes for system, (parts, wholes) in sums.items() if wholes}


class OrderCell(NamedTuple):
    """A system in an order: its value with the digits that a page shows, and its rank."""

    value: float
    digits: int
    rank: int


class OtherOrder(NamedTuple):
    """The order by a measure, highest first. ranks: system -> rank from 1, tied systems share the better one.

    tau: Kendall's tau-b with the order by strength, over the systems that have both; undefined says why.
    """

    measure: OtherMeasure
    ranks: Mapping[str, int]
    tau: Correlation

    def cell(self, system: str) -> OrderCell | None:
        """Return the system's place in the order; None if it has no value."""
        if system not in self.ranks:
            return None
        return OrderCell(self.measure.values[system], DIGITS[self.measure.key], self.ranks[system])


def other_orders(ranking: BattleRanking, measures: Iterable[OtherMeasure]) -> list[OtherOrder]:
    """Return the order of the systems by each measure, with its tau."""
    orders = []
    for measure in measures:
        places = [place for place, system in enumerate(ranking.systems) if system in measure.values]
        systems = [ranking.systems[place] for place in places]
        values = np.array([measure.values[system] for system in systems], dtype=np.float64)
        ranked = dict(zip(systems, ranks(values).tolist(), strict=True))
        why = measure.reason or ranking.model.reason
        if why or ranking.ranks is None:
            tau = Correlation(TAU_B, len(systems), None, why)
        else:
            tau = kendall_tau_b(-ranking.ranks[places].astype(np.float64), values)
        orders.append(OtherOrder(measure, ranked, tau))
    return orders
