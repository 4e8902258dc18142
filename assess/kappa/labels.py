"""The labels of several judges as one matrix: judges x documents, -1 where a judge gave none."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from assess.no_grade import NoGrade
from pooling.arrays import IntVector
from pooling.refusals import Refused

Item = TypeVar("Item", bound=Hashable)
Places = npt.NDArray[np.int8]
Record = tuple[str, str, str, int]  # topic, docno, judge, grade


@dataclass(frozen=True, eq=False)
class Labels:
    """Who gave which grade to what. Make one by `labels_of`, `labels_of_records` or `labels_of_judges`.

    places: int8 of shape (judges, items): the place of each grade on the scale, -1 (NoGrade.MISSING) for
    no label. topic: the topic of each item as a place in `topics`, rising. items: what the columns are, ()
    where nobody said.
    scale: every grade that may be given, rising; there are at least two. threshold: the lowest relevant one.
    """

    places: Places
    topic: IntVector
    judges: tuple[str, ...]
    topics: tuple[str, ...]
    items: tuple[Hashable, ...]
    scale: tuple[int, ...]
    threshold: int

    @property
    def cut(self) -> int:
        """How many grades of the scale lie below the threshold."""
        return self.scale.index(self.threshold)

    def of_topic(self, topic: str) -> Labels:
        """Return the labels of one topic. Raises ValueError when there is no such topic."""
        code = self.topics.index(topic)
        return self.of_topics(code, code + 1)

    def of_topics(self, begin: int, end: int) -> Labels:
        """Return the labels of neighbouring topics, as places in `topics`: from `begin` and before `end`."""
        here = slice(*np.searchsorted(self.topic, [begin, end]).tolist())
        return replace(
            self,
            places=self.places[:, here],
            topic=self.topic[here] - begin,
            topics=self.topics[begin:end],
            items=self.items[here],
        )

    def of_items(self, chosen: npt.NDArray[np.bool_]) -> Labels:
        """Return the labels of some of the items, and the topics that have one. chosen: shape (items,)."""
        codes, topic = np.unique(self.topic[chosen], return_inverse=True)
        return replace(
            self,
            places=self.places[:, chosen],
            topic=topic,
            topics=tuple(self.topics[code] for code in codes.tolist()),
            items=tuple(compress(self.items, chosen.tolist())),
        )

    def of_judges(self, judges: Sequence[str]) -> Labels:
        """Return the labels of some of the judges. Raises ValueError when one is unknown."""
        rows = self.places[[self.judges.index(judge) for judge in judges]]
        return Labels(rows, self.topic, tuple(judges), self.topics, self.items, self.scale, self.threshold)


def labels_of(
    places: npt.ArrayLike,
    scale: Sequence[int],
    threshold: int | None = None,
    topic: Sequence[str] | None = None,
    **names: Sequence[Any],
) -> Labels:
    """Return labels from a matrix of places on the scale, shape (judges, items), -1 for none.

    threshold: the scale's second grade unless given. topic: of each item; all in one unless given.
    names: `judges` and `items`, where they have names. Raises ValueError for what does not fit together.
    """
    matrix = np.asarray(places)
    scale, threshold = checked_scale(scale, threshold)
    if matrix.ndim != 2 or (matrix.size and not -1 <= matrix.min() <= matrix.max() < len(scale)):
        raise ValueError(f"expected a matrix of places from -1 to {len(scale) - 1}")
    topics = tuple(dict.fromkeys(topic)) if topic is not None else ("",)
    code_of = {name: code for code, name in enumerate(topics)}
    codes = np.array([code_of[name] for name in topic] if topic is not None else [0] * matrix.shape[1], int)
    judges = tuple(names.get("judges", [f"judge {row}" for row in range(1, len(matrix) + 1)]))
    items = tuple(names.get("items", ()))
    if len(codes) != matrix.shape[1] or len(judges) != len(matrix) or len(items) not in (0, len(codes)):
        raise ValueError(f"expected names for {len(matrix)} judges and {matrix.shape[1]} items")
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        matrix, codes = matrix[:, order], codes[order]
        items = tuple(items[place] for place in order.tolist()) if items else ()
    return Labels(matrix.astype(np.int8, copy=False), codes, judges, topics, items, scale, threshold)


class LabelCollector:
    """Labels that come one by one, held as numbers: a million of them would be as many tuples.

    Judges and topics get the order in which they are first named.
    """

    def __init__(self) -> None:
        self._judges: dict[str, int] = {}
        self._items: dict[tuple[str, str], int] = {}
        self._columns = array("q"), array("q"), array("q")  # judge, item, grade

    def add(self, topic: str, docno: str, judge: str, grade: int) -> None:
        judges, items, grades = self._columns
        judges.append(self._judges.setdefault(judge, len(self._judges)))
        items.append(self._items.setdefault((topic, docno), len(self._items)))
        grades.append(grade)

    def matrix(self, scale: Sequence[int], threshold: int | None = None) -> Labels:
        """Return the labels as a matrix. Raises ValueError as `labels_of_records`."""
        by, item, grades = (np.array(column, dtype=np.int64) for column in self._columns)
        names, people = list(self._items), list(self._judges)
        once, first = np.unique(by * len(names) + item, return_index=True)
        if len(once) < len(by):
            again = int(np.setdiff1d(np.arange(len(by)), first)[0])
            topic, docno = names[item[again]]
            wish = f"expected one label of {people[by[again]]} for {topic} {docno}, found a second one"
            raise Refused(wish)
        by_judge = np.argsort(by, kind="stable")
        rising = np.array(checked_scale(scale, threshold)[0])
        place = np.searchsorted(rising, grades).clip(max=len(rising) - 1)
        if len(off := by_judge[(rising[place] != grades)[by_judge]]):
            wrong = f"{grades[off[0]]} of {people[by[off[0]]]}"
            raise Refused(f"expected grades of the scale {rising.tolist()}, found {wrong}")
        in_order = np.argsort(np.unique(item[by_judge], return_index=True)[1])  # as judges first name them
        places = np.full((len(people), len(names)), NoGrade.MISSING, dtype=np.int8)
        places[by, np.argsort(in_order)[item]] = place
        items = [names[code] for code in in_order.tolist()]
        topics = [topic for topic, _ in items]
        return labels_of(places, scale, threshold, topics, judges=tuple(people), items=tuple(items))


def labels_of_records(
    records: Iterable[Record], scale: Sequence[int], threshold: int | None = None
) -> Labels:
    """Return labels from (topic, docno, judge, grade); a judge's second label of a document is an error.

    Judges and topics come in the order in which they are first named. Raises ValueError for a grade off the
    scale, and for a label that the same judge has given before.
    """
    collector = LabelCollector()
    for record in records:
        collector.add(*record)
    return collector.matrix(scale, threshold)


def checked_scale(scale: Sequence[int], threshold: int | None) -> tuple[tuple[int, ...], int]:
    """Return scale and threshold. Raises ValueError unless grades rise and the threshold parts them."""
    grades = tuple(scale)
    if not 2 <= len(grades) <= 127 or any(low >= high for low, high in zip(grades, grades[1:], strict=False)):
        raise Refused(f"expected a scale of two or more rising grades, found {list(grades)}")
    threshold = grades[1] if threshold is None else threshold
    if threshold not in grades[1:]:
        raise Refused(f"expected a threshold among {list(grades[1:])}, found {threshold}")
    return grades, threshold
