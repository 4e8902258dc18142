"""Everything that judges did in a campaign, a column a field: what a page sums up of a million labels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

REFUSED = -1  # where a grade would stand: this judge could not judge


class EventColumns(NamedTuple):
    """Events in the order of their keys. All of shape (events,).

    relevance: grades, or REFUSED. judging: neither training nor gold nor a hidden repeat. here: pressed on a
    judging screen, not read from a file. seconds: nan where nobody measured.
    """

    key: Ints
    judge: Ints
    topic: Ints
    pooled: Ints
    relevance: Ints
    judging: Bools
    here: Bools
    seconds: Floats

    def where(self, chosen: Bools | Ints) -> EventColumns:
        return EventColumns._make(column[chosen] for column in self)

    def followed_by(self, others: EventColumns) -> EventColumns:
        return EventColumns._make(map(np.concatenate, zip(self, others, strict=True)))

    def standing(self, returned: Iterable[int], probes: Iterable[int]) -> EventColumns:
        """Return the events that are a judge's label of a document now, by document, then judge.

        returned: keys of events that were given back: where the last was, none stands. probes: pooled
        documents whose labels do not count.
        """
        counted = self.where(self.judging & ~np.isin(self.pooled, _keys(probes)))
        order = np.lexsort((counted.key, counted.judge, counted.pooled))
        pooled, judge = counted.pooled[order], counted.judge[order]
        last = np.append((pooled[1:] != pooled[:-1]) | (judge[1:] != judge[:-1]), True)[: len(order)]
        found = counted.where(order[last])
        return found.where(~np.isin(found.key, _keys(returned)))


def _keys(keys: Iterable[int]) -> Ints:
    return np.fromiter(keys, dtype=np.int64)


def event_columns(rows: Iterable[Iterable[float]]) -> EventColumns:
    """Return rows of these fields as columns; seconds below 0: nobody measured.

    Keys are below 2 ** 53, so that they are exact as floats.
    """
    flat = np.fromiter(chain.from_iterable(rows), dtype=np.float64)
    *keys, judging, here, seconds = flat.reshape(-1, len(EventColumns._fields)).T
    whole = [column.astype(np.int64) for column in keys]
    seconds = np.where(seconds < 0, np.nan, seconds)
    return EventColumns._make([*whole, judging.astype(np.bool_), here.astype(np.bool_), seconds])
