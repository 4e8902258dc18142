"""What a file of judgments would change: compared with the pools before anything is stored."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from pooling.formats.qrels import JudgmentRecord

ENDINGS = re.compile(r"(?<=.)(\.[a-z]{1,5}[0-9]?)+\Z")
LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


class NearMiss(NamedTuple):
    """A docno of the file that is unknown, and a pooled one of the topic that has nearly its spelling."""

    topic: str
    docno: str
    pooled: str


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

    pooled: of documents in a pool. unknown: of documents outside the pools that are in no run and not loaded.
    topics: in the order of the file. grades: after mapping, highest first.
    """

    judgments: int
    pooled: int
    unknown: int
    near_misses: list[NearMiss]
    topics: list[TopicCheck]
    grades: list[GradeCheck]

    @property
    def outside(self) -> int:
        return self.judgments - self.pooled


def check_judgments(
    records: Iterable[JudgmentRecord], pooled: Mapping[str, Collection[str]], known: Collection[str]
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
        _near_misses(unknown, pooled),
        [TopicCheck(topic, count, pooled_topics[topic]) for topic, count in topics.items()],
        [GradeCheck(grade, grades[grade], pooled_grades[grade]) for grade in sorted(grades, reverse=True)],
    )


def _near_misses(unknown: Iterable[JudgmentRecord], pooled: Mapping[str, Collection[str]]) -> list[NearMiss]:
    by_topic: dict[str, list[str]] = {}
    for record in unknown:
        by_topic.setdefault(record.topic, []).append(record.docno)
    found = []
    for topic, docnos in by_topic.items():
        spellings = {plain_spelling(docno): docno for docno in pooled.get(topic, ())}
        pairs = ((docno, spellings.get(plain_spelling(docno))) for docno in docnos)
        found += [NearMiss(topic, docno, near) for docno, near in pairs if near]
    return found


def plain_spelling(name: str) -> str:
    """Return a name without what files often change: case, ending, leading zeros, Unicode form.

    >>> plain_spelling("FT911-0003.TXT"), plain_spelling("051")
    ('ft911-3', '51')
    """
    folded = unicodedata.normalize("NFC", name).casefold()
    return LEADING_ZEROS.sub("", ENDINGS.sub("", folded))
