"""Saturation: relevant documents found by number of judgments and by pool depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pooling.arrays import Flags, IntVector


def saturation_curves(topics: IntVector, relevant: Flags, names: Sequence[str]) -> dict[str, IntVector]:
    """Return topic -> its curve of relevant documents found: at place n, how many after n judgments.

    topics: places in `names`; relevant: both of shape (labels,), in the order in which labels were given.

    >>> curves = saturation_curves(np.array([0, 1, 0, 1]), np.array([True, False, False, True]), ["1", "2"])
    >>> curves["1"].tolist(), curves["2"].tolist()
    ([0, 1, 1], [0, 0, 1])
    """
    return {names[topic]: _curve(relevant[topics == topic]) for topic in np.unique(topics).tolist()}


def _curve(relevant: Flags) -> IntVector:
    return np.append(0, np.cumsum(relevant, dtype=np.int64))


class DepthLevel(NamedTuple):
    """What depth `rank` added to the pool: documents whose best rank it is, and the relevant among them."""

    rank: int
    documents: int
    relevant: int


def levels_of(best_ranks: IntVector, relevant: Flags) -> list[DepthLevel]:
    """Return what every depth of a pool added, shallowest first; both of shape (documents,).

    Where the last level still has new relevant documents, a deeper pool would have found more.
    """
    documents, hits = np.bincount(best_ranks), np.bincount(best_ranks[relevant])
    hits = np.append(hits, np.zeros(len(documents) - len(hits), dtype=np.int64))
    return [
        DepthLevel(rank, int(documents[rank]), int(hits[rank])) for rank in np.flatnonzero(documents).tolist()
    ]
