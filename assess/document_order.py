"""The order in which a judge sees the documents of a topic.

An order follows from policy, seed, topic, judge and docnos, and from nothing that changes during judging.
Each document has a place that does not depend on the others, so a document that joins later gets its own
place and moves no other. The exception is the live policy, where labels decide what comes next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pooling.refusals import Refused
from pooling.strategies.draws import draw_source, shuffle
from pooling.strategies.live_orders import LiveOrder, next_document

TRIAGE = "triage"
MIN_OPEN_CARDS = 4  # minimum number of open cards of a judge: the one on screen and three more

Places = Mapping[str, int]
"""docno -> its place in the order of the pool or of triage: low places first, equal ones at random."""


@dataclass(frozen=True)
class QueueKey:
    """What identifies a queue: judge, topic and the campaign's seed."""

    topic: str
    judge: str
    seed: int = 0


@dataclass(frozen=True)
class Policy:
    """A way to order a topic's documents.

    name: as stored. title, meaning: for the organiser. order: None for the live policy, whose next document
    is `next_live`. reads_places: whether it needs places: of the pool, or of triage.
    """

    name: str
    title: str
    meaning: str
    order: Callable[[Iterable[str], QueueKey, Places], list[str]] | None
    reads_places: bool = False


def judging_order(topic: str, judge: str, docnos: Iterable[str], seed: int = 0) -> list[str]:
    """Return the docnos in this judge's own random order, the same every time.

    The order is independent of ranks, runs and votes, and two judges of a topic do not get tired at the same
    documents. It depends on the docnos only, so a restart or a document that joins does not change it.

    >>> judging_order("7", "ada", ["b", "a"]) == judging_order("7", "ada", ["a", "b"])
    True
    """
    # Seed 0 adds nothing: campaigns from before there was a seed keep their order.
    prefix = f"{seed}\n" if seed else ""
    return sorted(
        docnos, key=lambda docno: hashlib.sha256(f"{prefix}{judge}\n{topic}\n{docno}".encode()).digest()
    )


def ordered(
    policy: str,
    docnos: Iterable[str],
    queue_key: QueueKey,
    places: Places | None = None,
    burn_in: Sequence[str] = (),
) -> list[str]:
    """Return a topic's documents in the order of this queue, each once.

    docnos: unique. places: used by `priority` and `triage` only. burn_in: documents that come first, from
    `burn_in_of`; those that are not among the docnos are ignored. Raises ValueError for an unknown policy,
    and for the live one, whose order is not known in advance.

    >>> ordered("docno", ["b", "c", "a"], QueueKey("7", "ada"))
    ['a', 'b', 'c']
    >>> ordered("priority", ["b", "c", "a"], QueueKey("7", "ada"), places={"c": 1, "b": 2}, burn_in=["b"])
    ['b', 'c', 'a']
    """
    order = policy_of(policy).order
    if order is None:
        raise ValueError(f"the order {policy} is not known in advance: use next_live")
    docnos = set(docnos)
    first = [docno for docno in dict.fromkeys(burn_in) if docno in docnos]
    return first + order(docnos.difference(first), queue_key, places or {})


