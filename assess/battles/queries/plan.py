"""Sets of battles before they are made: what an organiser asks for, in numbers, and who may judge it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from accounts.models import User
from assess.battles.design import BattlePlan, battle_design
from assess.models import Answer, AnswerRun
from pooling.models import Topic

WORDS_A_MINUTE = 200


class PlannedBattles(NamedTuple):
    """What an organiser asks for. double, repeated: per cent."""

    runs: Sequence[AnswerRun]
    judges: Sequence[User]
    topics: Sequence[Topic]
    per_topic: int
    double: int
    repeated: int
    seed: int
    better: str


class JudgeLoad(NamedTuple):
    """The battles of a judge. repeats: of them. words: of all answers in them."""

    judge: User
    battles: int
    repeats: int
    words: int

    @property
    def hours(self) -> float:
        """Hours of reading, citations not counted, at WORDS_A_MINUTE."""
        return self.words / WORDS_A_MINUTE / 60


class DesignPreview(NamedTuple):
    """A design in numbers. rows: as they are stored, (judge, place, topic, left, right, is_repeat) by keys.

    battles: different ones. double: those of two judges or more. fewest, most: votes on a pair of runs,
    without repeats. pairs: of runs. without: topics with answers of fewer than two of the runs.
    """

    rows: list[tuple[int, int, int, int, int, bool]]
    loads: list[JudgeLoad]
    topics: int
    without: list[str]
    pairs: int
    fewest: int
    most: int
    battles: int
    double: int
    repeats: int

    @property
    def votes(self) -> int:
        return len(self.rows)


def preview_of(asked: PlannedBattles) -> DesignPreview:
    """Return the design that a seed gives, and its numbers. Raises Refused where there is none."""
    chosen_answers = Answer.objects.filter(run__in=asked.runs, topic__in=asked.topics)
    answers: dict[str, dict[str, tuple[int, int]]] = {topic.number: {} for topic in asked.topics}
    for key, number, tag, words in chosen_answers.order_by().values_list(
        "pk", "topic__number", "run__tag", "words"
    ):
        answers[number][tag] = key, words
    judges = {judge.username: judge for judge in asked.judges}
    shares = asked.double / 100, asked.repeated / 100
    design = battle_design(BattlePlan(answers, list(judges), asked.per_topic, *shares, asked.seed))
    topic_keys = {topic.number: topic.pk for topic in asked.topics}
    rows, loads, met, of_pair = [], [], Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for username, judge in judges.items():
        words = 0
        for place, each in enumerate(design[username], start=1):
            (left, left_words), (right, right_words) = (answers[each.topic][tag] for tag in each[2:4])
            rows.append((judge.pk, place, topic_keys[each.topic], left, right, each.is_repeat))
            words += left_words + right_words
            if not each.is_repeat:
                pair = tuple(sorted((each.left, each.right)))
                met[each.topic, *pair] += 1
                of_pair[pair] += 1
        repeats = sum(each.is_repeat for each in design[username])
        loads.append(JudgeLoad(judge, len(design[username]), repeats, words))
    tags = sorted({tag for own in answers.values() for tag in own})
    pairs = len(tags) * (len(tags) - 1) // 2
    repeats = sum(load.repeats for load in loads)
    return DesignPreview(
        rows,
        loads,
        sum(len(own) > 1 for own in answers.values()),
        [number for number, own in answers.items() if len(own) < 2],
        pairs,
        min(of_pair.values()) if len(of_pair) == pairs else 0,
        max(of_pair.values()),
        len(met),
        sum(count > 1 for count in met.values()),
        repeats,
    )
