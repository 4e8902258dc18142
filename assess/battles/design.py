"""Which battles to show to whom: a balanced design.

Every draw is a hash of the seed and of what is drawn for (see `pooling.strategies.draws`), so a design can be
made again from its seed in ten years' time, in whatever order topics, systems and judges are given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import NamedTuple

import numpy as np

from assess.battles.orientation import balanced_orientation
from assess.double_judging import MINIMUM_DISTANCE
from pooling.arrays import IntVector
from pooling.refusals import Refused
from pooling.strategies.draws import document_draws, draw_source, shuffle

DOUBLE, REPEATED = 0.1, 0.1

Pair = tuple[str, str]
"""Two systems, sorted."""


class Assignment(NamedTuple):
    """One battle for one judge. left, right: systems. is_repeat: the judge had it before, with sides swapped.

    topic and the pair of systems name the battle: the assignments of two judges to it have them in common.
    """

    topic: str
    judge: str
    left: str
    right: str
    is_repeat: bool = False


@dataclass(frozen=True)
class BattlePlan:
    """What a design is made from.

    answers: topic -> systems with an answer for it. judges: names. per_topic: battles of every topic, without
    those that a second judge gets and without repeats. double: the share of battles that are given to a
    second judge. repeated: the share of a judge's battles that are repeated. seed: of all draws.
    """

    answers: Mapping[str, Collection[str]]
    judges: Collection[str]
    per_topic: int
    double: float = DOUBLE
    repeated: float = REPEATED
    seed: int = 0


def battle_design(plan: BattlePlan) -> dict[str, list[Assignment]]:
    """Return judge -> battles, in the order in which the judge gets them.

    - Every pair of systems meets equally often, second judges not counted: numbers differ by at most one
      where all systems have answers for all topics. Where answers are missing, no exchange of one pair for
      another on a topic would bring the numbers of two pairs nearer.
    - On a topic a pair meets once, or, if `per_topic` is above the number m of all pairs, up to
      per_topic / m times, rounded up, and each time before another judge: no judge sees a pair of systems
      twice on a topic, but for repeats. So topics with fewer answers can have fewer battles.
    - Judges have equally many battles, but for one.
    - Each system is as often left as right, but for one, and so is each system against each other.
    - The number of second judges is `double` of the number of battles, rounded up; fewer where no judge is
      left for them. They go to the pairs with the fewest battles.
    - A repeat has its sides swapped, and comes MINIMUM_DISTANCE battles after the first, in a list of fewer
      than twice as many battles half a list after it. A judge's repeats are `repeated` of the battles,
      rounded down, and no more than have such a place.
    - A judge gets one topic after the other, both topics and battles in random order.

    Raises Refused without judges, without a topic with two answers, for a number of battles below 1, for
    shares outside 0 to 1, and for one judge if battles are to have two.

    >>> plan = BattlePlan({"7": "abc", "8": "abc"}, ["ann", "bob"], per_topic=3, double=0.5)
    >>> design = battle_design(plan)
    >>> [len(design[judge]) for judge in ("ann", "bob")]
    [5, 4]
    """
    _check(plan)
    judges = sorted(set(plan.judges))
    battles = _battles(plan, len(judges))
    battles = _with_second(battles, plan, len(judges))
    sides = _with_sides(_with_judges(battles, judges, plan.seed), plan.seed)
    return {judge: _ordered(sides.get(judge, ()), judge, plan) for judge in judges}


def _check(plan: BattlePlan) -> None:
    if not plan.judges:
        raise Refused("expected at least one judge")
    if all(len(set(own)) < 2 for own in plan.answers.values()):
        raise Refused("expected a topic with answers of two systems")
    if plan.per_topic < 1:
        raise Refused(f"expected at least one battle of a topic, found {plan.per_topic}")
    for share in (plan.double, plan.repeated):
        if not 0 <= share <= 1:
            raise Refused(f"expected a share from 0 to 1, found {share}")
    if plan.double and len(set(plan.judges)) < 2:
        raise Refused("expected two judges or more, as some battles are to have two, found one")


class _Battles(NamedTuple):
    """How often each pair is shown on a topic. counts: int64 of shape (topics, pairs); -1 without answers."""

    topics: list[str]
    pairs: list[Pair]
    counts: IntVector


def _battles(plan: BattlePlan, judges: int) -> _Battles:
    """Choose the pairs of every topic: those with the fewest battles so far, of systems with the fewest."""
    topics = sorted(plan.answers)
    systems = sorted({system for own in plan.answers.values() for system in own})
    place = {system: index for index, system in enumerate(systems)}
    pairs = list(combinations(systems, 2))
    ends = np.array([[place[one], place[other]] for one, other in pairs], dtype=np.int64).reshape(-1, 2)
    counts = np.full((len(topics), len(pairs)), -1, dtype=np.int64)
    totals = np.zeros(len(pairs), dtype=np.int64)
    names = np.array([f"{one}\0{other}".encode() for one, other in pairs], dtype=np.bytes_)
    most = min(judges, ceil(plan.per_topic / len(pairs)))  # of a pair on a topic
    for row, topic in enumerate(topics):
        has_answer = np.zeros(len(systems), dtype=bool)
        has_answer[[place[system] for system in plan.answers[topic]]] = True
        possible = np.flatnonzero(has_answer[ends].all(axis=1))
        if not len(possible):
            continue
        possible = possible[np.argsort(document_draws(names[possible], plan.seed, topic), kind="stable")]
        own, met = np.zeros(len(possible), dtype=np.int64), np.zeros(len(systems), dtype=np.int64)
        for _ in range(min(plan.per_topic, most * len(possible))):
            before = totals[possible] + own
            fewest = np.flatnonzero(own == own.min())
            fewest = fewest[before[fewest] == before[fewest].min()]
            chosen = fewest[met[ends[possible[fewest]]].sum(axis=1).argmin()]
            own[chosen] += 1
            met[ends[possible[chosen]]] += 1
        totals[possible] += own
        counts[row, possible] = own
    _level(counts, totals)
    return _Battles(topics, pairs, counts)


def _level(counts: IntVector, totals: IntVector) -> None:
    """Exchange pairs on a topic while that brings the numbers of battles of two pairs nearer. In place."""
    changed = True
    while changed:
        changed = False
        for own in counts:
            possible = np.flatnonzero(own >= 0)
            while len(possible):
                is_more = own[possible] > own[possible].min()  # pairs of a topic differ by one at most
                if not is_more.any():
                    break
                more, fewer = possible[is_more], possible[~is_more]
                most, least = more[totals[more].argmax()], fewer[totals[fewer].argmin()]
                if totals[most] - totals[least] < 2:
                    break
                for pair, step in ((most, -1), (least, 1)):
                    own[pair] += step
                    totals[pair] += step
                changed = True


def _with_second(battles: _Battles, plan: BattlePlan, judges: int) -> _Battles:
    """Give a share of the battles a second judge: of the pair with the fewest, where a topic has fewest."""
    counts = battles.counts.copy()
    shown = np.maximum(counts, 0)
    wanted = ceil(round(plan.double * int(shown.sum()), 9))
    totals, of_topic = shown.sum(axis=0), np.zeros(len(counts), dtype=np.int64)
    draw = draw_source(plan.seed, "second judge")
    order = np.array([battles.topics.index(topic) for topic in shuffle(battles.topics, draw)])
    pair_rank = np.array([draw(*pair) for pair in battles.pairs]).argsort().argsort()
    left = (battles.counts > 0) & (counts < judges)
    for _ in range(wanted):
        open_pairs = np.flatnonzero(left.any(axis=0))
        if not len(open_pairs):
            break
        pair = open_pairs[np.lexsort((pair_rank[open_pairs], totals[open_pairs]))[0]]
        rows = order[left[order, pair]]
        row = rows[of_topic[rows].argmin()]
        counts[row, pair] += 1
        totals[pair] += 1
        of_topic[row] += 1
        left[row, pair] = False
    return battles._replace(counts=counts)


class _Shown(NamedTuple):
    """A battle for one judge, before the sides are known."""

    topic: str
    judge: str
    pair: Pair


def _with_judges(battles: _Battles, judges: Sequence[str], seed: int) -> list[_Shown]:
    """Give every battle to the judges with the fewest, and of these to those who saw the pair most seldom."""
    draw = draw_source(seed, "judges")
    loads, seen, shown = dict.fromkeys(judges, 0), Counter[tuple[str, Pair]](), list[_Shown]()
    places = zip(*(axis.tolist() for axis in np.nonzero(battles.counts > 0)), strict=True)
    drawn = sorted(places, key=lambda place: draw(battles.topics[place[0]], *battles.pairs[place[1]]))
    turn = shuffle(judges, draw, "turn")
    for row, column in drawn:
        topic, pair = battles.topics[row], battles.pairs[column]
        chosen = sorted(turn, key=lambda judge: (loads[judge], seen[judge, pair]))
        chosen = chosen[: int(battles.counts[row, column])]
        for judge in chosen:
            loads[judge] += 1
            seen[judge, pair] += 1
            shown.append(_Shown(topic, judge, pair))
        turn = turn[1:] + turn[:1]
    return shown


def _with_sides(shown: Iterable[_Shown], seed: int) -> dict[str, list[Assignment]]:
    """Return judge -> assignments with sides: of each pair half of each, and the odd ones as balanced."""
    draw = draw_source(seed, "sides")
    of_pair: dict[Pair, list[_Shown]] = {}
    for each in shown:
        of_pair.setdefault(each.pair, []).append(each)
    odd = sorted((pair for pair, own in of_pair.items() if len(own) % 2), key=lambda pair: draw("odd", *pair))
    more = dict(zip(odd, balanced_orientation(odd), strict=True))  # the system that is once more on the left
    by_judge: dict[str, list[Assignment]] = {}
    for pair, own in of_pair.items():
        own.sort(key=lambda each: draw(each.topic, each.judge, *pair))
        for place, each in enumerate(own):
            left, right = more.get(pair, pair) if place % 2 == 0 else more.get(pair, pair)[::-1]
            by_judge.setdefault(each.judge, []).append(Assignment(each.topic, each.judge, left, right))
    return by_judge


def _ordered(own: Iterable[Assignment], judge: str, plan: BattlePlan) -> list[Assignment]:
    """Return a judge's battles in order, with repeats."""
    draw = draw_source(plan.seed, "order")
    topic_order = {topic: draw(judge, topic) for topic in plan.answers}
    first = sorted(
        own, key=lambda each: (topic_order[each.topic], draw(judge, *_key(each)), each.topic, *_key(each))
    )
    distance = min(MINIMUM_DISTANCE, ceil(len(first) / 2))
    early = sorted(range(len(first) - distance), key=lambda place: draw("repeat", judge, *_key(first[place])))
    repeats: dict[int, list[Assignment]] = {}  # the place of a first battle -> repeats that follow it
    for place in early[: int(plan.repeated * len(first) + 1e-9)]:
        battle = first[place]
        later = place + distance + int(draw("later", judge, *_key(battle)) * (len(first) - place - distance))
        swapped = battle._replace(left=battle.right, right=battle.left, is_repeat=True)
        repeats.setdefault(later, []).append(swapped)
    return [each for place, battle in enumerate(first) for each in (battle, *repeats.get(place, ()))]


def _key(battle: Assignment) -> tuple[str, str, str]:
    one, other = sorted((battle.left, battle.right))
    return battle.topic, one, other
