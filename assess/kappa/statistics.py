"""The sufficient statistics of all coefficients: sums over items.

A sum over all items is the sum of the topics' sums. So one formula over leading axes gives the value over
everything, of every topic, and of every bootstrap draw of topics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import Floats, ratio
from assess.kappa.labels import Labels
from assess.kappa.tables import Counts, PairTables, Patterns, folded, label_shares
from pooling.arrays import Flags


class Statistics(NamedTuple):
    """Sums over items. Every field is float64 with the same leading axes `...`: topics, draws or none.

    Only items with labels of two or more judges count, in observed and in expected agreement. pairable:
    number of these items, shape (...). shares: sum of the share of each grade, (..., grades). agreement: sum
    of the share of their ordered pairs of labels that have grades a and b, (..., grades, grades).
    coincidences: Krippendorff's, the same weighted by the number of labels of an item. votes: the shares by
    judge, where each of m labels of an item counts 1 / m, (..., judges, grades). tables: confusion matrices,
    (..., pairs, grades, grades). overlap: sum over topics of the overlap of relevant sets, (...);
    overlapping: number of topics that have one.
    """

    pairable: Floats
    shares: Floats
    agreement: Floats
    coincidences: Floats
    votes: Floats
    tables: Floats
    overlap: Floats
    overlapping: Floats

    def folded(self, cut: int) -> Statistics:
        """Return the sums of labels folded at a place on the scale."""
        return self._replace(
            shares=np.add.reduceat(self.shares, [0, cut], axis=-1),
            votes=np.add.reduceat(self.votes, [0, cut], axis=-1),
            agreement=folded(self.agreement, cut),
            coincidences=folded(self.coincidences, cut),
            tables=folded(self.tables, cut),
        )

    def of_topics(self, chosen: Flags) -> Statistics:
        """Return the sums of some topics. chosen: shape (topics,)."""
        return Statistics(*(field[chosen] for field in self))

    def drawn(self, weights: Floats) -> Statistics:
        """Return the sums over drawn topics. weights: draws of each topic, shape (draws, topics)."""
        return Statistics(*(np.tensordot(weights, field, axes=1) for field in self))

    @property
    def size(self) -> int:
        """Number of values of one topic."""
        return sum(field[0].size for field in self)


def statistics_of(labels: Labels, patterns: Patterns, pairs: PairTables) -> Statistics:
    """Return the sums of labels: by topic if the pair tables are by topic, else over all.

    patterns, pairs: of the same labels.
    """
    topics, grades = len(labels.topics), len(labels.scale)
    by_topic = len(pairs.counts) == topics
    figures = np.column_stack(_figures(patterns.counts))
    sums = (
        patterns.summed(figures, topics) if by_topic else np.einsum("p,pf->f", patterns.total, figures)[None]
    )
    pairable, shares, agreement, coincidences = np.split(
        sums, np.cumsum([1, grades, grades**2]).tolist(), axis=1
    )
    overlap = ratio(*_relevant_sets(labels, patterns))
    each = np.stack([np.nan_to_num(overlap), ~np.isnan(overlap)], axis=1)
    each = each if by_topic else each.sum(axis=0, keepdims=True)
    votes = label_shares(labels) if by_topic else label_shares(labels).sum(axis=0, keepdims=True)
    square = (-1, grades, grades)
    return Statistics(
        pairable[:, 0], shares, agreement.reshape(square), coincidences.reshape(square),
        votes, pairs.counts, each[:, 0], each[:, 1],
    )  # fmt: skip


def coincidences_of(counts: Floats | Counts) -> Floats:
    """Return the ordered pairs of two labels of one item by their grades: (..., g) -> (..., g, g)."""
    pairs = counts[..., :, None] * counts[..., None, :]
    return np.asarray(pairs - counts[..., :, None] * np.eye(counts.shape[-1]), dtype=float)


def _figures(counts: Counts) -> list[Floats]:
    """Return what one item of each pattern adds to the sums, arrays of shape (patterns, n)."""
    labels = counts.sum(axis=1, keepdims=True)
    pairs = coincidences_of(counts).reshape(len(counts), counts.shape[1] ** 2)
    others = np.maximum(labels - 1, 1)  # an item with one label has no pairs: 0 / 1
    pairable = labels > 1
    return [pairable, pairable * counts / labels, pairs / (labels * others), pairs / others]


def _relevant_sets(labels: Labels, patterns: Patterns) -> list[Floats]:
    """Return per topic the number of pairable items relevant to all, and to any, of their judges."""
    relevant = patterns.counts[:, labels.cut :].sum(axis=1)
    given = patterns.counts.sum(axis=1)
    every, some = (relevant == given) & (given > 1), (relevant > 0) & (given > 1)
    items, topics = patterns.items, len(labels.topics)
    flags = (flag[patterns.pattern] for flag in (every, some))
    return [np.bincount(patterns.topic, items * flag, topics).astype(float) for flag in flags]
