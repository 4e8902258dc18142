"""The integrity check of battles: what a design promises still holds for the stored battles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from assess.models import Battle, BattleSet
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


class _Row(NamedTuple):
    """A battle by keys. topics, runs: of its two answers."""

    judge: str
    topic: int
    left: int
    right: int
    topics: tuple[int, int]
    runs: tuple[int, int]
    is_repeat: bool


def battle_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every set: answers of its runs to one topic, a pair once a judge, repeats that swap the sides."""
    for battle_set in campaign.battle_sets.order_by("number").iterator():
        runs = set(battle_set.runs.values_list("pk", flat=True))
        yield differing("battles", str(battle_set), _compared(_rows(battle_set), runs))


def _rows(battle_set: BattleSet) -> list[_Row]:
    battles = Battle.objects.filter(battle_set=battle_set).order_by("judge", "place")
    columns = ("judge__username", "topic", "left", "right", "left__topic", "right__topic")
    rows = battles.values_list(*columns, "left__run", "right__run", "is_repeat")
    return [
        _Row(judge, topic, left, right, (left_topic, right_topic), (left_run, right_run), is_repeat)
        for judge, topic, left, right, left_topic, right_topic, left_run, right_run, is_repeat in rows
    ]


def _compared(rows: list[_Row], runs: set[int]) -> dict[str, tuple[object, object]]:
    """Return name -> (what a design gives, what is stored), as numbers of battles that break a promise."""
    met, earlier = Counter[tuple[str, frozenset[int]]](), set[tuple[str, int, int]]()
    other_topics = other_runs = unfounded = 0
    for row in rows:
        other_topics += set(row.topics) != {row.topic}
        other_runs += not runs.issuperset(row.runs)
        if row.is_repeat:
            unfounded += (row.judge, row.right, row.left) not in earlier
        else:
            earlier.add((row.judge, row.left, row.right))
            met[row.judge, frozenset((row.left, row.right))] += 1
    return {
        "of answers to another topic": (0, other_topics),
        "of runs that are not in the set": (0, other_runs),
        "repeated without a first battle": (0, unfounded),
        "that a judge has twice": (0, sum(count > 1 for count in met.values())),
    }


CHECKS = (Check("battles", battle_faults),)
