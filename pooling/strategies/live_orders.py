"""Live orders: the next document of a topic is chosen by what its labels have shown so far.

An order is a generator. It yields the docno to judge next and is sent its label: True for relevant, False
for not, None if there is no label (no judge could judge it, or a judge has it open). It is a pure
function of the runs, the labels and the seed, so it is never stored: it is played again, from its start, over
the labels that there are. In which order these came, and from how many judges, makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pooling.arrays import Vector
from pooling.extras import import_extra
from pooling.formats.run_order import ASCENDING, in_docno_order
from pooling.strategies.draws import Draw, shuffle
from pooling.strategies.rankings import Lists

Label = bool | None
Order = Generator[str, Label, None]
"""Yields the docno to judge next, is sent its label."""

KnownLabels = Mapping[str, Label]
"""docno -> label of what was judged before the order begins: the floor, in the order of judging."""


@dataclass(frozen=True, eq=False)
class LiveOrder:
    """How one topic is judged: every run's first documents, and then as the labels say, up to a budget.

    floor: judged in any case, in this order; it stays whole even where it exceeds the budget. rest: from the
    labels of the floor to the order in which the others follow.
    """

    floor: tuple[str, ...]
    rest: Callable[[KnownLabels], Order]
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
    for index in range(max(map(len, lists.values()), default=0)):
        for tag in shuffle(lists, draw, "level", index):
            if index < len(lists[tag]) and (docno := lists[tag][index]) not in seen:
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
    because another judge has them open or no judge could judge them; they count towards the budget.
    """
    spent = len(labels.keys() | set(passed))
    path = order.start()
    docno = next(path, None)
    while docno is not None and (docno in labels or docno in passed):
        docno = _sent(path, labels.get(docno))
    return docno if docno is not None and order.is_due(docno, spent) else None


def simulate(order: LiveOrder, relevant: Collection[str]) -> list[str]:
    """Return the documents in the order in which they are judged if `relevant` are the relevant ones.

    For tests, for previews, and to compute how many judgments an order would have saved.
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


class UnjudgedDocuments:
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


def labels_at_top(ranking: Collection[str], known: KnownLabels) -> list[Label]:
    """Return the labels of a run's documents, best first, down to its first one that is not known."""
    top = []
    for docno in ranking:
        if docno not in known:
            break
        top.append(known[docno])
    return top


def highest_run(values: Mapping[str, float], draw: Draw, step: int) -> str:
    """Return the run with the highest value, at random among equals."""
    best = max(values.values())
    return min((tag for tag in values if values[tag] == best), key=lambda tag: (draw("tie", step, tag), tag))


def move_to_front(lists: Lists, known: KnownLabels, draw: Draw) -> Order:
    """Local move-to-front (Cormack, Palmer & Clarke 1998).

    All runs have one priority. Judge a run of the highest priority, at random among equals, from its top;
    stay while its documents are relevant; at the first that is not, lower its priority by one and choose
    again. Documents judged before are passed without effect. Of a floor, each document that is not relevant
    has lowered the priority of the runs that brought it.
    """
    unjudged = UnjudgedDocuments(lists, known)
    priority = {tag: -labels_at_top(ranking, known).count(False) for tag, ranking in lists.items()}
    while tags := unjudged.tags():
        tag = highest_run({tag: priority[tag] for tag in tags}, draw, step=len(unjudged.taken))
        label: Label = True
        while label is not False and (docno := unjudged.take(tag)) is not None:
            label = yield docno
        if label is False:
            priority[tag] -= 1


SUM_DECIMALS = 12  # decimals: sums that differ only beyond them differ by the order of their terms


def hedge(
    lists: Lists, known: KnownLabels, beta: float = 0.1, deepest: int = 100, ties: str = ASCENDING
) -> Order:
    """Hedge (Aslam, Pavlu & Savell 2003): judge the document that the runs, weighted, rank highest.

    A run of weight w ranks a document at r with the value H(deepest) - H(r), H the harmonic numbers; one that
    it does not hold has the mean value of the ranks behind its list. A label multiplies the run's weight by
    beta to the power of its loss: half the value, negative for a relevant document. Equal sums are ordered by
    the tie rule; nothing is random.
    """
    docnos = in_docno_order({docno for ranking in lists.values() for docno in ranking}, ties)
    column = {docno: index for index, docno in enumerate(docnos)}
    values = _values(lists, column, deepest)
    losses = np.zeros(len(lists))
    left = np.ones(len(docnos), dtype=bool)

    def learn(docno: str, label: bool | None) -> None:
        left[column[docno]] = False
        if label is not None:
            losses[:] += values[:, column[docno]] / (-2 if label else 2)

    for docno, label in known.items():
        learn(docno, label)
    while left.any():
        weights = beta ** (losses - losses.min())
        sums = (values * (weights / weights.sum())[:, None]).sum(axis=0)
        docno = docnos[int(np.where(left, sums.round(SUM_DECIMALS), -1.0).argmax())]
        learn(docno, (yield docno))


