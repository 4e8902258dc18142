"""Whether more judging would still find something: relevant documents against judgments and against depth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pooling.columns import Flags, IntVector
from pooling.strategies import Pooled


class Saturation(NamedTuple):
    """Curves of relevant documents found: at place n of a curve, how many after n judgments; int64.

    overall: over all topics, in the order of judging. by_topic: topic -> its own curve.
    """

    overall: IntVector
    by_topic: dict[str, IntVector]


def saturation(labels: Iterable[tuple[str, bool]]) -> Saturation:
    """Return the curves of labels (topic, relevant) in the order in which they were given.

    >>> curves = saturation([("1", True), ("2", False), ("1", False), ("2", True)])
    >>> curves.overall.tolist(), curves.by_topic["2"].tolist()
    ([0, 1, 1, 1, 2], [0, 0, 1])
    """
    everything: list[bool] = []
    by_topic: dict[str, list[bool]] = {}
    for topic, relevant in labels:
        everything.append(relevant)
        by_topic.setdefault(topic, []).append(relevant)
    return Saturation(_curve(everything), {topic: _curve(found) for topic, found in by_topic.items()})


def saturation_columns(topics: IntVector, relevant: Flags, names: Sequence[str]) -> Saturation:
    """Return the curves of labels in the order in which they were given, as `saturation` does.

    topics: places in `names`; relevant: both of shape (labels,).
    """
    by_topic = {names[topic]: _curve(relevant[topics == topic]) for topic in np.unique(topics).tolist()}
    return Saturation(_curve(relevant), by_topic)


def _curve(relevant: Sequence[bool] | Flags) -> IntVector:
    return np.append(0, np.cumsum(np.asarray(relevant, dtype=np.int64)))


class Level(NamedTuple):
    """What depth `rank` added to the pool: documents whose best rank it is, and the relevant among them."""

    rank: int
    documents: int
    relevant: int


def levels_of(best_ranks: IntVector, relevant: Flags) -> list[Level]:
    """Return what every depth of a pool added, as `levels` does; both of shape (documents,)."""
    documents, hits = np.bincount(best_ranks), np.bincount(best_ranks[relevant])
    hits = np.append(hits, np.zeros(len(documents) - len(hits), dtype=np.int64))
    return [Level(rank, int(documents[rank]), int(hits[rank])) for rank in np.flatnonzero(documents).tolist()]


def levels(pool: Pooled, relevant: Mapping[str, Collection[str]]) -> list[Level]:
    """Return what every depth of a pool added, shallowest first.

    relevant: topic -> docnos. Where the last level still has new relevant documents, a deeper pool would have
    found more.
    """
    documents: dict[int, int] = {}
    hits: dict[int, int] = {}
    for topic, found in pool.items():
        for docno, how in found.items():
            if how.best_rank is not None:
                documents[how.best_rank] = documents.get(how.best_rank, 0) + 1
                hits[how.best_rank] = hits.get(how.best_rank, 0) + (docno in relevant.get(topic, ()))
    return [Level(rank, count, hits[rank]) for rank, count in sorted(documents.items())]
