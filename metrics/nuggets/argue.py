"""ARGUE: whether the sentences of a report are supported, and which nuggets it covers.

A sentence with citations is correct if every cited document attests it; only then the answers to questions
that it gives count. A sentence without citation is wrong if it denies what the bank says or needs one,
unless its statement stands earlier in the report.

Sources: J. Mayfield et al., On the Evaluation of Machine-Generated Reports, SIGIR 2024; W. Walden et al.,
Auto-ARGUE, arXiv 2509.26184.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from assess.nuggets.banks import AND, NuggetBank
from metrics.nuggets.scores import weight_of
from metrics.nuggets.values import NuggetMeasure, NuggetScore, f_measure, mean_over_topics, ratio
from pooling.notebook import fields_html
from pooling.refusals import Refused

AUTO_ARGUE = "W. Walden et al. Auto-ARGUE: LLM-Based Report Generation Evaluation. arXiv 2509.26184"
NO_SENTENCES = "no sentence has or needs a citation"
NO_CITATIONS = "there are no citations"
NO_NUGGETS = "there are no nuggets"
NO_WEIGHT = "no nugget has a weight above 0"


class JudgedCitation(NamedTuple):
    """A citation of a sentence. is_attested: whether the document attests the sentence. is_relevant: whether
    it is relevant to the topic."""

    docno: str
    is_attested: bool
    is_relevant: bool = False

    def _repr_html_(self) -> str:
        return fields_html(self)


class JudgedSentence(NamedTuple):
    """A sentence of a report.

    answers: (question, answer) pairs of the bank that it gives, (statement, "") of a statement. denies,
    needs_citation: of a sentence without citations. is_repeated: whether its statement stands earlier, with a
    citation or not.
    """

    citations: tuple[JudgedCitation, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    denies: bool = False
    needs_citation: bool = False
    is_repeated: bool = False

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def is_correct(self) -> bool:
        return bool(self.citations) and all(citation.is_attested for citation in self.citations)

    @property
    def counts(self) -> bool:
        """Whether it has a citation, or is wrong without one."""
        return bool(self.citations) or ((self.denies or self.needs_citation) and not self.is_repeated)


class ArgueCounts(NamedTuple):
    """Counts of one report, or of several together.

    correct, sentences: sentences with full support, of those that have or need a citation. attested,
    relevant, citations: of citations. credited, nuggets: nuggets, and the sums of their weights.
    """

    correct: int
    sentences: int
    credited: int
    nuggets: int
    attested: int = 0
    relevant: int = 0
    citations: int = 0
    credited_weight: float = 0.0
    weight: float = 0.0

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def sentence_support(self) -> NuggetScore:
        return ratio(self.correct, self.sentences, NO_SENTENCES)

    @property
    def citation_support(self) -> NuggetScore:
        return ratio(self.attested, self.citations, NO_CITATIONS)

    @property
    def citation_relevance(self) -> NuggetScore:
        return ratio(self.relevant, self.citations, NO_CITATIONS)

    @property
    def nugget_coverage(self) -> NuggetScore:
        return ratio(self.credited, self.nuggets, NO_NUGGETS)

    @property
    def nugget_coverage_weighted(self) -> NuggetScore:
        return ratio(self.credited_weight, self.weight, NO_WEIGHT)

    @property
    def f1(self) -> NuggetScore:
        """The harmonic mean of sentence support and nugget coverage."""
        return f_measure(self.sentence_support, self.nugget_coverage)

    @property
    def f1_weighted(self) -> NuggetScore:
        return f_measure(self.sentence_support, self.nugget_coverage_weighted)


def argue_counts(sentences: Sequence[JudgedSentence], bank: NuggetBank) -> ArgueCounts:
    """Return the counts of a report.

    A question with the aggregator OR is credited for one of its answers, with AND for all. A nugget weighs 1
    where the bank has no importance. Raises Refused for an answer that the bank does not have, and for a
    question with several answers and no aggregator.
    """
    given: dict[str, set[str]] = {}
    for sentence in sentences:
        for question, answer in sentence.answers if sentence.is_correct else ():
            given.setdefault(question, set()).add(answer)
    wanted = {nugget.text: {each.text for each in nugget.answers} or {""} for nugget in bank.nuggets}
    for sentence in sentences:
        for question, answer in sentence.answers:
            if answer not in wanted.get(question, ()):
                shown_reply = f"{question!r}, {answer!r}"
                raise Refused(f"expected a question and an answer of the bank, found {shown_reply}")
    credited = {
        nugget.text
        for nugget in bank.nuggets
        if _is_credited(nugget.aggregator, nugget.text, wanted[nugget.text], given.get(nugget.text, set()))
    }
    weights = {
        nugget.text: 1.0 if nugget.importance is None else weight_of(nugget.importance)
        for nugget in bank.nuggets
    }
    citations = [citation for sentence in sentences for citation in sentence.citations]
    return ArgueCounts(
        correct=sum(sentence.is_correct for sentence in sentences),
        sentences=sum(sentence.counts for sentence in sentences),
        credited=len(credited),
        nuggets=len(bank.nuggets),
        attested=sum(citation.is_attested for citation in citations),
        relevant=sum(citation.is_relevant for citation in citations),
        citations=len(citations),
        credited_weight=sum(weight for text, weight in weights.items() if text in credited),
        weight=sum(weights.values()),
    )


def _is_credited(aggregator: str, question: str, wanted: set[str], given: set[str]) -> bool:
    if not aggregator and len(wanted) > 1:
        raise Refused(f"expected OR or AND of {question!r}, which has {len(wanted)} answers, found none")
    return given == wanted if aggregator == AND else bool(given)


def micro(topics: Iterable[ArgueCounts]) -> ArgueCounts:
    """Return the counts of several topics together; its scores are the micro averages.

    >>> both = micro([ArgueCounts(1, 2, 3, 4), ArgueCounts(2, 2, 0, 4)])
    >>> both.sentence_support.value, both.nugget_coverage.value
    (0.75, 0.375)
    """
    columns = list(zip(*topics, strict=True)) or [(0,)] * len(ArgueCounts._fields)
    return ArgueCounts(*(sum(column) for column in columns))


NAMES = (
    "sentence_support", "citation_support", "citation_relevance", "nugget_coverage",
    "nugget_coverage_weighted", "f1", "f1_weighted",
)  # fmt: skip


def score_lines(topics: Mapping[str, ArgueCounts], tag: str) -> str:
    """Return the scores as Auto-ARGUE writes them: run, topic, score and value, separated by tabs.

    Behind the topics stands `all`, with micro and macro averages; the macro average of F1 is the mean of the
    topics' F1. A score without value has no line.

    >>> for line in score_lines({"300": ArgueCounts(14, 15, 9, 15)}, "one").splitlines()[1:4]:
    ...     print(line.split("\\t"))
    ['one', '300', 'sentence_support', '0.9333333333333333']
    ['one', '300', 'nugget_coverage', '0.6']
    ['one', '300', 'f1', '0.7304347826086957']
    """
    scores = {topic: {name: getattr(counts, name) for name in NAMES} for topic, counts in topics.items()}
    together = micro(topics.values())
    rows = score_rows(scores, {name: getattr(together, name) for name in NAMES}, tag)
    return "".join("\t".join(row) + "\n" for row in [COLUMNS, *rows])


COLUMNS = ("run_id", "request_id", "metric", "value")


def score_rows(
    scores: Mapping[str, Mapping[str, NuggetScore]], micro_averages: Mapping[str, NuggetScore], tag: str
) -> list[tuple[str, str, str, str]]:
    """Return the rows of one run, as COLUMNS name their cells. scores: topic -> name -> score.

    micro_averages: name -> score of all topics together; it decides which scores have rows.
    """
    rows = [(topic, name, own[name].value) for topic, own in scores.items() for name in micro_averages]
    for name, together in micro_averages.items():
        mean = mean_over_topics({topic: own[name] for topic, own in scores.items()})
        rows.append(("all", f"{name}_micro", together.value))
        rows.append(("all", f"{name}_macro", mean.value))
    return [(tag, topic, name, repr(value)) for topic, name, value in rows if value is not None]


def _measure(name: str, meaning: str, formula: str, undefined: str) -> NuggetMeasure:
    return NuggetMeasure(f"argue_{name}", "argue", attrgetter(name), meaning, formula, undefined, AUTO_ARGUE)


MEASURES = (
    _measure(
        "sentence_support",
        "the share of sentences whose citations all attest them",
        "correct sentences / sentences that have or need a citation",
        "where no sentence has or needs a citation",
    ),
    _measure(
        "citation_support",
        "the share of citations that attest their sentence",
        "attested citations / citations",
        "without a citation",
    ),
    _measure(
        "citation_relevance",
        "the share of citations of relevant documents",
        "relevant citations / citations",
        "without a citation",
    ),
    _measure(
        "nugget_coverage",
        "the share of nuggets that correct sentences hold",
        "credited nuggets / nuggets",
        "without a nugget",
    ),
    _measure(
        "nugget_coverage_weighted",
        "the same by weight",
        "Σ_credited w / Σ w",
        "where no nugget has a weight above 0",
    ),
    _measure(
        "f1",
        "sentence support and nugget coverage together",
        "2 S C / (S + C)",
        "where one of them is undefined",
    ),
    _measure(
        "f1_weighted",
        "sentence support and weighted nugget coverage together",
        "2 S C / (S + C)",
        "where one of them is undefined",
    ),
)
