"""How far the sets of relevant documents overlap, topic by topic (Voorhees 2000)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import figure, ratio
from assess.kappa.confusion import folded, pair_tables
from assess.kappa.labels import Labels
from assess.kappa.patterns import label_counts


class TopicOverlap(NamedTuple):
    """One topic: documents that all of their judges found relevant, and any of them; `value` is their ratio.

    documents: those with labels of two or more. value: None where nobody found one relevant.
    """

    topic: str
    documents: int
    both: int
    either: int
    value: float | None


class PairOverlap(NamedTuple):
    """Two judges: the mean over topics in which either of them found a document relevant.

    topics: how many those are; empty: topics that they share and that have none. value: None without any.
    """

    first: str
    second: str
    topics: int
    empty: int
    value: float | None


def overlap_by_topic(labels: Labels) -> list[TopicOverlap]:
    """Return the overlap of all judges' relevant sets, per topic.

    A document counts that two or more judges labelled: for a judge who did not see it, it is not "not
    relevant". Where every judge labelled all, this is intersection over union of their sets.
    """
    counts = label_counts(labels)
    relevant, given = counts[:, labels.cut :].sum(axis=1), counts.sum(axis=1)
    pairable = given > 1
    flags = (pairable, pairable & (relevant == given), pairable & (relevant > 0))
    sums = [np.bincount(labels.topic[flag], minlength=len(labels.topics)).tolist() for flag in flags]
    return [
        TopicOverlap(topic, documents, both, either, both / either if either else None)
        for topic, documents, both, either in zip(labels.topics, *sums, strict=True)
    ]


def overlap_of_pairs(labels: Labels) -> list[PairOverlap]:
    """Return the mean overlap of each pair of judges who share a document, over the documents they share."""
    overlaps: dict[tuple[int, int], list[float | None]] = {}
    for topic in labels.topics:  # one at a time: all topics' tables of many judges may fill the memory
        tables = pair_tables(labels.of_topic(topic))
        binary = folded(tables.counts[0], labels.cut)
        values = ratio(binary[..., 1, 1], binary.sum(axis=(-2, -1)) - binary[..., 0, 0])
        for first, second, value in zip(tables.first.tolist(), tables.second.tolist(), values, strict=True):
            overlaps.setdefault((first, second), []).append(figure(value))
    found = []
    for (first, second), own in sorted(overlaps.items()):
        defined = [value for value in own if value is not None]
        mean = sum(defined) / len(defined) if defined else None
        names = labels.judges[first], labels.judges[second]
        found.append(PairOverlap(*names, len(defined), len(own) - len(defined), mean))
    return found