def _values(lists: Lists, column: dict[str, int], deepest: int) -> Vector:
    """Return what each run gives each document; float64 of shape (runs, documents)."""
    harmonic = np.cumsum(1 / np.arange(1, deepest + 1))
    of_rank = harmonic[-1] - harmonic
    values = np.empty((len(lists), len(column)))
    for row, ranking in zip(values, lists.values(), strict=True):
        behind = of_rank[len(ranking) :]
        row[:] = behind.mean() if len(behind) else 0.0
        row[[column[docno] for docno in ranking]] = of_rank[: len(ranking)]
    return values


CREDIT_PLAYED, CREDIT_HOLDERS = "played", "holders"
"""Whom a label teaches: the run that was played, or every run that holds the document."""


@dataclass
class Arm:
    """What is known of one run: Beta(relevant + 1, judged - relevant + 1) over its share of relevant ones."""

    relevant: float = 0.0
    judged: float = 0.0

    def learn(self, label: Label, rate: float) -> None:
        """Count a label; a rate below 1 lets earlier ones fade, at 0 only the last one counts."""
        if label is not None:
            self.relevant = rate * self.relevant + label
            self.judged = rate * self.judged + 1

    @property
    def mean(self) -> float:
        """The mean of the Beta distribution."""
        return (self.relevant + 1) / (self.judged + 2)


ArmValues = Callable[[Mapping[str, Arm], Draw, int], dict[str, float]]
"""Arms, draws, step -> tag -> worth; the arm of the highest worth is played."""


def max_mean(
    lists: Lists, known: KnownLabels, draw: Draw, rate: float = 1.0, credit: str = CREDIT_PLAYED
) -> Order:
    """MaxMean: play the run whose expected share of relevant documents is the largest, at random among equals
    (Losada, Parapar & Barreiro 2016); with a rate below 1 MaxMean non-stationary (the same, 2017).

    The papers leave open whom a label teaches; `credit` says it. Of a floor each run has learnt from the
    labels at its top.
    """
    return _play(lists, known, draw, _means, rate, credit)


def thompson(
    lists: Lists, known: KnownLabels, draw: Draw, rate: float = 1.0, credit: str = CREDIT_PLAYED
) -> Order:
    """Thompson sampling: draw each run's share of relevant documents from what is known of it, play the
    largest draw (Thompson 1933; Losada, Parapar & Barreiro 2016). `rate` and `credit` as in `max_mean`."""
    return _play(lists, known, draw, _samples, rate, credit)


def _means(arms: Mapping[str, Arm], draw: Draw, step: int) -> dict[str, float]:
    return {tag: arm.mean for tag, arm in arms.items()}


def _samples(arms: Mapping[str, Arm], draw: Draw, step: int) -> dict[str, float]:
    betaincinv = import_extra("scipy.special").betaincinv
    relevant = np.array([arm.relevant for arm in arms.values()])
    judged = np.array([arm.judged for arm in arms.values()])
    chance = np.array([draw("sample", step, tag) for tag in arms])
    sampled = betaincinv(relevant + 1, judged - relevant + 1, chance)
    return dict(zip(arms, sampled.tolist(), strict=True))


def _play(lists: Lists, known: KnownLabels, draw: Draw, worth: ArmValues, rate: float, credit: str) -> Order:
    unjudged = UnjudgedDocuments(lists, known)
    holders = _holders(lists) if credit == CREDIT_HOLDERS else {}
    arms = {tag: Arm() for tag in lists}
    for tag, label in _lessons(lists, known, holders):
        arms[tag].learn(label, rate)
    while tags := unjudged.tags():
        step = len(unjudged.taken)
        tag = highest_run(worth({tag: arms[tag] for tag in tags}, draw, step), draw, step)
        docno = unjudged.take(tag)
        assert docno is not None  # the run was among those with a document left
        label = yield docno
        for taught in holders.get(docno, [tag]):
            arms[taught].learn(label, rate)


def _holders(lists: Lists) -> dict[str, list[str]]:
    """Return docno -> the tags of the runs that hold it."""
    holders: dict[str, list[str]] = {}
    for tag, ranking in lists.items():
        for docno in ranking:
            holders.setdefault(docno, []).append(tag)
    return holders


def _lessons(
    lists: Lists, known: KnownLabels, holders: Mapping[str, list[str]]
) -> Iterable[tuple[str, Label]]:
    """Yield (tag, label) of what the floor has taught."""
    if holders:
        yield from ((tag, label) for docno, label in known.items() for tag in holders[docno])
    else:
        yield from ((tag, label) for tag in lists for label in labels_at_top(lists[tag], known))
