"""Labels of several judges as one matrix: judges x documents, -1 where a judge has no label."""

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
    """A matrix of labels. Made by `labels_of` or `labels_of_records`.

    places: int8 of shape (judges, items): the place of each grade on the scale, -1 (NoGrade.MISSING) without
    a label. topic: the topic of each item as a place in `topics`, ascending. items: names of the columns, ()
    if they have none.

    scale: all grades, ascending, at least two. threshold: the lowest relevant grade.
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
        """Number of grades below the threshold."""
        return self.scale.index(self.threshold)

    def of_topic(self, topic: str) -> Labels:
        """Return the labels of one topic. Raises ValueError when there is no such topic."""
        code = self.topics.index(topic)
        return self.of_topics(code, code + 1)

    def of_topics(self, begin: int, end: int) -> Labels:
        """Return the labels of a range of topics, as places in `topics`: from `begin` to before `end`."""
        here = slice(*np.searchsorted(self.topic, [begin, end]).tolist())
        return replace(
            self,
            places=self.places[:, here],
            topic=self.topic[here] - begin,
            topics=self.topics[begin:end],
            items=self.items[here],
        )

    def of_items(self, chosen: npt.NDArray[np.bool_]) -> Labels:
        """Return the labels of the chosen items and their topics. chosen: shape (items,)."""
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

    threshold: the second grade of the scale unless given. topic: of each item; one topic for all unless
    given. names: `judges` and `items`, if they have names. Raises ValueError for inconsistent arguments.
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
    """Collects labels one by one in columns of numbers, which take less memory than tuples.

    Judges and topics have the order of their first label.
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
        unique, first = np.unique(by * len(names) + item, return_index=True)
        if len(unique) < len(by):
            again = int(np.setdiff1d(np.arange(len(by)), first)[0])
            topic, docno = names[item[again]]
            message = f"expected one label of {people[by[again]]} for {topic} {docno}, found a second one"
            raise Refused(message)
        by_judge = np.argsort(by, kind="stable")
        rising = np.array(checked_scale(scale, threshold)[0])
        place = np.searchsorted(rising, grades).clip(max=len(rising) - 1)
        if len(off := by_judge[(rising[place] != grades)[by_judge]]):
            wrong = f"{grades[off[0]]} of {people[by[off[0]]]}"
            raise Refused(f"expected grades of the scale {rising.tolist()}, found {wrong}")
        in_order = np.argsort(np.unique(item[by_judge], return_index=True)[1])  # by first label
        places = np.full((len(people), len(names)), NoGrade.MISSING, dtype=np.int8)
        places[by, np.argsort(in_order)[item]] = place
        items = [names[code] for code in in_order.tolist()]
        topics = [topic for topic, _ in items]
        return labels_of(places, scale, threshold, topics, judges=tuple(people), items=tuple(items))


def labels_of_records(
    records: Iterable[Record], scale: Sequence[int], threshold: int | None = None
) -> Labels:
    """Return labels from (topic, docno, judge, grade).

    Judges and topics have the order of their first record. Raises ValueError for a grade that is not on the
    scale, and for a second label of a judge for a document.
    """
    collector = LabelCollector()
    for record in records:
        collector.add(*record)
    return collector.matrix(scale, threshold)


def checked_scale(scale: Sequence[int], threshold: int | None) -> tuple[tuple[int, ...], int]:
    """Return scale and threshold. Raises Refused unless grades ascend and the threshold divides them."""
    grades = tuple(scale)
    if not 2 <= len(grades) <= 127 or any(low >= high for low, high in zip(grades, grades[1:], strict=False)):
        raise Refused(f"expected a scale of two or more ascending grades, found {list(grades)}")
    threshold = grades[1] if threshold is None else threshold
    if threshold not in grades[1:]:
        raise Refused(f"expected a threshold among {list(grades[1:])}, found {threshold}")
    return grades, threshold
