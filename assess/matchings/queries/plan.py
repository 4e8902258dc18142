"""Matchings before they are made: which answers each judge gets, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from accounts.models import User
from assess.models import Answer, AnswerRun, Bank
from assess.topic_judges import judges_of_topics
from pooling.models import Topic
from pooling.strategies.draws import draw_source, shuffle


class PlannedMatching(NamedTuple):
    """What an organiser asks for. double: per cent of the topics for a second judge.

    contradicts: whether judges may say that an answer contradicts a nugget.
    """

    bank: Bank
    runs: Sequence[AnswerRun]
    judges: Sequence[User]
    topics: Sequence[Topic]
    contradicts: bool
    double: int
    seed: int
    instructions: str = ""


class MatcherLoad(NamedTuple):
    """The answers of a judge. labels: one for each nugget of each answer."""

    judge: User
    answers: int
    labels: int


class MatchingPreview(NamedTuple):
    """A matching in numbers. rows: (judge, place, answer) by keys. double: topics with two judges.

    without: topics without an answer of these runs. without_nuggets: topics without a nugget in the bank.
    """

    rows: list[tuple[int, int, int]]
    loads: list[MatcherLoad]
    topics: int
    answers: int
    nuggets: int
    double: int
    without: list[str]
    without_nuggets: list[str]


def preview_of(asked: PlannedMatching) -> MatchingPreview:
    """Return what `create_matching` would store. A judge gets all answers to a topic, one after the other."""
    nuggets = Counter(asked.bank.nuggets.order_by().values_list("topic__number", flat=True))
    of_topic: dict[str, dict[str, int]] = {topic.number: {} for topic in asked.topics}  # tag -> key
    answers = Answer.objects.filter(run__in=asked.runs, topic__in=asked.topics).order_by()
    for number, tag, key in answers.values_list("topic__number", "run__tag", "pk"):
        of_topic[number][tag] = key
    work = {topic: nuggets[topic] * len(own) for topic, own in of_topic.items() if own and nuggets[topic]}
    judges = {judge.username: judge for judge in asked.judges}
    chosen = judges_of_topics(work, list(judges), asked.double / 100, asked.seed, "matchings")
    rows, places, labels = [], Counter[str](), Counter[str]()
    for topic, names in chosen.items():
        for name in names:
            for tag in shuffle(of_topic[topic], draw_source(asked.seed, name), topic):
                places[name] += 1
                rows.append((judges[name].pk, places[name], of_topic[topic][tag]))
            labels[name] += work[topic]
    with_nuggets = [topic.number for topic in asked.topics if nuggets[topic.number]]
    return MatchingPreview(
        rows,
        [MatcherLoad(judge, places[name], labels[name]) for name, judge in judges.items()],
        len(work),
        sum(len(of_topic[topic]) for topic in work),
        sum(nuggets[topic] for topic in work),
        sum(len(names) > 1 for names in chosen.values()),
        [topic for topic in with_nuggets if topic not in work],
        [topic.number for topic in asked.topics if not nuggets[topic.number]],
    )
