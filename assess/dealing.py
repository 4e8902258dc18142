"""Topics dealt out to judges: one primary judge a topic, and second judges by a deal of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pooling.refusals import Refused


class Held(NamedTuple):
    """Who has a topic already. first: primary and sharing judges."""

    first: Collection[str] = ()
    second: Collection[str] = ()


class Dealt(NamedTuple):
    """One topic given to one judge. primary: or as a second judge."""

    topic: str
    judge: str
    primary: bool


def deal(
    topics: Sequence[str], judges: Sequence[str], seconds: int = 0, held: Mapping[str, Held] | None = None
) -> list[Dealt]:
    """Return who gets which topic: round the table, one primary judge and `seconds` second ones each.

    Whoever has the fewest topics of these is next, in the order of the judges. Second judges are counted
    apart; of those with the fewest, the one comes first who has met this primary judge least, so that every
    pair of judges shares topics. held: topic -> who has it; it stays and counts, so dealing again deals
    nothing. Raises Refused for no judges, or more second judges than there are others.

    >>> [dealt.judge for dealt in deal(["1", "2", "3"], ["ada", "ben"])]
    ['ada', 'ben', 'ada']
    >>> [dealt.judge for dealt in deal(["1", "2"], ["ada", "ben", "chi"], seconds=1) if not dealt.primary]
    ['ben', 'chi']
    """
    if not judges:
        raise Refused("expected at least one judge, found none")
    if not 0 <= seconds < len(judges):
        raise Refused(f"expected fewer second judges than the {len(judges)} judges, found {seconds}")
    before = {topic: (held or {}).get(topic, Held()) for topic in topics}
    first = Counter(judge for each in before.values() for judge in each.first)
    second = Counter(judge for each in before.values() for judge in each.second)
    met: Counter[tuple[str, str]] = Counter()
    dealt = []
    for topic in topics:
        taken = {*before[topic].first, *before[topic].second}
        free = [judge for judge in judges if judge not in taken]
        primary = next(iter(before[topic].first), "")
        if not primary and free:
            primary = min(free, key=first.__getitem__)
            first[primary] += 1
            dealt.append(Dealt(topic, primary, True))
        others = [judge for judge in _after(primary, judges) if judge not in taken | {primary}]
        for _ in range(min(seconds - len(before[topic].second), len(others))):
            chosen = min(others, key=lambda judge: (second[judge], met[primary, judge]))
            others.remove(chosen)
            second[chosen] += 1
            met[primary, chosen] += 1
            dealt.append(Dealt(topic, chosen, False))
    return dealt


def _after(judge: str, judges: Sequence[str]) -> list[str]:
    """Return the judges round the table, from the one after `judge` on."""
    start = judges.index(judge) + 1 if judge in judges else 0
    return [*judges[start:], *judges[:start]]
