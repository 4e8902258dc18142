"""The difference of two qrels: by document, by topic, and by grade before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from assess.no_grade import NoGrade
from pooling.arrays import IntVector
from pooling.formats.qrels import Qrels
from pooling.spreadsheet import escape_formula


class Change(NamedTuple):
    """A document whose grade differs. None: the document is not in that release."""

    topic: str
    docno: str
    before: int | None
    after: int | None


class TopicChanges(NamedTuple):
    """Numbers of a topic's documents that were added, removed, changed, or have the same grade."""

    topic: str
    added: int
    removed: int
    changed: int
    same: int

    @property
    def differs(self) -> bool:
        return bool(self.added or self.removed or self.changed)


class Totals(NamedTuple):
    """Numbers of documents that were added, removed, changed, or have the same grade."""

    added: int
    removed: int
    changed: int
    same: int


def totals(before: IntVector, after: IntVector) -> Totals:
    """Count the differences of two qrels. Both of shape (documents,): grades, or NoGrade.NO_LINE."""
    was, now, same = before != NoGrade.NO_LINE, after != NoGrade.NO_LINE, before == after
    sorts = now & ~was, was & ~now, was & now & ~same, was & same
    return Totals(*(int(sort.sum()) for sort in sorts))


Transition = tuple[int | None, int | None]
"""The grade before and after; None for "not in the release"."""


class Difference(NamedTuple):
    """The whole difference. transitions: (before, after) -> number of documents, also for equal grades.

    by_topic: in the order of the second file, then topics of the first file only. changes: in the same order,
    docnos ascending.
    """

    changes: list[Change]
    by_topic: list[TopicChanges]
    transitions: Counter[Transition]

    @property
    def added(self) -> int:
        return sum(topic.added for topic in self.by_topic)

    @property
    def removed(self) -> int:
        return sum(topic.removed for topic in self.by_topic)

    @property
    def changed(self) -> int:
        return sum(topic.changed for topic in self.by_topic)

    @property
    def same(self) -> int:
        return sum(topic.same for topic in self.by_topic)


def difference(first: Qrels | None, second: Qrels | None) -> Difference:
    """Compare two qrels by document; None is qrels without a line.

    One topic at a time, so that only differences become objects.
    """
    topics = dict.fromkeys(topic for qrels in (second, first) if qrels for topic in qrels.topics)
    return join_differences(
        topic_difference(topic, grades_of(first, topic), grades_of(second, topic)) for topic in topics
    )


Grades = Mapping[bytes, int]
"""docno -> grade"""


def topic_difference(topic: str, before: Grades, after: Grades) -> Difference:
    """Compare the grades of one topic."""
    removed = before.keys() - after.keys()
    transitions: Counter[Transition] = Counter(zip(map(before.get, after), after.values(), strict=True))
    transitions.update((before[docno], None) for docno in removed)
    changes = _changes(topic, before, after, removed)
    return Difference(changes, [_counted(topic, transitions)], transitions)


def join_differences(parts: Iterable[Difference]) -> Difference:
    """Combine the differences of several topics."""
    total = Difference([], [], Counter())
    for part in parts:
        total.changes.extend(part.changes)
        total.by_topic.extend(part.by_topic)
        total.transitions.update(part.transitions)
    return total


def grades_of(qrels: Qrels | None, topic: str) -> Grades:
    """Return the grades of one topic; an empty mapping where it has no line."""
    lines = qrels.of_topic(topic) if qrels else None
    return dict(zip(lines.docnos.tolist(), lines.grades.tolist(), strict=True)) if lines else {}


def _counted(topic: str, transitions: Counter[Transition]) -> TopicChanges:
    counts: Counter[str] = Counter()
    for step, documents in transitions.items():
        counts[_sort(step)] += documents
    return TopicChanges(topic, *(counts[sort] for sort in ("added", "removed", "changed", "same")))


def _sort(step: Transition) -> str:
    before, after = step
    if before == after:
        return "same"
    return "added" if before is None else "removed" if after is None else "changed"


def _changes(topic: str, before: Grades, after: Grades, removed: Set[bytes]) -> list[Change]:
    differ = [docno for docno, grade in after.items() if before.get(docno) != grade]
    return [
        Change(topic, docno.decode(), before.get(docno), after.get(docno))
        for docno in sorted([*differ, *removed])
    ]


class Cell(NamedTuple):
    """A cell of the transition table. shade: 0 to 4, relative to the most frequent change."""

    before: int | None
    after: int | None
    documents: int
    shade: int


def transition_table(
    transitions: Counter[Transition], scale: Iterable[int]
) -> tuple[list[int | None], list[list[Cell]]]:
    """Return the grades of rows and columns, and the rows (before) of cells (after).

    The grades are the scale and any others that occur, ascending; None, for "not in the release", is last.
    Cells of equal grades have no shade.
    """
    occurring = {grade for step in transitions for grade in step if grade is not None}
    grades: list[int | None] = [*sorted({*scale, *occurring}), None]
    most = max((count for step, count in transitions.items() if step[0] != step[1]), default=1)
    rows = [[_cell(before, after, transitions[before, after], most) for after in grades] for before in grades]
    return grades, rows


def _cell(before: int | None, after: int | None, count: int, most: int) -> Cell:
    return Cell(before, after, count, 0 if before == after else -(-4 * count // most))


def grade_text(grade: int | None) -> str:
    """Return a grade as it is written in URLs and files: `-` for "not in the release"."""
    return "-" if grade is None else str(grade)


def difference_lines(changes: Iterable[Change]) -> Iterator[str]:
    """Yield the changes as tab-separated lines with a header; `-` for "not in the release"."""
    yield "topic\tdocno\tbefore\tafter\n"
    for topic, docno, before, after in changes:
        yield f"{escape_formula(topic)}\t{escape_formula(docno)}\t{grade_text(before)}\t{grade_text(after)}\n"
