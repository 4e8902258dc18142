"""Bandits: runs are arms, playing one judges its best document that is left, a relevant one is the reward."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pooling.strategies.draws import Draw
from pooling.strategies.live import Known, Label, Order, Unjudged, highest, labels_at_top
from pooling.strategies.runs import Lists

PLAYED, HOLDERS = "played", "holders"
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


Worth = Callable[[Mapping[str, Arm], Draw, int], dict[str, float]]
"""Arms, draws, step -> tag -> worth; the arm of the highest worth is played."""


def max_mean(lists: Lists, known: Known, draw: Draw, rate: float = 1.0, credit: str = PLAYED) -> Order:
    """MaxMean: play the run whose expected share of relevant documents is the largest, at random among equals
    (Losada, Parapar & Barreiro 2016); with a rate below 1 MaxMean non-stationary (the same, 2017).

    The papers leave open whom a label teaches; `credit` says it. Of a floor each run has learnt from the
    labels at its top.
    """
    return _play(lists, known, draw, _means, rate, credit)


def thompson(lists: Lists, known: Known, draw: Draw, rate: float = 1.0, credit: str = PLAYED) -> Order:
    """Thompson sampling: draw each run's share of relevant documents from what is known of it, play the
    largest draw (Thompson 1933; Losada, Parapar & Barreiro 2016). `rate` and `credit` as in `max_mean`."""
    return _play(lists, known, draw, _samples, rate, credit)


def _means(arms: Mapping[str, Arm], draw: Draw, step: int) -> dict[str, float]:
    return {tag: arm.mean for tag, arm in arms.items()}


def _samples(arms: Mapping[str, Arm], draw: Draw, step: int) -> dict[str, float]:
    from scipy.special import betaincinv  # here, for it takes a seventh of a second and only this needs it

    relevant = np.array([arm.relevant for arm in arms.values()])
    judged = np.array([arm.judged for arm in arms.values()])
    chance = np.array([draw("sample", step, tag) for tag in arms])
    sampled = betaincinv(relevant + 1, judged - relevant + 1, chance)
    return dict(zip(arms, sampled.tolist(), strict=True))


def _play(lists: Lists, known: Known, draw: Draw, worth: Worth, rate: float, credit: str) -> Order:
    unjudged = Unjudged(lists, known)
    holders = _holders(lists) if credit == HOLDERS else {}
    arms = {tag: Arm() for tag in lists}
    for tag, label in _lessons(lists, known, holders):
        arms[tag].learn(label, rate)
    while tags := unjudged.tags():
        step = len(unjudged.taken)
        tag = highest(worth({tag: arms[tag] for tag in tags}, draw, step), draw, step)
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


def _lessons(lists: Lists, known: Known, holders: Mapping[str, list[str]]) -> Iterable[tuple[str, Label]]:
    """Yield (tag, label) of what the floor has taught."""
    if holders:
        yield from ((tag, label) for docno, label in known.items() for tag in holders[docno])
    else:
        yield from ((tag, label) for tag in lists for label in labels_at_top(lists[tag], known))
