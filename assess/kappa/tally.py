"""Everything the coefficients need of the labels, as sums over items.

A sum over all items is the sum of the topics' sums. So one formula over leading axes gives the value itself,
every topic's, and that of every draw of a bootstrap over topics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.kappa.coefficient import Floats, ratio
from assess.kappa.confusion import Counts, PairTables, folded, label_shares
from assess.kappa.labels import Labels
from assess.kappa.patterns import Patterns
from pooling.arrays import Flags


class Tally(NamedTuple):
    """Sums over items. Every field is float64 with the same leading axes `...`: topics, draws or none.

    Only items with labels of two or more judges count, in observed and in expected agreement alike.
    pairable: how many there are, shape (...). shares: sum over them of the share of each grade, shape
    (..., grades). agreement: sum of the share of their ordered pairs of labels that are of grades a and b,
    (..., grades, grades). coincidences: Krippendorff's, the same with each item weighing as much as it has
    labels. votes: the shares by judge, where a label of an item with m labels counts 1 / m, (..., judges,
    grades). tables: confusion matrices, (..., pairs, grades, grades). overlap: sum over topics of the overlap
    of relevant sets, (...); overlapping: topics that have one.
    """

    pairable: Floats
    shares: Floats
    agreement: Floats
    coincidences: Floats
    votes: Floats
    tables: Floats
    overlap: Floats
    overlapping: Floats

    def folded(self, cut: int) -> Tally:
        """Return the tally of labels folded at a place on the scale: exactly what those labels would give."""
        return self._replace(
            shares=np.add.reduceat(self.shares, [0, cut], axis=-1),
            votes=np.add.reduceat(self.votes, [0, cut], axis=-1),
            agreement=folded(self.agreement, cut),
            coincidences=folded(self.coincidences, cut),
            tables=folded(self.tables, cut),
        )

    def of_topics(self, chosen: Flags) -> Tally:
        """Return the sums of some topics. chosen: shape (topics,)."""
        return Tally(*(field[chosen] for field in self))

    def drawn(self, weights: Floats) -> Tally:
        """Return the sums over drawn topics. weights: how often each was drawn, shape (draws, topics)."""
        return Tally(*(np.tensordot(weights, field, axes=1) for field in self))

    @property
    def size(self) -> int:
        """How many numbers one topic has."""
        return sum(field[0].size for field in self)


def tally_of(labels: Labels, patterns: Patterns, pairs: PairTables) -> Tally:
    """Return the tally, its leading axis the topics or, where the pair tables do not part them, of length 1.

    patterns, pairs: of the same labels.
    """
    topics, grades = len(labels.topics), len(labels.scale)
    parted = len(pairs.counts) == topics
    figures = np.column_stack(_figures(patterns.counts))
    sums = patterns.summed(figures, topics) if parted else np.einsum("p,pf->f", patterns.total, figures)[None]
    pairable, shares, agreement, coincidences = np.split(
        sums, np.cumsum([1, grades, grades**2]).tolist(), axis=1
    )
    overlap = ratio(*_relevant_sets(labels, patterns))
    each = np.stack([np.nan_to_num(overlap), ~np.isnan(overlap)], axis=1)
    each = each if parted else each.sum(axis=0, keepdims=True)
    votes = label_shares(labels) if parted else label_shares(labels).sum(axis=0, keepdims=True)
    square = (-1, grades, grades)
    return Tally(
        pairable[:, 0], shares, agreement.reshape(square), coincidences.reshape(square),
        votes, pairs.counts, each[:, 0], each[:, 1],
    )  # fmt: skip


def coincidences_of(counts: Floats | Counts) -> Floats:
    """Return the ordered pairs of two labels of one item, by their grades: (..., grades) -> (..., g, g)."""
    pairs = counts[..., :, None] * counts[..., None, :]
    return np.asarray(pairs - counts[..., :, None] * np.eye(counts.shape[-1]), dtype=float)


def _figures(counts: Counts) -> list[Floats]:
    """Return what one item of each pattern adds to the tally, arrays of shape (patterns, n)."""
    labels = counts.sum(axis=1, keepdims=True)
    pairs = coincidences_of(counts).reshape(len(counts), counts.shape[1] ** 2)
    others = np.maximum(labels - 1, 1)  # an item with one label has no pairs: 0 / 1
    pairable = labels > 1
    return [pairable, pairable * counts / labels, pairs / (labels * others), pairs / others]


def _relevant_sets(labels: Labels, patterns: Patterns) -> list[Floats]:
    """Return per topic how many pairable items all of their judges, and any of them, found relevant."""
    relevant = patterns.counts[:, labels.cut :].sum(axis=1)
    given = patterns.counts.sum(axis=1)
    every, some = (relevant == given) & (given > 1), (relevant > 0) & (given > 1)
    items, topics = patterns.items, len(labels.topics)
    flags = (flag[patterns.pattern] for flag in (every, some))
    return [np.bincount(patterns.topic, items * flag, topics).astype(float) for flag in flags]
