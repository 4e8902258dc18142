"""Double judging: which documents go to a second judge, or again to the same judge as hidden repeats.

Every document has its own random draw, so a choice can be repeated. A document that a judge was given is
never taken back, neither when the primary judge goes on nor when documents join.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from assess.document_order import MIN_OPEN_CARDS, QueueKey
from pooling.strategies.draws import draw_source, shuffle


@dataclass(frozen=True)
class OverlapRule:
    """A rule for the documents of second judges. name: as stored. title, meaning: for the organiser."""

    name: str
    title: str
    meaning: str


OVERLAP_RULES: dict[str, OverlapRule] = {
    overlap.name: overlap
    for overlap in (
        OverlapRule("all", "All", "Every second judge judges every document of the topic."),
        OverlapRule("share", "A share", "Second judges get a random percentage of each topic's documents."),
        OverlapRule(
            "stratified",
            "By the label of the primary judge",
            "Second judges get, of each topic, a random sample of up to this many documents that the primary"
            " judge found relevant and as many not relevant; the sample grows as the primary judge goes on.",
        ),
    )
}
"""Every overlap rule, under the name by which campaigns store it."""


def shared_sample(
    docnos: Iterable[str], share: float, topic: str, seed: int = 0, given: Iterable[str] = ()
) -> set[str]:
    """Return the random share of a topic's documents that second judges get, rounded up.

    All second judges of the topic get the same documents. share: 0 to 1; a larger share only adds documents.
    given: documents that second judges already have, which stay and count: with it the choice only grows when
    documents join. Raises ValueError for a share outside 0 to 1.

    >>> len(shared_sample([f"D{number}" for number in range(45)], 0.1, "7"))
    5
    """
    docnos = set(docnos)
    count = ceil(round(_checked(share) * len(docnos), 9))  # 0.07 * 100 is a little more than 7
    chosen = set(given)
    others = shuffle(docnos - chosen, draw_source(seed, topic), "overlap")
    return chosen.union(others[: max(0, count - len(chosen & docnos))])


def stratified_sample(
    strata: Mapping[str, Hashable],
    left: Collection[str],
    each: int,
    topic: str,
    seed: int = 0,
    given: Iterable[str] = (),
) -> set[str]:
    """Return up to `each` random documents of each stratum: as in TREC 2006 Legal, 25 relevant and 25 not.

    strata: docno -> the stratum of the primary judge's label (relevant or not, or the grade), without
    documents that the primary judge could not judge. left: documents that the primary judge has not judged
    yet. given: documents that second judges already have, which stay and count in their stratum.

    A stratum's documents are those with its lowest random numbers. One is given as soon as it is certain to
    be among them, whatever the primary judge says of the remaining ones; so the choice is uniform once
    nothing is left, depends on the labels and not on their times or on the time of the call, and only grows.
    The price is that few are given early: of 200 documents, 38 of them relevant, about 4 + 12 are given when
    half are judged, 15 + 22 at nine tenths, and 25 + 25 at the end. `given` matters when the primary judge
    changes a label or documents join. A stratum with too few documents is not filled from another.

    Raises ValueError for a negative number.

    >>> sorted(stratified_sample({"a": True, "b": False, "c": False}, [], 1, "7"))
    ['a', 'c']
    >>> stratified_sample({"a": True, "b": False, "c": False}, ["d", "e"], 1, "7") <= {"a", "c"}
    True
    """
    if each < 0:
        raise ValueError(f"expected 0 or more documents of each stratum, found {each}")
    chosen = set(given)
    ahead = Counter(strata[docno] for docno in chosen if docno in strata)
    undecided = 0  # documents with a lower random number that may be in the same stratum
    for docno in shuffle({*strata, *left}, draw_source(seed, topic), "overlap"):
        if docno not in strata:
            undecided += 1
        elif docno not in chosen:
            if ahead[strata[docno]] + undecided < each:
                chosen.add(docno)
            ahead[strata[docno]] += 1
    return chosen


MINIMUM_DISTANCE = 20  # minimum number of judgments before a repeat, so that the label is forgotten


def planned_repeats(documents: int, share: float) -> int:
    """Return how many of a judge's documents on a topic are repeated.

    One of each 1 / share documents, without those of the end, whose repeats would be too near or would be
    recognised as additions. The number is known before the first label, so that a judge's total, which
    contains it, stays the same and does not tell when a repeat comes. Raises ValueError for a share outside
    0 to 1.

    >>> planned_repeats(120, 0.1), planned_repeats(120, 0)
    (9, 0)
    """
    if not _checked(share):
        return 0
    return max(0, documents - MINIMUM_DISTANCE - MIN_OPEN_CARDS - 1) // round(1 / share)


def repeats_due(
    stream: Sequence[str], repeated: Collection[str], share: float, queue_key: QueueKey
) -> list[str]:
    """Return the documents to repeat now, as hidden repeats, the one judged longest ago first.

    Of each 1 / share documents, in the order in which the judge judged them, one is repeated: the one with
    the lowest random number for this topic, judge and seed. So each has the same chance, and documents that
    join change nothing.

    stream: docnos that the judge has judged on this topic, in order, including repeats, corrected labels
    once. repeated: documents that are in the judge's queue as repeats. Raises ValueError for a share outside
    0 to 1.
    """
    if not _checked(share):
        return []
    draw = draw_source(queue_key.seed, queue_key.topic)
    documents, size = list(dict.fromkeys(stream)), round(1 / share)
    blocks = (documents[start : start + size] for start in range(0, len(documents) - size + 1, size))
    chosen = [min(block, key=lambda docno: draw("repeat", queue_key.judge, docno)) for block in blocks]
    far_enough = set(stream[: max(0, len(stream) - MINIMUM_DISTANCE)])
    return [docno for docno in chosen if docno in far_enough and docno not in repeated]


def _checked(share: float) -> float:
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, found {share}")
    return share
