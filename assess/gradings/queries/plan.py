"""Gradings before they are made: which answers each judge gets, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from accounts.models import User
from assess.gradings.criteria import PlannedCriterion
from assess.models import Answer, AnswerRun
from assess.topic_judges import judges_of_topics
from pooling.models import Topic
from pooling.strategies.draws import draw_source, shuffle

WORDS_A_MINUTE = 200


class PlannedGrading(NamedTuple):
    """What an organiser asks for. double: per cent of the topics for a second judge."""

    runs: Sequence[AnswerRun]
    judges: Sequence[User]
    topics: Sequence[Topic]
    criteria: Sequence[PlannedCriterion]
    double: int
    seed: int
    instructions: str = ""


class GraderLoad(NamedTuple):
    """The answers of a judge, and their words."""

    judge: User
    answers: int
    words: int

    @property
    def minutes(self) -> int:
        """Minutes of reading, citations not counted, at WORDS_A_MINUTE."""
        return ceil(self.words / WORDS_A_MINUTE)

    @property
    def hours(self) -> float:
        return self.minutes / 60


class GradingPreview(NamedTuple):
    """A grading in numbers. rows: (judge, place, answer) by keys. double: topics with two judges.

    without: topics without an answer of these runs.
    """

    rows: list[tuple[int, int, int]]
    loads: list[GraderLoad]
    topics: int
    answers: int
    double: int
    without: list[str]


def preview_of(asked: PlannedGrading) -> GradingPreview:
    """Return what `create_grading` would store. A judge gets all answers to a topic, one after the other."""
    answers = Answer.objects.filter(run__in=asked.runs, topic__in=asked.topics).order_by()
    of_topic: dict[str, dict[str, int]] = {topic.number: {} for topic in asked.topics}  # tag -> key
    work = Counter[str]()
    for number, tag, key, words in answers.values_list("topic__number", "run__tag", "pk", "words"):
        of_topic[number][tag] = key
        work[number] += words
    work = Counter({topic: work[topic] for topic, own in of_topic.items() if own})  # in the order of topics
    judges = {judge.username: judge for judge in asked.judges}
    chosen = judges_of_topics(work, list(judges), asked.double / 100, asked.seed, "gradings")
    rows, places, words_of = [], Counter[str](), Counter[str]()
    for topic, names in chosen.items():
        for name in names:
            draw = draw_source(asked.seed, name)
            for tag in shuffle(of_topic[topic], draw, topic):
                places[name] += 1
                rows.append((judges[name].pk, places[name], of_topic[topic][tag]))
            words_of[name] += work[topic]
    return GradingPreview(
        rows,
        [GraderLoad(judge, places[name], words_of[name]) for name, judge in judges.items()],
        len(work),
        sum(len(own) for own in of_topic.values()),
        sum(len(names) > 1 for names in chosen.values()),
        [topic.number for topic in asked.topics if topic.number not in work],
    )
