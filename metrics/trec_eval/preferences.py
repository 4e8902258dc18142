"""Preferences between documents: who prefers which document to which, and which preferences a run fulfils.

A judge's opinion is a group; inside it, documents of a higher level are preferred to those of a lower one. A
group may have subgroups: then only documents of one subgroup are compared, and what follows from that (A
over B, B over C).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from metrics.engine.hits import Hits
from metrics.engine.qrels_index import QrelsIndex
from pooling.arrays import Docnos, Flags, IntVector, Vector, word_width
from pooling.formats.columns import check_name, numbered_lines
from pooling.formats.files import BadFile, BadLine
from pooling.formats.qrels import Qrels
from pooling.intake.run_tables import NUMBER


@dataclass(frozen=True, eq=False, repr=False)
class Group:
    """One judge's opinion of one topic. documents: numbers in the topic. levels, subgroups: of the same
    shape."""

    documents: IntVector
    levels: Vector
    subgroups: tuple[bytes, ...]


@dataclass
class _Topic:
    numbers: dict[bytes, int] = field(default_factory=dict)  # docno -> number
    groups: dict[bytes, list[tuple[bytes, bytes, float]]] = field(default_factory=dict)


class PreferencesIndex(QrelsIndex):
    """Preferences made ready for scoring. The grade of a judged hit is its document's number in the topic.

    groups_of_topic: for each of `topics`, its groups by name.
    """

    ties_ascending = True
    prefers = True

    def __init__(self, qrels: Qrels, groups: dict[str, tuple[Group, ...]]) -> None:
        super().__init__(qrels)
        self.groups_of_topic = tuple(groups[topic] for topic in self.topics)

    def fulfilments(self, hits: Hits) -> list[list[Fulfilment]]:
        """Return what a run makes of each topic's groups."""
        bounds = zip(hits.all.offsets[:-1].tolist(), hits.all.offsets[1:].tolist(), strict=True)
        documents = np.diff(self.offsets).tolist()
        return [
            fulfilments(groups, count, hits.grade[start:end])
            for groups, count, (start, end) in zip(self.groups_of_topic, documents, bounds, strict=True)
        ]


def parse_preferences(
    content: bytes, name: str = "", *, of_qrels: bool = False, comments: bool = False
) -> PreferencesIndex:
    """Return the preferences of an unpacked file: lines of topic, group, subgroup, docno, level.

    of_qrels: read qrels, the group being the iteration, without subgroups. Raises BadLine for another number
    of fields, a level that is not a number of 0 or more, or a document twice in a subgroup; BadFile for an
    empty file.
    """
    topics: dict[str, _Topic] = {}
    seen: dict[tuple[bytes, ...], int] = {}
    for number, fields in numbered_lines(content, name, comments):
        *key, level = _checked_row(fields, number, name, of_qrels)
        if tuple(key) in seen:
            message = f"expected a document once in a subgroup, found {key[3].decode()!r} again"
            raise BadLine(number, f"{message} (first on line {seen[tuple(key)]})", name)
        seen[tuple(key)] = number
        topic = topics.setdefault(key[0].decode(), _Topic())
        topic.numbers.setdefault(key[3], len(topic.numbers))
        topic.groups.setdefault(key[1], []).append((key[2], key[3], float(level)))
    if not topics:
        raise BadFile("expected at least one preference, found an empty file", name=name)
    return PreferencesIndex(
        _as_qrels(topics), {topic: _groups(of_topic) for topic, of_topic in topics.items()}
    )


def _checked_row(fields: list[bytes], number: int, name: str, of_qrels: bool) -> list[bytes]:
    wanted = 4 if of_qrels else 5
    if len(fields) != wanted:
        columns = "topic group docno level" if of_qrels else "topic group subgroup docno level"
        raise BadLine(
            number, f"expected {wanted} fields ({columns}), found {len(fields) or 'a blank line'}", name
        )
    for column in fields[:-1]:
        check_name(column, "field", number, name)
    if not NUMBER.fullmatch(fields[-1]) or not 0 <= float(fields[-1]) < np.inf:
        shown = fields[-1][:40].decode(errors="replace")
        raise BadLine(number, f"expected a level of 0 or more, found {shown!r}", name)
    return [*fields[:2], b"0", *fields[2:]] if of_qrels else fields


