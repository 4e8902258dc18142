"""Sets of citations before they are made: which citations each judge gets, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from accounts.models import User
from assess.models import Answer, AnswerRun
from assess.queries.answers import with_text
from assess.topic_judges import judges_of_topics
from pooling.models import Topic
from pooling.strategies.draws import draw_source, shuffle


class PlannedSupport(NamedTuple):
    """What an organiser asks for. every: all citations of a sentence. double: per cent of the topics."""

    runs: Sequence[AnswerRun]
    judges: Sequence[User]
    topics: Sequence[Topic]
    every: bool
    double: int
    seed: int
    instructions: str = ""


class CheckerLoad(NamedTuple):
    """The citations of a judge, and in how many answers they are."""

    judge: User
    answers: int
    citations: int


class SupportPreview(NamedTuple):
    """A set in numbers. rows: (judge, place, answer, sentence, citation, docno).

    sentences: of all answers; cited: those with a citation. without_text: citations of documents without a
    text here. double: topics with two judges. without: topics without a citation in an answer of these runs.
    """

    rows: list[tuple[int, int, int, int, int, str]]
    loads: list[CheckerLoad]
    topics: int
    answers: int
    sentences: int
    cited: int
    citations: int
    without_text: int
    double: int
    without: list[str]


class _Citation(NamedTuple):
    answer: int
    sentence: int
    citation: int
    docno: str


def preview_of(asked: PlannedSupport) -> SupportPreview:
    """Return what `create_support` would store.

    A judge gets all citations of the answers to a topic, answer by answer, in the order of the answer.
    """
    chosen_answers = Answer.objects.filter(run__in=asked.runs, topic__in=asked.topics).select_related(
        "run", "topic"
    )
    of_topic: dict[str, dict[str, list[_Citation]]] = {topic.number: {} for topic in asked.topics}
    sentences = cited = answers = 0
    for answer in chosen_answers.order_by():
        stored = answer.stored_sentences
        own = [
            _Citation(answer.pk, place, citation, docno)
            for place, sentence in enumerate(stored, start=1)
            for citation, docno in enumerate(sentence.citations[: None if asked.every else 1], start=1)
        ]
        sentences += len(stored)
        cited += sum(bool(sentence.citations) for sentence in stored)
        answers += bool(own)
        if own:
            of_topic[answer.topic.number][answer.run.tag] = own
    citations = [each for own in of_topic.values() for these in own.values() for each in these]
    work = {topic: sum(map(len, own.values())) for topic, own in of_topic.items() if own}
    judges = {judge.username: judge for judge in asked.judges}
    chosen = judges_of_topics(work, list(judges), asked.double / 100, asked.seed, "support")
    rows, places, answers_of = [], Counter[str](), Counter[str]()
    for topic, names in chosen.items():
        for name in names:
            for tag in shuffle(of_topic[topic], draw_source(asked.seed, name), topic):
                answers_of[name] += 1
                for each in of_topic[topic][tag]:
                    places[name] += 1
                    rows.append((judges[name].pk, places[name], *each))
    campaign = asked.topics[0].campaign if asked.topics else None
    texts = with_text(campaign, {each.docno for each in citations}) if campaign else set()
    return SupportPreview(
        rows,
        [CheckerLoad(judge, answers_of[name], places[name]) for name, judge in judges.items()],
        len(work),
        answers,
        sentences,
        cited,
        len(citations),
        sum(each.docno not in texts for each in citations),
        sum(len(names) > 1 for names in chosen.values()),
        [topic.number for topic in asked.topics if topic.number not in work],
    )
