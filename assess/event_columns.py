"""Events of a judge as columns, and grouping of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assess.no_grade import NoGrade

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

KINDS = ("judging", "training", "gold", "repeat")
MAX_INT64 = np.iinfo(np.int64).max  # the largest int64


class EventColumns(NamedTuple):
    """Events of one judge in the order of their presses. All of shape (events,).

    key, topic, pooled: primary keys. relevance: grades, or NoGrade.REFUSED. kind: a place in KINDS. seconds:
    active seconds, nan where not measured.
    """

    key: Ints
    topic: Ints
    pooled: Ints
    relevance: Ints
    kind: Ints
    seconds: Floats

    @property
    def judging(self) -> Bools:
        """Which events are of documents to judge: neither training nor gold nor hidden repeats."""
        return self.of_kind("judging")

    def of_kind(self, kind: str) -> Bools:
        chosen: Bools = self.kind == KINDS.index(kind)
        return chosen

    def where(self, chosen: Bools | Ints | slice) -> EventColumns:
        return EventColumns._make(column[chosen] for column in self)

    def by_topic(self) -> Iterator[tuple[int, EventColumns]]:
        """Yield each topic with its events, ascending by the topic's key."""
        for topic in np.unique(self.topic).tolist():
            yield topic, self.where(self.topic == topic)


def unique_of_sorted(ascending: Ints) -> tuple[Ints, Ints]:
    """Return the different values, and each value's place among them: `np.unique` for sorted input.

    >>> [column.tolist() for column in unique_of_sorted(np.array([4, 4, 7]))]
    [[4, 7], [0, 0, 1]]
    """
    new = np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)]
    return ascending[new], np.cumsum(new) - 1


def row_codes(keys: Sequence[Ints]) -> npt.NDArray[np.integer]:
    """Return a number for each row that sorts as its keys do, the first key first.

    It uses the smallest unsigned type, because smaller numbers sort faster.

    >>> row_codes([np.array([7, 8, 7]), np.array([-1, 0, 1])]).tolist()
    [0, 4, 2]
    """
    number, size = np.zeros(len(keys[0]), dtype=np.int64), 1  # below `size`
    for key in keys if len(keys[0]) else ():
        low, high = int(key.min()), int(key.max())
        if size * (high - low + 1) > MAX_INT64:
            different, number = np.unique(number, return_inverse=True)
            size = len(different)
        number, size = number * (high - low + 1) + (key - low), size * (high - low + 1)
    return number.astype(np.min_scalar_type(size))


def grouped_sums(
    keys: Sequence[Ints], *figures: npt.NDArray[Any], how: np.ufunc = np.add
) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]:
    """Yield each combination of keys, ascending, with the sums of its figures.

    how: the ufunc to use in place of the sum, for example `np.maximum`.

    >>> list(grouped_sums([np.array([7, 8, 7])], np.array([1, 2, 3])))
    [((7,), (4,)), ((8,), (2,))]
    """
    if not len(keys[0]):
        return
    order = np.argsort(row_codes(keys), kind="stable")
    ranked = [key[order] for key in keys]
    new = np.any([np.diff(key) != 0 for key in ranked], axis=0)
    starts = np.flatnonzero(np.append(True, new))
    of_group = [key[starts].tolist() for key in ranked]
    sums = [how.reduceat(figure[order], starts).tolist() for figure in figures]
    yield from zip(zip(*of_group, strict=True), zip(*sums, strict=True), strict=True)


def event_columns(rows: Iterable[Sequence[Any]]) -> EventColumns:
    """Return rows of key, topic, pooled, relevance, kind and active seconds as columns."""
    key, topic, pooled, relevance, kind, seconds = (
        zip(*rows, strict=True) if (rows := list(rows)) else [()] * 6
    )
    return EventColumns(
        np.array(key, dtype=np.int64),
        np.array(topic, dtype=np.int64),
        np.array(pooled, dtype=np.int64),
        np.array([NoGrade.REFUSED if grade is None else grade for grade in relevance], dtype=np.int64),
        np.fromiter(map(KINDS.index, kind), dtype=np.int64),
        np.array(seconds, dtype=np.float64),  # None becomes nan
    )


def seconds_since_1970(times: Iterable[str]) -> Floats:
    """Return UTC times as seconds. times: as a database writes them, with or without +00 at the end.

    >>> seconds_since_1970(["1970-01-01 00:01:00.5+00"]).tolist()
    [60.5]
    """
    written = [time.partition("+")[0] for time in times]
    return np.array(written, dtype="datetime64[us]").astype(np.int64) / 1e6
