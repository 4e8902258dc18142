"""Live orders: the next document of a topic is chosen by what its labels have shown so far.

An order is a generator. It yields the docno to judge next and is sent its label: True for relevant, False
for not, None when there is no label (nobody could judge it, or somebody has it on the desk). It is a pure
function of the runs, the labels and the seed, so it is never stored: it is played again, from its start, over
the labels that there are. In which order these came, and from how many judges, makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass

from pooling.strategies.draws import Draw, shuffled
from pooling.strategies.runs import Lists

Label = bool | None
Order = Generator[str, Label, None]
"""Yields the docno to judge next, is sent its label."""

Known = Mapping[str, Label]
"""docno -> label of what was judged before the order begins: the floor, in the order of judging."""


@dataclass(frozen=True, eq=False)
class LiveOrder:
    """How one topic is judged: every run's first documents, and then as the labels say, up to a budget.

    floor: judged in any case, in this order; it stays whole even where it exceeds the budget. rest: from the
    labels of the floor to the order in which the others follow.
    """

    floor: tuple[str, ...]
    rest: Callable[[Known], Order]
    budget: int

    def start(self) -> Order:
        """Return the order from its beginning, without end by the budget."""
        known: dict[str, Label] = {}
        for docno in self.floor:
            known[docno] = yield docno
        yield from self.rest(known)

    def is_due(self, docno: str, spent: int) -> bool:
        """Tell whether a document is still to be judged when so many are."""
        return spent < self.budget or docno in self.floor


def depth_order(lists: Lists, draw: Draw) -> Iterator[str]:
    """Yield a topic's documents by depth: every run's first, then every run's second, and so on.

    At each depth the runs take turns in a random order.
    """
    seen: set[str] = set()
    for place in range(max(map(len, lists.values()), default=0)):
        for tag in shuffled(lists, draw, "level", place):
            if place < len(lists[tag]) and (docno := lists[tag][place]) not in seen:
                seen.add(docno)
                yield docno


def floor_of(lists: Lists, floor: int, draw: Draw) -> list[str]:
    """Return the first `floor` documents of every run on a topic, in depth order."""
    return list(depth_order({tag: ranking[:floor] for tag, ranking in lists.items()}, draw))


def next_document(
    order: LiveOrder, labels: Mapping[str, bool], passed: Collection[str] = frozenset()
) -> str | None:
    """Return the document to judge next; None when the budget is spent or no document is left.

    labels: docno -> relevant, of this topic. passed: documents without a label that are not to be shown now,
    because another judge has them or nobody could judge them; they count towards the budget.
    """
    spent = len(labels.keys() | set(passed))
    path = order.start()
    docno = next(path, None)
    while docno is not None and (docno in labels or docno in passed):
        docno = _sent(path, labels.get(docno))
    return docno if docno is not None and order.is_due(docno, spent) else None


def simulate(order: LiveOrder, relevant: Collection[str]) -> list[str]:
    """Return all the documents in the order in which they are judged by somebody who knows the relevant ones.

    For tests, for previews, and for the question how many judgments an order would have saved.
    """
    judged: list[str] = []
    path = order.start()
    docno = next(path, None)
    while docno is not None and order.is_due(docno, len(judged)):
        judged.append(docno)
        docno = _sent(path, docno in relevant)
    return judged


def _sent(path: Order, label: Label) -> str | None:
    """Send the label, get the next document; None at the end."""
    try:
        return path.send(label)
    except StopIteration:
        return None


class Unjudged:
    """What each run still offers for a topic: its documents that were not taken from any run, best first."""

    def __init__(self, lists: Lists, taken: Collection[str]) -> None:
        self.taken = set(taken)
        self._left = {tag: list(reversed(ranking)) for tag, ranking in lists.items()}

    def tags(self) -> list[str]:
        """Return the runs that have a document left, tags ascending."""
        return [tag for tag in self._left if self._trimmed(tag)]

    def take(self, tag: str) -> str | None:
        """Return the run's best document that is left, and take it from all; None when none is left."""
        left = self._trimmed(tag)
        if not left:
            return None
        self.taken.add(left[-1])
        return left.pop()

    def _trimmed(self, tag: str) -> list[str]:
        left = self._left[tag]
        while left and left[-1] in self.taken:
            left.pop()
        return left


def labels_at_top(ranking: Collection[str], known: Known) -> list[Label]:
    """Return the labels of a run's documents, best first, down to its first one that is not known."""
    top = []
    for docno in ranking:
        if docno not in known:
            break
        top.append(known[docno])
    return top


def highest(values: Mapping[str, float], draw: Draw, step: int) -> str:
    """Return the run with the highest value, at random among equals."""
    best = max(values.values())
    return min((tag for tag in values if values[tag] == best), key=lambda tag: (draw("tie", step, tag), tag))
