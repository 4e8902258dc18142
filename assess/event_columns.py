"""Everything that judges did in a campaign, a column a field: what a page sums up of a million labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

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


def summed(
    keys: Sequence[Ints], *figures: npt.NDArray[Any], how: np.ufunc = np.add
) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]:
    """Yield each combination of keys that occurs, ascending, with its figures added up.

    how: what takes the place of the sum, `np.maximum` for example.

    >>> list(summed([np.array([7, 8, 7])], np.array([1, 2, 3])))
    [((7,), (4,)), ((8,), (2,))]
    """
    if not len(keys[0]):
        return
    order = np.lexsort(keys[::-1])
    ranked = [key[order] for key in keys]
    new = np.any([np.diff(key) != 0 for key in ranked], axis=0)
    starts = np.flatnonzero(np.append(True, new))
    of_group = [key[starts].tolist() for key in ranked]
    sums = [how.reduceat(figure[order], starts).tolist() for figure in figures]
    yield from zip(zip(*of_group, strict=True), zip(*sums, strict=True), strict=True)


def event_columns(rows: Iterable[Iterable[float]]) -> EventColumns:
    """Return rows of these fields as columns; seconds below 0: nobody measured.

    Keys are below 2 ** 53, so that they are exact as floats.
    """
    flat = np.fromiter(chain.from_iterable(rows), dtype=np.float64)
    *keys, judging, here, seconds = flat.reshape(-1, len(EventColumns._fields)).T
    whole = [column.astype(np.int64) for column in keys]
    seconds = np.where(seconds < 0, np.nan, seconds)
    return EventColumns._make([*whole, judging.astype(np.bool_), here.astype(np.bool_), seconds])
