"""Which documents are judged twice: by a second judge, or by the same one again without being told.

Every choice is a draw of its own for each document, so it can be repeated, and what was given to a judge is
never taken back: not when the primary judge goes on, and not when documents join.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from assess.queue import Desk
from pooling.strategies.draws import draws, shuffled


@dataclass(frozen=True)
class Overlap:
    """A rule for what second judges get. name: as it is stored. title, meaning: for the organiser."""

    name: str
    title: str
    meaning: str


OVERLAPS: dict[str, Overlap] = {
    overlap.name: overlap
    for overlap in (
        Overlap("all", "All", "Every second judge judges every document of the topic."),
        Overlap("share", "A share", "Second judges get so many percent of each topic's documents, by lot."),
        Overlap(
            "stratified",
            "By the primary's label",
            "Second judges get, of each topic, up to so many documents that the primary judge called relevant"
            " and as many that were called not relevant, by lot; they grow as the primary judge goes on.",
        ),
    )
}
"""Every overlap rule, under the name by which campaigns store it."""


def share_of(
    docnos: Iterable[str], share: float, topic: str, seed: int = 0, given: Iterable[str] = ()
) -> set[str]:
    """Return the share of a topic's documents that second judges get: by lot, rounded up.

    All second judges of the topic get the same ones. share: 0 to 1; a larger share only adds. given: what
    second judges have already, which stays and counts: with it the choice only grows when documents join.
    Raises ValueError for a share outside 0 to 1.

    >>> len(share_of([f"D{number}" for number in range(45)], 0.1, "7"))
    5
    """
    docnos = set(docnos)
    count = ceil(round(_checked(share) * len(docnos), 9))  # 0.07 * 100 is a little more than 7
    kept = set(given)
    others = shuffled(docnos - kept, draws(seed, topic), "overlap")
    return kept.union(others[: max(0, count - len(kept & docnos))])


def stratified(
    strata: Mapping[str, Hashable],
    left: Collection[str],
    each: int,
    topic: str,
    seed: int = 0,
    given: Iterable[str] = (),
) -> set[str]:
    """Return up to `each` documents of each stratum, by lot: TREC 2006 Legal with relevant and not, 25 each.

    strata: docno -> the stratum of the primary judge's label (relevant or not, or the grade); documents that
    the primary could not judge are absent. left: what the primary is still to judge. given: what second
    judges have already, which stays and counts in its stratum.

    A stratum's documents are those with its lowest lots. One is given as soon as it is certain to be among
    them, however the primary judges what is left; so the choice is uniform once nothing is left, hangs on the
    labels and not on when they came or were asked for, and only grows. The price is that few are given early:
    of 200 documents, 38 of them relevant, about 4 + 12 are when half are judged, 15 + 22 at nine tenths, and
    25 + 25 at the end. `given` matters when the primary changes a label or documents join. A stratum that
    runs short is not filled from another.

    Raises ValueError for fewer than 0 of each.

    >>> sorted(stratified({"a": True, "b": False, "c": False}, [], 1, "7"))
    ['a', 'c']
    >>> stratified({"a": True, "b": False, "c": False}, ["d", "e"], 1, "7") <= {"a", "c"}
    True
    """
    if each < 0:
        raise ValueError(f"expected 0 or more documents of each stratum, found {each}")
    chosen = set(given)
    ahead = Counter(strata[docno] for docno in chosen if docno in strata)
    undecided = 0  # with a lower lot, and perhaps of the same stratum
    for docno in shuffled({*strata, *left}, draws(seed, topic), "overlap"):
        if docno not in strata:
            undecided += 1
        elif docno not in chosen:
            if ahead[strata[docno]] + undecided < each:
                chosen.add(docno)
            ahead[strata[docno]] += 1
    return chosen


def returns(docno: str, share: float, desk: Desk) -> bool:
    """Tell whether a document comes back to its own judge, who is not told: a hidden repeat.

    Each document returns with probability `share`, by a draw for this topic, judge and seed: a document that
    joins changes nothing, and a larger share only adds. Raises ValueError for a share outside 0 to 1.
    """
    return draws(desk.seed, desk.topic)("repeat", desk.judge, docno) < _checked(share)


def repeat_due(stream: Sequence[str], share: float, distance: int, desk: Desk) -> str | None:
    """Return the document that comes back now, the one judged longest ago; None when none is due.

    stream: the docnos that the judge has judged on this topic, in order, repeats among them, corrected labels
    once. distance: how many judgments lie at least between the two labels. What is judged later than that
    before the end does not come back, so fewer than the share do. Raises ValueError for a share outside 0 to
    1 or a negative distance.

    >>> repeat_due(["a", "b", "c"], share=1, distance=2, desk=Desk("7", "ada"))
    'a'
    >>> repeat_due(["a", "b", "c", "a"], share=1, distance=2, desk=Desk("7", "ada"))
    'b'
    """
    if distance < 0:
        raise ValueError(f"expected a distance of 0 or more documents, found {distance}")
    shown = Counter(stream)
    far_enough = stream[: max(0, len(stream) - distance)]
    due = (docno for docno in far_enough if shown[docno] == 1 and returns(docno, share, desk))
    return next(due, None)


def _checked(share: float) -> float:
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, found {share}")
    return share
