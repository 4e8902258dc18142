"""In which order a judge meets the documents of a topic.

An order is fixed once: it follows from the policy, the seed, the topic, the judge and the docnos, and from
nothing that changes while they judge. Each document has a place in it that does not hang on the others, so
a document that joins later comes where its own place is and moves no other. The live policy is the exception
that says so: there, labels choose what comes next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pooling.refusals import Refused
from pooling.strategies.draws import draws, shuffled
from pooling.strategies.live import LiveOrder, next_document

ON_DESK = 4  # cards that lie on a judge's desk at least: the one on screen and three more

Places = Mapping[str, int]
"""docno -> its place in the order that the pool gives: low ones first, equal ones by lot."""


@dataclass(frozen=True)
class Desk:
    """Whose queue it is: one judge at one topic, and the campaign's seed."""

    topic: str
    judge: str
    seed: int = 0


@dataclass(frozen=True)
class Policy:
    """A way to order a topic's documents.

    name: as it is stored. title, meaning: for the organiser. order: None for the live policy, whose next
    document `next_live` tells. reads_places: whether it needs the places that the pool gives.
    """

    name: str
    title: str
    meaning: str
    order: Callable[[Iterable[str], Desk, Places], list[str]] | None
    reads_places: bool = False


def judging_order(topic: str, judge: str, docnos: Iterable[str], seed: int = 0) -> list[str]:
    """Return the docnos in an order of this judge's own: shuffled, and always the same.

    The order says nothing about ranks, runs or votes, and two judges of a topic do not tire on the same
    documents. It hangs on the docnos alone, so it survives a restart and a document that joins later.

    >>> judging_order("7", "ada", ["b", "a"]) == judging_order("7", "ada", ["a", "b"])
    True
    """
    # Seed 0 adds nothing: campaigns that began before there was a seed keep their order.
    prefix = f"{seed}\n" if seed else ""
    return sorted(
        docnos, key=lambda docno: hashlib.sha256(f"{prefix}{judge}\n{topic}\n{docno}".encode()).digest()
    )


def ordered(
    policy: str,
    docnos: Iterable[str],
    desk: Desk,
    places: Places | None = None,
    burn_in: Sequence[str] = (),
) -> list[str]:
    """Return a topic's documents in the order in which this desk judges them, each once.

    docnos: unique. places: read by `priority` only. burn_in: documents that come first, from `burn_in_of`;
    those that are not among the docnos are left out. Raises ValueError for an unknown policy, and for the
    live one: its order is not known beforehand.

    >>> ordered("docno", ["b", "c", "a"], Desk("7", "ada"))
    ['a', 'b', 'c']
    >>> ordered("priority", ["b", "c", "a"], Desk("7", "ada"), places={"c": 1, "b": 2}, burn_in=["b"])
    ['b', 'c', 'a']
    """
    order = policy_of(policy).order
    if order is None:
        raise ValueError(f"the order {policy} is not known beforehand: ask for its next document")
    docnos = set(docnos)
    first = [docno for docno in dict.fromkeys(burn_in) if docno in docnos]
    return first + order(docnos.difference(first), desk, places or {})