def _as_qrels(topics: dict[str, _Topic]) -> Qrels:
    """Return every topic's documents as qrels whose grades number them."""
    docnos = [docno for topic in topics.values() for docno in topic.numbers]
    numbers = [number for topic in topics.values() for number in topic.numbers.values()]
    offsets = np.cumsum([0, *(len(topic.numbers) for topic in topics.values())])
    fixed: Docnos = np.array(docnos, dtype=f"S{word_width(max(map(len, docnos)))}")
    return Qrels(tuple(topics), offsets, fixed, np.array(numbers, dtype=np.int64), fixed)


def _groups(topic: _Topic) -> tuple[Group, ...]:
    groups = []
    for _, rows in sorted(topic.groups.items()):
        documents = np.array([topic.numbers[docno] for _, docno, _ in rows])
        groups.append(
            Group(documents, np.array([level for *_, level in rows]), tuple(row[0] for row in rows))
        )
    return tuple(groups)


@dataclass(frozen=True, eq=False, repr=False)
class Fulfilment:
    """One group's preferences, over its topic's documents in the order of the ranking.

    prefers: whether row is preferred to column, shape (documents, documents); the first `retrieved`
    documents were retrieved. level: shape (documents,), -1 for documents that the group does not know.
    complete: no subgroups.
    """

    prefers: Flags
    level: Vector
    retrieved: int
    complete: bool

    @property
    def relevant(self) -> Flags:
        """Which documents have a level above 0."""
        return np.greater(self.level, 0)

    @property
    def nonrelevant(self) -> Flags:
        """Which documents have level 0."""
        return np.equal(self.level, 0)

    @cached_property
    def fulfilled(self) -> Flags:
        """Which pairs stand in the preferred order: both retrieved, or only the preferred one."""
        pairs: Flags = np.triu(self.prefers, 1)
        pairs[self.retrieved :] = False
        return pairs

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """Fulfilled and possible with both retrieved, fulfilled and possible with one, possible with none."""
        n = self.retrieved
        both, one = self.prefers[:n, :n], int(self.prefers[:n, n:].sum())
        other = int(self.prefers[n:, :n].sum())
        return (
            int(self.fulfilled[:n, :n].sum()),
            int(both.sum()),
            one,
            one + other,
            int(self.prefers[n:, n:].sum()),
        )


def fulfilments(groups: tuple[Group, ...], documents: int, ranking: IntVector) -> list[Fulfilment]:
    """Return what a ranking makes of each group.

    documents: how many the topic has. ranking: the numbers of the retrieved ones, best first. Raises BadFile
    when a group contradicts itself.
    """
    rank = np.full(documents, -1)
    rank[ranking] = np.arange(len(ranking))
    missing = np.flatnonzero(rank < 0)
    rank[missing] = np.arange(len(ranking), documents)
    return [_fulfilment(group, rank, len(ranking)) for group in groups]


def _fulfilment(group: Group, rank: IntVector, retrieved: int) -> Fulfilment:
    places = rank[group.documents]
    level = np.full(len(rank), -1.0)
    level[places] = group.levels
    prefers: Flags = np.zeros((len(rank), len(rank)), dtype=bool)
    names = sorted(set(group.subgroups))
    for name in names:
        inside = np.array([subgroup == name for subgroup in group.subgroups])
        levels, where = group.levels[inside], places[inside]
        prefers[np.ix_(where, where)] |= levels[:, None] > levels[None, :]
    if len(names) > 1:
        _refuse_mixed_levels(group, len(rank))
        prefers = _with_what_follows(prefers)
    return Fulfilment(prefers, level, retrieved, complete=len(names) == 1)


def _refuse_mixed_levels(group: Group, documents: int) -> None:
    zero, positive = np.zeros(documents, dtype=bool), np.zeros(documents, dtype=bool)
    zero[group.documents[group.levels == 0]] = True
    positive[group.documents[group.levels > 0]] = True
    if (zero & positive).any():
        raise BadFile("expected a document to be relevant or not in one group, found both in two subgroups")


def _with_what_follows(prefers: Flags) -> Flags:
    """Add C to what A is preferred to, where A is preferred to B and B to C, until nothing is added."""
    while True:
        steps = prefers.astype(np.float32)
        longer: Flags = np.logical_or(prefers, steps @ steps > 0)
        if np.array_equal(longer, prefers):
            break
        prefers = longer
    if (prefers & prefers.T).any():
        raise BadFile("expected one judge's preferences to agree with each other, found a circle of them")
    return prefers
