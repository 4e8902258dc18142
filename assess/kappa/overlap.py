"""Overlap of the sets of relevant documents, by topic (Voorhees 2000)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import finite_or_none, ratio
from assess.kappa.labels import Labels
from assess.kappa.tables import folded, label_counts, pair_tables


class TopicOverlap(NamedTuple):
    """The relevant documents of a topic.

    documents: number with two or more labels. both: relevant to all of their judges; either: to any of them.
    value: both / either, None where no judge found one relevant.
    """

    topic: str
    documents: int
    both: int
    either: int
    value: float | None


class PairOverlap(NamedTuple):
    """Two judges: the mean over topics in which at least one of them found a document relevant.

    topics: number of these topics. empty: number of common topics without one. value: None without any.
    """

    first: str
    second: str
    topics: int
    empty: int
    value: float | None


def overlap_by_topic(labels: Labels) -> list[TopicOverlap]:
    """Return the overlap of all judges' relevant sets, per topic.

    Only documents with two or more labels count: a document that a judge did not see is not "not relevant" to
    that judge. Where every judge labelled everything, this is intersection over union of their sets.
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
    """Return the mean overlap of each pair of judges with a document in common, over these documents."""
    overlaps: dict[tuple[int, int], list[float | None]] = {}
    for topic in labels.topics:  # one at a time: the tables of all topics may not fit into memory
        tables = pair_tables(labels.of_topic(topic))
        binary = folded(tables.counts[0], labels.cut)
        values = ratio(binary[..., 1, 1], binary.sum(axis=(-2, -1)) - binary[..., 0, 0])
        for first, second, value in zip(tables.first.tolist(), tables.second.tolist(), values, strict=True):
            overlaps.setdefault((first, second), []).append(finite_or_none(value))
    pair_overlaps = []
    for (first, second), own in sorted(overlaps.items()):
        defined = [value for value in own if value is not None]
        mean = sum(defined) / len(defined) if defined else None
        names = labels.judges[first], labels.judges[second]
        pair_overlaps.append(PairOverlap(*names, len(defined), len(own) - len(defined), mean))
    return pair_overlaps
