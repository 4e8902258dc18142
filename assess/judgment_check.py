"""What a file of judgments would change: compared with the pools before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from pooling.formats.qrels import JudgmentRecord
from pooling.intake.compare import Match, match_names


class TopicCheck(NamedTuple):
    topic: str
    judgments: int
    pooled: int

    @property
    def outside(self) -> int:
        return self.judgments - self.pooled


class GradeCheck(NamedTuple):
    """A grade of the campaign; negative for "cannot judge"."""

    grade: int
    judgments: int
    pooled: int

    @property
    def outside(self) -> int:
        return self.judgments - self.pooled


class JudgmentCheck(NamedTuple):
    """Counts of the judgments of a file.

    pooled: of documents in a pool. unknown: of documents outside the pools, in no run and without a text.
    match: how unknown docnos would be pooled ones. topics: in the order of the file. grades: after mapping,
    highest first.
    """

    judgments: int
    pooled: int
    unknown: int
    match: Match | None
    topics: list[TopicCheck]
    grades: list[GradeCheck]

    @property
    def outside(self) -> int:
        return self.judgments - self.pooled


def check_judgments(
    records: Sequence[JudgmentRecord], pooled: Mapping[str, Collection[str]], known: Collection[str]
) -> JudgmentCheck:
    """Compare judgments with the pools.

    pooled: topic -> docnos of all pools. known: the docnos that a run or the loaded documents have.
    """
    rows = [(record, record.docno in pooled.get(record.topic, ())) for record in records]
    unknown = [record for record, inside in rows if not inside and record.docno not in known]
    topics, pooled_topics = (
        Counter(r.topic for r, _ in rows),
        Counter(r.topic for r, inside in rows if inside),
    )
    grades, pooled_grades = (
        Counter(r.grade for r, _ in rows),
        Counter(r.grade for r, inside in rows if inside),
    )
    return JudgmentCheck(
        len(rows),
        pooled_topics.total(),
        len(unknown),
        match_docnos(records, pooled, known),
        [TopicCheck(topic, count, pooled_topics[topic]) for topic, count in topics.items()],
        [GradeCheck(grade, grades[grade], pooled_grades[grade]) for grade in sorted(grades, reverse=True)],
    )


def match_docnos(
    records: Iterable[JudgmentRecord], pooled: Mapping[str, Collection[str]], known: Collection[str]
) -> Match | None:
    """Return the rule by which most unknown docnos of judgments become pooled ones; None if none does.

    pooled, known: see `check_judgments`.
    """
    in_pools = {docno for docnos in pooled.values() for docno in docnos}
    match = match_names((record.docno for record in records), in_pools)
    names = {name: other for name, other in match.names.items() if name not in known} if match else {}
    return match._replace(names=names) if match and names else None
