"""Everything that judges did in a campaign, a column a field: what a page sums up of a million labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

KINDS = ("judging", "training", "gold", "repeat")
IMPORT = "import"
BLOCK = 10_000  # rows that are turned into columns at a time
LAST = np.iinfo(np.int64).max  # a key behind every key
REFUSED = -1  # where a grade would stand: this judge could not judge


class EventColumns(NamedTuple):
    """Events in the order of their keys. All of shape (events,).

    relevance: grades, or REFUSED. kind: a place in KINDS. here: pressed on a judging screen, not read from a
    file. seconds: nan where nobody measured. text: what tells the text that was on screen from others, see
    `text_key`. at: seconds since 1970.
    """

    key: Ints
    judge: Ints
    topic: Ints
    pooled: Ints
    relevance: Ints
    kind: Ints
    here: Bools
    seconds: Floats
    text: Ints
    at: Floats

    @property
    def judging(self) -> Bools:
        """Which are neither training nor gold nor a hidden repeat."""
        return self.of_kind("judging")

    def of_kind(self, kind: str) -> Bools:
        chosen: Bools = self.kind == KINDS.index(kind)
        return chosen

    def where(self, chosen: Bools | Ints | slice) -> EventColumns:
        return EventColumns._make(column[chosen] for column in self)

    def until(self, last: int) -> EventColumns:
        """Return the events whose keys are no greater."""
        return self.where(slice(np.searchsorted(self.key, last, side="right")))

    def followed_by(self, others: EventColumns) -> EventColumns:
        return EventColumns._make(map(np.concatenate, zip(self, others, strict=True)))

    def equals(self, others: EventColumns) -> bool:
        pairs = zip(self, others, strict=True)
        return all(np.array_equal(first, second, equal_nan=True) for first, second in pairs)

    def on_topics(self, topics: Iterable[int]) -> EventColumns:
        return self.where(np.isin(self.topic, _keys(topics)))

    def newest_by_topic(self) -> dict[int, tuple[int, int]]:
        """Return topic -> the key of its newest event and how many it has: another pair after any event."""
        first = int(self.topic.min(initial=LAST))
        counts = np.bincount(self.topic - first)
        newest = np.zeros(len(counts), dtype=np.int64)
        newest[self.topic - first] = self.key  # ascending: the last one stays
        topics = np.flatnonzero(counts)
        pairs = zip(newest[topics].tolist(), counts[topics].tolist(), strict=True)
        return dict(zip((first + topics).tolist(), pairs, strict=True))

    def parted(self, topics: Iterable[int]) -> Iterator[tuple[int, EventColumns]]:
        """Yield each of these topics, ascending, with its events, of events that come by topic."""
        for topic in sorted(topics):
            yield topic, self.where(self._place_of(topic))

    def exchanged(self, topics: Iterable[int], others: EventColumns) -> EventColumns:
        """Return these events, those of some topics replaced by others; all come by topic."""
        pieces, begin = [], 0
        for topic, own in others.parted(topics):
            place = self._place_of(topic)
            pieces += [self.where(slice(begin, place.start)), own]
            begin = place.stop
        pieces.append(self.where(slice(begin, None)))
        return EventColumns._make(map(np.concatenate, zip(*pieces, strict=True)))

    def _place_of(self, topic: int) -> slice:
        return slice(*np.searchsorted(self.topic, [topic, topic + 1]).tolist())

    def standing(self, returned: Iterable[int], probes: Iterable[int]) -> EventColumns:
        """Return the events that are a judge's label of a document now, by topic, document, then judge.

        returned: keys of events that were given back: where the last was, none stands. probes: pooled
        documents whose labels do not count.
        """
        counted = np.flatnonzero(self.judging & ~np.isin(self.pooled, _keys(probes)))
        keys = self.topic[counted], self.pooled[counted], self.judge[counted]
        order = counted[np.argsort(packed(keys), kind="stable")]  # then by key
        pooled, judge = self.pooled[order], self.judge[order]
        last = np.append((pooled[1:] != pooled[:-1]) | (judge[1:] != judge[:-1]), True)[: len(order)]
        found = order[last]
        return self.where(found[~np.isin(self.key[found], _keys(returned))])


def _keys(keys: Iterable[int]) -> Ints:
    return np.fromiter(keys, dtype=np.int64)


def distinct(ascending: Ints) -> tuple[Ints, Ints]:
    """Return the values that occur, and of each value its place among them: `np.unique`, without sorting.

    >>> [column.tolist() for column in distinct(np.array([4, 4, 7]))]
    [[4, 7], [0, 0, 1]]
    """
    new = np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)]
    return ascending[new], np.cumsum(new) - 1


def packed(keys: Sequence[Ints]) -> npt.NDArray[np.integer]:
    """Return a number for each row that is as large to others as its keys are, the first of them first.

    In as few bytes as hold it: numbers of two are sorted the fastest.

    >>> packed([np.array([7, 8, 7]), np.array([-1, 0, 1])]).tolist()
    [0, 4, 2]
    """
    number, size = np.zeros(len(keys[0]), dtype=np.int64), 1  # below `size`
    for key in keys if len(keys[0]) else ():
        low, high = int(key.min()), int(key.max())
        if size * (high - low + 1) > LAST:
            different, number = np.unique(number, return_inverse=True)
            size = len(different)
        number, size = number * (high - low + 1) + (key - low), size * (high - low + 1)
    return number.astype(np.min_scalar_type(size))


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
    order = np.argsort(packed(keys), kind="stable")
    ranked = [key[order] for key in keys]
    new = np.any([np.diff(key) != 0 for key in ranked], axis=0)
    starts = np.flatnonzero(np.append(True, new))
    of_group = [key[starts].tolist() for key in ranked]
    sums = [how.reduceat(figure[order], starts).tolist() for figure in figures]
    yield from zip(zip(*of_group, strict=True), zip(*sums, strict=True), strict=True)


class EventRow(NamedTuple):
    """An event as the database tells it. at: ISO 8601 in UTC, perhaps with +00 at its end."""

    key: int
    judge: int
    topic: int
    pooled: int
    relevance: int | None
    kind: str
    source: str
    seconds: float | None
    text_hash: str
    at: str


def event_columns(rows: Iterable[Sequence[Any]]) -> EventColumns:
    """Return rows, each with the fields of `EventRow`, as columns."""
    remaining = iter(rows)
    blocks = iter(lambda: list(islice(remaining, BLOCK)), [])
    pieces = [_block(EventRow._make(zip(*block, strict=True))) for block in blocks]
    nothing = EventRow._make([()] * len(EventRow._fields))
    return EventColumns._make(map(np.concatenate, zip(*(pieces or [_block(nothing)]), strict=True)))


def _block(columns: Any) -> EventColumns:
    """columns: an `EventRow` of tuples, one of each field."""
    key, judge, topic, pooled = (np.array(column, dtype=np.int64) for column in columns[:4])
    given = (REFUSED if grade is None else grade for grade in columns.relevance)
    at = np.array([moment.partition("+")[0] for moment in columns.at], dtype="datetime64[us]")
    return EventColumns(
        key,
        judge,
        topic,
        pooled,
        np.fromiter(given, dtype=np.int64),
        np.fromiter(map(KINDS.index, columns.kind), dtype=np.int64),
        np.array([source != IMPORT for source in columns.source], dtype=np.bool_),
        np.array(columns.seconds, dtype=np.float64),  # None becomes nan
        np.fromiter(map(text_key, columns.text_hash), dtype=np.int64),
        at.astype(np.int64) / 1e6,
    )


def text_key(text_hash: str) -> int:
    """Return the beginning of a checksum as a number; -1 for none.

    >>> text_key("00000000000000ff" + 48 * "0"), text_key("")
    (15, -1)
    """
    return int(text_hash[:15] or "-1", 16)
