"""Allocation of topics to judges: one primary judge a topic, and second judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pooling.refusals import Refused


class TopicJudges(NamedTuple):
    """The judges who have a topic already. first: primary and sharing judges."""

    first: Collection[str] = ()
    second: Collection[str] = ()


class Allocation(NamedTuple):
    """One topic allocated to one judge. primary: false for a second judge."""

    topic: str
    judge: str
    primary: bool


def allocate_topics(
    topics: Sequence[str],
    judges: Sequence[str],
    seconds: int = 0,
    existing: Mapping[str, TopicJudges] | None = None,
) -> list[Allocation]:
    """Return which judge gets which topic: one primary judge and `seconds` second judges each, in turn.

    The judge with the fewest of these topics is next, in the order of the judges. Second judges are counted
    separately; of those with the fewest, the one is chosen who shares the fewest topics with this primary
    judge, so that every pair of judges shares topics.

    existing: topic -> its judges; they stay and count, so a second call allocates nothing. Raises Refused for
    no judges, or more second judges than other judges.

    >>> [each.judge for each in allocate_topics(["1", "2", "3"], ["ada", "ben"])]
    ['ada', 'ben', 'ada']
    >>> second = allocate_topics(["1", "2"], ["ada", "ben", "chi"], seconds=1)
    >>> [each.judge for each in second if not each.primary]
    ['ben', 'chi']
    """
    if not judges:
        raise Refused("expected at least one judge, found none")
    if not 0 <= seconds < len(judges):
        raise Refused(f"expected fewer second judges than the {len(judges)} judges, found {seconds}")
    before = {topic: (existing or {}).get(topic, TopicJudges()) for topic in topics}
    first = Counter(judge for each in before.values() for judge in each.first)
    second = Counter(judge for each in before.values() for judge in each.second)
    pairs: Counter[tuple[str, str]] = Counter()
    allocations = []
    for topic in topics:
        taken = {*before[topic].first, *before[topic].second}
        free = [judge for judge in judges if judge not in taken]
        primary = next(iter(before[topic].first), "")
        if not primary and free:
            primary = min(free, key=first.__getitem__)
            first[primary] += 1
            allocations.append(Allocation(topic, primary, True))
        others = [judge for judge in _after(primary, judges) if judge not in taken | {primary}]
        for _ in range(min(seconds - len(before[topic].second), len(others))):
            chosen = min(others, key=lambda judge: (second[judge], pairs[primary, judge]))
            others.remove(chosen)
            second[chosen] += 1
            pairs[primary, chosen] += 1
            allocations.append(Allocation(topic, chosen, False))
    return allocations


def _after(judge: str, judges: Sequence[str]) -> list[str]:
    """Return the judges in turn, from the one after `judge` on."""
    start = judges.index(judge) + 1 if judge in judges else 0
    return [*judges[start:], *judges[:start]]