def burn_in_of(places: Places, count: int, desk: Desk) -> list[str]:
    """Return documents to judge first, drawn from all parts of the priority order and shuffled.

    Judges who first saw only non-relevant documents gave higher grades later; several grades early steady
    them (Scholer, Kelly, Wu, Lee & Webber, SIGIR 2013). The order is cut into `count` parts of equal length,
    and one document of each is drawn; all documents when there are no more than `count`. Every judge of the
    topic gets the same ones. places: of the documents of the topic's first pool, which is frozen; with the
    documents of later pools in it, the choice would change. Raises ValueError for a negative count.

    >>> sorted(burn_in_of({f"D{place}": place for place in range(10)}, 2, Desk("7", "ada")))
    ['D2', 'D6']
    """
    if count < 0:
        raise ValueError(f"expected 0 or more documents to begin with, found {count}")
    draw = draws(desk.seed, desk.topic)
    ranked = _by_priority(places, desk, places)
    count = min(count, len(ranked))
    cuts = [len(ranked) * part // count for part in range(count + 1)] if count else []
    parts = [ranked[start:end] for start, end in pairwise(cuts)]
    return shuffled([shuffled(part, draw, "burn-in")[0] for part in parts], draw, "burn-in order")


def gold_places(docnos: Iterable[str], first_part: int, desk: Desk) -> dict[str, int]:
    """Return docno -> behind which document of the queue, counted from 1, a gold item comes: early, by lot.

    Each judge's own draw, so that nobody can tell another where one stands. first_part: how many documents
    the first part of the queue has; 1 when it has none.

    >>> all(1 <= place <= 20 for place in gold_places(["a", "b"], 20, Desk("7", "ada")).values())
    True
    """
    draw = draws(desk.seed, desk.topic)
    return {docno: 1 + int(draw("gold", desk.judge, docno) * max(1, first_part)) for docno in docnos}


def next_live(
    order: LiveOrder, desk: Desk, labels: Mapping[str, bool], passed: Collection[str] = frozenset()
) -> str | None:
    """Return what to judge next under the live policy; None when the budget is spent or nothing is left.

    First the floor, shuffled per topic, so that the judge learns the topic on a mix of documents and learns
    nothing of ranks; then as the strategy chooses by the labels. Judges who share the topic share the queue.
    labels: docno -> relevant, of this topic so far. passed: documents without a label that are not to be
    shown now: on another desk, fetched ahead, or nobody could judge them; they count towards the budget.
    """
    floor = shuffled(order.floor, draws(desk.seed, desk.topic), "floor")
    waiting = (docno for docno in floor if docno not in labels and docno not in passed)
    return next(waiting, None) or next_document(order, labels, passed)


def policy_of(name: str) -> Policy:
    """Return the policy of a name. Raises ValueError for an unknown one."""
    if name not in POLICIES:
        raise Refused(f"expected an order ({', '.join(POLICIES)}), found {name!r}")
    return POLICIES[name]


def _by_docno(docnos: Iterable[str], desk: Desk, places: Places) -> list[str]:
    return sorted(docnos)


def _random_same(docnos: Iterable[str], desk: Desk, places: Places) -> list[str]:
    return shuffled(docnos, draws(desk.seed, desk.topic), "judging")


def _random_own(docnos: Iterable[str], desk: Desk, places: Places) -> list[str]:
    return judging_order(desk.topic, desk.judge, docnos, desk.seed)


def _by_priority(docnos: Iterable[str], desk: Desk, places: Places) -> list[str]:
    """Documents without a place come last."""
    last = max(places.values(), default=0) + 1
    by_lot = _random_same(docnos, desk, places)
    return sorted(by_lot, key=lambda docno: places.get(docno, last))


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            "random-own",
            "Random, each judge's own",
            "Shuffled for each judge and topic: no two judges tire on the same documents.",
            _random_own,
        ),
        Policy(
            "random-same",
            "Random, the same for all",
            "Shuffled for each topic: all its judges meet the documents in one order.",
            _random_same,
        ),
        Policy(
            "docno",
            "By docno",
            "Document identifiers ascending: documents of one source, often alike, come together.",
            _by_docno,
        ),
        Policy(
            "priority",
            "Priority",
            "As the pool orders them, the most promising first: what is judged when time runs out is the part"
            " that counts most, but early and late documents differ, and judges may notice.",
            _by_priority,
            reads_places=True,
        ),
        Policy(
            "live",
            "Live",
            "Every run's first documents in random order, then what the labels so far make most promising.",
            None,
        ),
    )
}
"""Every order policy, under the name by which campaigns store it; the first is the default."""
