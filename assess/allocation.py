"""Allocation of topics to judges, and of sampled documents to judges."""

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


def spread_topics(
    sizes: Mapping[str, int], shares: Mapping[str, float], taken: Collection[tuple[str, str]] = frozenset()
) -> dict[str, str]:
    """Return topic -> the judge who takes it over, so that judges get documents in the ratio of the shares.

    The topic with the most documents is next, and goes to the judge who is furthest below the share.
    sizes: topic -> documents. shares: judge -> share, in the order that decides ties; a judge of share 0 gets
    nothing. taken: pairs of topic and judge that are only chosen if no other judge is left. Raises Refused if
    no share is above 0.

    >>> spread_topics({"1": 10, "2": 40, "3": 30}, {"ada": 1, "ben": 1})
    {'2': 'ada', '3': 'ben', '1': 'ben'}
    >>> spread_topics({"1": 10, "2": 10, "3": 10}, {"ada": 2, "ben": 1}, taken={("1", "ada")})
    {'1': 'ben', '2': 'ada', '3': 'ada'}
    """
    judges = [judge for judge, share in shares.items() if share > 0]
    if not judges:
        raise Refused("expected at least one judge with a share above 0, found none")
    load: Counter[str] = Counter()
    spread = {}
    for topic in sorted(sizes, key=sizes.__getitem__, reverse=True):
        chosen = min(
            judges, key=lambda judge: ((topic, judge) in taken, (load[judge] + sizes[topic]) / shares[judge])
        )
        load[chosen] += sizes[topic]
        spread[topic] = chosen
    return spread


def fill_quotas(sizes: Mapping[str, int], quotas: Mapping[str, float]) -> dict[str, str]:
    """Return topic -> the judge who gets it, so that no judge begins a topic once the quota is reached.

    The topic with the most documents is next, and goes to the judge with most left of the quota. Topics that
    are over when all quotas are reached are left out. sizes: topic -> documents. quotas: judge -> documents.

    >>> fill_quotas({"1": 10, "2": 40, "3": 30}, {"ada": 40, "ben": 20})
    {'2': 'ada', '3': 'ben'}
    """
    left = dict(quotas)
    given = {}
    for topic in sorted(sizes, key=sizes.__getitem__, reverse=True):
        judge = max(left, key=left.__getitem__, default=None)
        if judge is None or left[judge] <= 0:
            break
        left[judge] -= sizes[topic]
        given[topic] = judge
    return given


def share_documents(
    needed: Mapping[int, int],
    judges: Sequence[int],
    excluded: Collection[tuple[int, int]] = frozenset(),
    preferred: Collection[tuple[int, int]] = frozenset(),
) -> list[tuple[int, int]]:
    """Return (document, judge) for documents that each need some labels, evenly over the judges.

    needed: document -> number of labels that it lacks, in the order in which judges get them; neighbours go
    to the same judge as far as possible. excluded: pairs that are not possible, because the judge has
    labelled the document. preferred: pairs that cost no further label, because the judge has the document
    anyway. A document gets fewer judges if there are too few.

    >>> share_documents({1: 1, 2: 1, 3: 1, 4: 1}, [7, 8])
    [(1, 7), (2, 7), (3, 8), (4, 8)]
    >>> share_documents({1: 1, 2: 1}, [7, 8], excluded={(1, 7)}, preferred={(2, 8)})
    [(1, 8), (2, 8)]
    """
    quota = -(-sum(needed.values()) // max(len(judges), 1))
    load: Counter[int] = Counter()
    shared: list[tuple[int, int]] = []
    taken = set(excluded)
    for turn in range(max(needed.values(), default=0)):
        in_turn = [*judges[turn % len(judges) :], *judges[: turn % len(judges)]] if judges else []
        for document, count in needed.items():
            free = [judge for judge in in_turn if (document, judge) not in taken] if turn < count else []
            if not free:
                continue
            chosen = min(free, key=lambda judge: ((document, judge) not in preferred, load[judge] >= quota))
            load[chosen] += 1
            taken.add((document, chosen))
            shared.append((document, chosen))
    return shared