def burn_in_of(places: Places, count: int, queue_key: QueueKey) -> list[str]:
    """Return documents to judge first, drawn from all parts of the priority order and shuffled.

    Judges who first saw only non-relevant documents gave higher grades later; several grades early prevent
    that (Scholer, Kelly, Wu, Lee & Webber, SIGIR 2013). The order is cut into `count` parts of equal length,
    and one document of each is drawn; all documents if there are no more than `count`. Every judge of the
    topic gets the same documents. places: of the topic's first pool only, which is frozen; documents of later
    pools would change the choice. Raises ValueError for a negative count.

    >>> sorted(burn_in_of({f"D{place}": place for place in range(10)}, 2, QueueKey("7", "ada")))
    ['D2', 'D6']
    """
    if count < 0:
        raise ValueError(f"expected 0 or more burn-in documents, found {count}")
    draw = draw_source(queue_key.seed, queue_key.topic)
    ranked = _by_priority(places, queue_key, places)
    count = min(count, len(ranked))
    cuts = [len(ranked) * part // count for part in range(count + 1)] if count else []
    parts = [ranked[start:end] for start, end in pairwise(cuts)]
    return shuffle([shuffle(part, draw, "burn-in")[0] for part in parts], draw, "burn-in order")


def gold_places(docnos: Iterable[str], first_part: int, queue_key: QueueKey) -> dict[str, int]:
    """Return docno -> the place in the queue, from 1, behind which a gold document comes: early, at random.

    Each judge has an own draw, so that judges cannot tell each other where gold documents are. first_part:
    number of documents in the first part of the queue; 1 when it has none.

    >>> all(1 <= place <= 20 for place in gold_places(["a", "b"], 20, QueueKey("7", "ada")).values())
    True
    """
    draw = draw_source(queue_key.seed, queue_key.topic)
    return {docno: 1 + int(draw("gold", queue_key.judge, docno) * max(1, first_part)) for docno in docnos}


def next_live(
    order: LiveOrder, queue_key: QueueKey, labels: Mapping[str, bool], passed: Collection[str] = frozenset()
) -> str | None:
    """Return the next document under the live policy; None when the budget is spent or nothing is left.

    First come the documents of the floor, shuffled per topic, so that the judge learns the topic on mixed
    documents and learns nothing about ranks; then the strategy chooses by the labels. Judges who share the
    topic share the queue. labels: docno -> relevant, of this topic so far. passed: documents without a label
    that cannot be shown now, because they are in another queue, on a page, or could not be judged; they count
    towards the budget.
    """
    floor = shuffle(order.floor, draw_source(queue_key.seed, queue_key.topic), "floor")
    waiting = (docno for docno in floor if docno not in labels and docno not in passed)
    return next(waiting, None) or next_document(order, labels, passed)


def policy_of(name: str) -> Policy:
    """Return the policy with this name. Raises Refused for an unknown one."""
    if name not in POLICIES:
        raise Refused(f"expected an order ({', '.join(POLICIES)}), found {name!r}")
    return POLICIES[name]


def _by_docno(docnos: Iterable[str], queue_key: QueueKey, places: Places) -> list[str]:
    return sorted(docnos)


def _random_same(docnos: Iterable[str], queue_key: QueueKey, places: Places) -> list[str]:
    return shuffle(docnos, draw_source(queue_key.seed, queue_key.topic), "judging")


def _random_own(docnos: Iterable[str], queue_key: QueueKey, places: Places) -> list[str]:
    return judging_order(queue_key.topic, queue_key.judge, docnos, queue_key.seed)


def _by_priority(docnos: Iterable[str], queue_key: QueueKey, places: Places) -> list[str]:
    """Order by place; documents without a place come last."""
    last = max(places.values(), default=0) + 1
    by_lot = _random_same(docnos, queue_key, places)
    return sorted(by_lot, key=lambda docno: places.get(docno, last))


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            "random-own",
            "Random, each judge's own",
            "Shuffled for each judge and topic: judges do not get tired at the same documents.",
            _random_own,
        ),
        Policy(
            "random-same",
            "Random, the same for all",
            "Shuffled for each topic: all its judges see the documents in one order.",
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
            "In the order of the pool, the most promising first: if time runs out, the most important part is"
            " judged; but early and late documents differ, and judges may notice.",
            _by_priority,
            reads_places=True,
        ),
        Policy(
            TRIAGE,
            "Triage",
            "First the documents of whose grade a machine judge is least certain, or that move the order of"
            " runs most. Their labels are not a random sample of the topic: no interval follows from them,"
            " and the sample of an audit stays separate. Early and late documents differ, and judges may"
            " notice.",
            _by_priority,
            reads_places=True,
        ),
        Policy(
            "live",
            "Live",
            "The first documents of every run in random order, then the most promising by the labels so far.",
            None,
        ),
    )
}
"""Every order policy, under the name by which campaigns store it; the first is the default."""
