"""Stratified samples: the deeper a document's best rank, the smaller the share that is judged.

For measures that know it was a sample: infAP (Yilmaz & Aslam 2006) and xinfAP (Yilmaz, Kanoulas & Aslam
2008). Plain measures on such judgments are lower bounds at best.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import ceil, isfinite
from typing import NamedTuple

from pooling.refusals import Refused

from .draws import draws, shuffled
from .pooled import Found, Pooled

PART = re.compile(r"(\d{1,6}):(\d*\.?\d+|\d+\.)")
UNJUDGED = -1  # the grade of a document that is in the pool and was not sampled


class Stratum(NamedTuple):
    """Ranks from behind the stratum before to `deepest`, of which the share `rate` is judged."""

    deepest: int
    rate: float


class Placed(NamedTuple):
    """Where a document of the pool fell: its stratum, from 1, and whether it is to be judged."""

    stratum: int
    sampled: bool


class StratumSize(NamedTuple):
    """One line of a strata file: how many documents a topic's stratum holds, and how many are judged."""

    topic: str
    stratum: int
    documents: int
    sampled: int


Sample = dict[str, dict[str, Placed]]
"""topic -> docno -> where it fell, over the whole pool."""


def parse_strata(text: str) -> tuple[Stratum, ...]:
    """Return the strata of a text. Raises Refused for ranks that do not rise and rates beyond 0..1.

    >>> parse_strata("10:1 20:0.5")
    (Stratum(deepest=10, rate=1.0), Stratum(deepest=20, rate=0.5))
    """
    strata = []
    for part in text.split():
        if not (match := PART.fullmatch(part)):
            raise Refused(f"expected strata such as 10:1 20:0.5 (rank:rate), found {part!r}")
        strata.append(Stratum(int(match[1]), float(match[2])))
    return checked_strata(strata)


def checked_strata(strata: Iterable[Stratum]) -> tuple[Stratum, ...]:
    """Return the strata; raises Refused unless there are some, ranks rise and rates lie in 0..1."""
    strata = tuple(strata)
    if not strata:
        raise Refused("expected at least one stratum, such as 10:1")
    ends = [0, *(stratum.deepest for stratum in strata)]
    if ends != sorted(set(ends)):
        raise Refused(f"expected ranks that rise from 1, found {', '.join(map(str, ends[1:]))}")
    for stratum in strata:
        if not (isfinite(stratum.rate) and 0 <= stratum.rate <= 1):
            raise Refused(f"expected a rate from 0 to 1, found {stratum.rate:g}")
    return strata


def stratified_sample(pool: Pooled, strata: Iterable[Stratum], seed: int) -> Sample:
    """Divide a pool into strata by best rank and sample each without replacement, uniformly, topic by topic.

    Of n documents in a stratum the share is rounded up, so that no stratum with a rate above 0 goes without
    a judgment. Documents deeper than the last stratum are left out. Raises Refused as `checked_strata`.
    """
    strata = checked_strata(strata)
    return {topic: _sampled(found, strata, seed, topic) for topic, found in sorted(pool.items()) if found}


def _sampled(
    found: Mapping[str, Found], strata: tuple[Stratum, ...], seed: int, topic: str
) -> dict[str, Placed]:
    placed: dict[str, Placed] = {}
    above = 0
    for number, (deepest, rate) in enumerate(strata, start=1):
        inside = [docno for docno, how in found.items() if above < (how.best_rank or 0) <= deepest]
        # Rounded first: 0.07 * 100 is a little more than 7.
        count = ceil(round(rate * len(inside), 9))
        for place, docno in enumerate(shuffled(inside, draws(seed, topic), "stratum", number)):
            placed[docno] = Placed(number, place < count)
        above = deepest
    return placed


def sampled_pool(pool: Pooled, sample: Sample) -> Pooled:
    """Return the part of the pool that is to be judged."""
    return {
        topic: {docno: pool[topic][docno] for docno, place in placed.items() if place.sampled}
        for topic, placed in sample.items()
    }


def strata_sizes(sample: Sample) -> Iterator[StratumSize]:
    """Yield the size of every topic's strata that hold a document: what the estimators weigh by."""
    for topic, placed in sorted(sample.items()):
        for stratum in sorted({place.stratum for place in placed.values()}):
            inside = [place.sampled for place in placed.values() if place.stratum == stratum]
            yield StratumSize(topic, stratum, len(inside), sum(inside))


def prels_rows(
    sample: Sample, grades: Mapping[str, Mapping[str, int]]
) -> Iterator[tuple[str, int, str, int, int]]:
    """Yield the rows of a prels file, `topic 0 docno stratum grade`, sorted by topic and docno.

    grades: topic -> docno -> grade. What was not sampled, or has no grade yet, gets -1.
    """
    for topic, placed in sorted(sample.items()):
        known = grades.get(topic, {})
        for docno, place in sorted(placed.items()):
            grade = known.get(docno, UNJUDGED) if place.sampled else UNJUDGED
            yield topic, 0, docno, place.stratum, grade
