"""Live orders by loops over docnos: the definitions, computed anew from all labels before each document.

Chance is that of the engine: `draw` gives the same numbers for the same question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from scipy.stats import beta as beta_distribution

from pooling.formats.run_order import DESCENDING
from pooling.strategies.draws import Draw
from pooling.strategies.rankings import Lists

Labels = dict[str, bool]
Choice = Callable[[Lists, Sequence[str], Labels, int, Mapping[str, Any], Draw], str]


def judged_in_order(
    name: str,
    lists: Lists,
    floor: Sequence[str],
    relevant: Collection[str],
    values: Mapping[str, Any],
    draw: Draw,
) -> list[str]:
    """Return the documents in the order of judging: the floor, then the choices of a strategy."""
    judged = list(floor)
    everything = {docno for ranking in lists.values() for docno in ranking}
    while len(judged) < values["budget"] and len(judged) < len(everything):
        labels = {docno: docno in relevant for docno in judged}
        judged.append(ORDERS[name](lists, judged, labels, len(floor), values, draw))
    return judged


def next_of(ranking: Sequence[str], judged: Collection[str]) -> str | None:
    """Return the best document of a run that is not judged."""
    return next((docno for docno in ranking if docno not in judged), None)


def plays(
    lists: Lists, judged: Sequence[str], floor: int, worth: Callable[[str, int], float], draw: Draw
) -> Iterator[tuple[str, str]]:
    """Yield the run and the document of each step: the run of the highest worth, ties by chance."""
    for step in range(floor, len(judged) + 1):
        left = [tag for tag in lists if next_of(lists[tag], judged[:step])]
        best = max(worth(tag, step) for tag in left)
        tied = [tag for tag in left if worth(tag, step) == best]
        tag = min(tied, key=lambda tag: (draw("tie", step, tag), tag))
        yield tag, next_of(lists[tag], judged[:step]) or ""


def at_top(ranking: Sequence[str], floor: Collection[str], labels: Labels) -> list[bool]:
    """Return the labels of a run's first documents, down to the first one outside the floor."""
    top = []
    for docno in ranking:
        if docno not in floor:
            break
        top.append(labels[docno])
    return top


def move_to_front(
    lists: Lists, judged: Sequence[str], labels: Labels, floor: int, values: Mapping[str, Any], draw: Draw
) -> str:
    """Stay with a run while its documents are relevant; a document that is not lowers its priority by one."""
    lowered = {tag: at_top(lists[tag], judged[:floor], labels).count(False) for tag in lists}
    played = ""
    for step in range(floor, len(judged) + 1):
        left = [tag for tag in lists if next_of(lists[tag], judged[:step])]
        if played not in left or not labels[judged[step - 1]]:
            best = min(lowered[tag] for tag in left)
            tied = [tag for tag in left if lowered[tag] == best]
            played = min(tied, key=lambda tag: (draw("tie", step, tag), tag))
        docno = next_of(lists[played], judged[:step]) or ""
        if step < len(judged) and not labels[docno]:
            lowered[played] += 1
    return docno


def by_arms(
    lists: Lists,
    judged: Sequence[str],
    labels: Labels,
    floor: int,
    values: Mapping[str, Any],
    worth_of: Callable[[float, float, str, int], float],
    draw: Draw,
) -> str:
    """Play the run of the highest worth, which follows from the labels that it has learnt from."""
    rate, to_holders = values.get("rate", 1.0), values["credit"] == "holders"
    learnt: dict[str, list[bool]] = {tag: [] for tag in lists}
    for tag in lists:
        if to_holders:
            learnt[tag] = [labels[docno] for docno in judged[:floor] if docno in lists[tag]]
        else:
            learnt[tag] = at_top(lists[tag], judged[:floor], labels)

    def worth(tag: str, step: int) -> float:
        relevant = count = 0.0
        for label in learnt[tag]:
            relevant, count = rate * relevant + label, rate * count + 1
        return worth_of(relevant, count, tag, step)

    for tag, docno in plays(lists, judged, floor, worth, draw):
        for taught in (each for each in lists if docno in lists[each]) if to_holders else [tag]:
            if docno in labels:
                learnt[taught].append(labels[docno])
    return docno


def max_mean(
    lists: Lists, judged: Sequence[str], labels: Labels, floor: int, values: Mapping[str, Any], draw: Draw
) -> str:
    """The worth of a run is (relevant + 1) / (judged + 2)."""
    return by_arms(
        lists, judged, labels, floor, values, lambda hit, count, tag, step: (hit + 1) / (count + 2), draw
    )


def thompson(
    lists: Lists, judged: Sequence[str], labels: Labels, floor: int, values: Mapping[str, Any], draw: Draw
) -> str:
    """The worth of a run is drawn from Beta(relevant + 1, judged - relevant + 1)."""

    def worth(hit: float, count: float, tag: str, step: int) -> float:
        return float(beta_distribution.ppf(draw("sample", step, tag), hit + 1, count - hit + 1))

    return by_arms(lists, judged, labels, floor, values, worth, draw)


def hedge(
    lists: Lists, judged: Sequence[str], labels: Labels, floor: int, values: Mapping[str, Any], draw: Draw
) -> str:
    """The document of the highest sum of weight times value over the runs."""
    deepest = values["deepest"]
    of_rank = [sum(1 / r for r in range(rank + 1, deepest + 1)) for rank in range(1, deepest + 1)]

    def value(tag: str, docno: str) -> float:
        if docno in lists[tag]:
            return of_rank[lists[tag].index(docno)]
        behind = of_rank[len(lists[tag]) :]
        return sum(behind) / len(behind) if behind else 0.0

    loss = {tag: sum(value(tag, each) * (-0.5 if labels[each] else 0.5) for each in judged) for tag in lists}
    weight = {tag: values["beta"] ** (loss[tag] - min(loss.values())) for tag in lists}
    docnos = {docno for ranking in lists.values() for docno in ranking} - set(judged)
    ordered = sorted(docnos, reverse=values["ties"] == DESCENDING)
    total = sum(weight.values())
    return max(
        ordered, key=lambda docno: round(sum(weight[tag] / total * value(tag, docno) for tag in lists), 9)
    )


ORDERS: dict[str, Choice] = {
    "mtf": move_to_front,
    "maxmean": max_mean,
    "maxmean-ns": max_mean,
    "thompson": thompson,
    "hedge": hedge,
}
