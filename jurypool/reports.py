"""Scores of reports from judged sentences (ARGUE), and of answers by the questions of a rubric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assess.nuggets.assignments import Assignment
from assess.nuggets.banks import NuggetBank
from metrics.nuggets.argue import NAMES, ArgueCounts, JudgedSentence, argue_counts, micro, score_lines
from metrics.nuggets.rubric import RubricQuestion, contradictory, supportive
from metrics.nuggets.values import RunScore, mean_over_topics
from pooling.notebook import markup
from pooling.refusals import Refused

from .tables import shown


class ArgueScores(Mapping[str, RunScore]):
    """Scores of the reports of one run: name -> macro average, with `value`, or None and the `reason`.

    The names are sentence_support, citation_support, citation_relevance, nugget_coverage,
    nugget_coverage_weighted, f1 and f1_weighted. `topics` of a score is the number of topics in the mean,
    `undefined` says which topics are left out of it, and why.

    Attributes
    ----------
    by_topic
        topic -> `ArgueCounts`, with the counts of its report and a score by each name.
    micro
        The counts of all topics together, and micro averages by the same names.
    """

    def __init__(self, by_topic: Mapping[str, ArgueCounts]) -> None:
        self.by_topic, self.micro = by_topic, micro(by_topic.values())
        self._scores = {
            name: mean_over_topics({topic: getattr(counts, name) for topic, counts in by_topic.items()})
            for name in NAMES
        }

    def __getitem__(self, name: str) -> RunScore:
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def _rows(self) -> list[list[str]]:
        return [
            [name, score.reason if score.value is None else f"{score.value:.4f}", str(score.topics)]
            for name, score in self.items()
        ]

    def __repr__(self) -> str:
        rows = [f"{name:<26}{value}" for name, value, _ in self._rows()]
        return "\n".join([*rows, f"(macro averages, {len(self.by_topic)} topics)"])

    def _repr_html_(self) -> str:
        caption = f"macro averages, {len(self.by_topic)} topics"
        return markup(["score", "value", "topics"], self._rows(), caption)

    def to_tsv(self, tag: str) -> str:
        """Return the scores of topics, then micro and macro averages, as Auto-ARGUE writes them."""
        return score_lines(self.by_topic, tag)


def argue_scores(
    judged: Mapping[str, Sequence[JudgedSentence]], banks: Mapping[str, NuggetBank]
) -> ArgueScores:
    """Return the scores of the reports of one run from judged sentences, as ARGUE defines them.

    A sentence with citations is correct if every cited document attests it; only then the answers that it
    gives to questions count. A sentence without a citation counts as wrong if it denies what the bank says or
    needs a citation, unless its statement stands earlier. F1 is the harmonic mean of sentence support and
    nugget coverage. Sources: Mayfield et al. 2024 (SIGIR); Walden et al. 2025, arXiv 2509.26184.

    Parameters
    ----------
    judged
        topic -> the sentences of its report, each a `JudgedSentence` with ``citations`` (`JudgedCitation`)
        and ``answers``, pairs of a question of the bank and an answer to it.
    banks
        What `read_nuggets` returned, with a bank for each topic.

    Raises
    ------
    Refused
        For a topic without a bank, for an answer that the bank does not have, and for a question with several
        answers and no aggregator.

    Examples
    --------
    >>> import jurypool as jp
    >>> questions = b'{"Who rows?": ["OR", {"Ann": [], "Bob": []}], "Who sails?": ["OR", {"Eve": []}]}'
    >>> banks = jp.read_nuggets(questions, topic="7")
    >>> cited = (jp.JudgedCitation("D1", is_attested=True),)
    >>> first = jp.JudgedSentence(cited, answers=(("Who rows?", "Ann"),))
    >>> scores = jp.argue_scores({"7": [first, jp.JudgedSentence(needs_citation=True)]}, banks)
    >>> scores["sentence_support"].value, scores["nugget_coverage"].value, scores["f1"].value
    (0.5, 0.5, 0.5)
    """
    if missing := [topic for topic in judged if topic not in banks]:
        raise Refused(f"expected a nugget bank for each topic, found none for {missing[0]}")
    for topic, sentences in judged.items():
        if wrong := [each for each in sentences if not isinstance(each, JudgedSentence)]:
            raise Refused(f"topic {topic}: expected JudgedSentence objects, found {shown(wrong[0])}")
    return ArgueScores({topic: argue_counts(own, banks[topic]) for topic, own in judged.items()})


def rubric_scores(
    judged: Mapping[str, Sequence[tuple[float, Sequence[str | None]]]],
) -> dict[str, RunScore]:
    """Return how far one run supports and contradicts the expected answers of rubrics, over its topics.

    Support counts 1, partial support 0.5, over the expected answers of a question; questions count by their
    weights. Support and contradiction are two scores, and less contradiction is better. Source: the DRAGUN
    track of TREC 2025, whose questions of importance A, B and C weigh 4, 2 and 1.

    Parameters
    ----------
    judged
        topic -> for each question of its rubric, the weight and what was said of each expected answer:
        ``"support"``, ``"partial_support"``, ``"not_support"``, ``"contradicts"``, or None where nobody has
        said yet. A topic that the run does not answer has ``"not_support"`` everywhere.

    The keys are support and contradiction. Each has a ``value``, or None and a ``reason``; ``topics``, the
    number of topics in the mean; and ``undefined``, which topics are left out.

    Examples
    --------
    >>> import jurypool as jp
    >>> scores = jp.rubric_scores({"7": [(4, ["support", "contradicts"]), (1, ["partial_support"])]})
    >>> {name: score.value for name, score in scores.items()}
    {'support': 0.5, 'contradiction': 0.4}
    """
    rubrics = {topic: [_question(topic, each) for each in own] for topic, own in judged.items()}
    return {
        name: mean_over_topics({topic: compute(questions) for topic, questions in rubrics.items()})
        for name, compute in (("support", supportive), ("contradiction", contradictory))
    }


def _question(topic: str, given: Any) -> RubricQuestion:
    known = {None, *Assignment}
    match given:
        case (int() | float() as weight, list() | tuple() as values) if all(
            value is None or isinstance(value, str) and value in known for value in values
        ):
            return RubricQuestion(weight, tuple(value and Assignment(value) for value in values))
    raise Refused(
        f"topic {topic}: expected a weight and a list of support, partial_support, not_support, contradicts "
        f"and None, found {shown(given)}"
    )
