"""Stratified samples: the deeper a document's best rank, the smaller the share that is judged.

For measures that know it was a sample: infAP (Yilmaz & Aslam 2006) and xinfAP (Yilmaz, Kanoulas & Aslam
2008). Plain measures on such judgments are lower bounds at best.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import ceil, isfinite
from typing import NamedTuple

import numpy as np

from pooling.arrays import Flags, IntVector
from pooling.formats.run_order import ASCENDING
from pooling.refusals import Refused
from pooling.strategies.candidates import Candidates
from pooling.strategies.draws import document_draws
from pooling.strategies.selection import highest_rows
from pooling.strategies.strategy import PoolSettings

STRATUM_PATTERN = re.compile(r"(\d{1,6}):(\d*\.?\d+|\d+\.)")
UNJUDGED = -1  # the grade of a document that is in the pool and was not sampled


class RankStratum(NamedTuple):
    """Ranks from behind the stratum before to `deepest`, of which the share `rate` is judged."""

    deepest: int
    rate: float


class SamplePlace(NamedTuple):
    """Where a document of the pool fell: its stratum, from 1, and whether it is to be judged."""

    stratum: int
    sampled: bool


Sample = dict[str, dict[str, SamplePlace]]
"""topic -> docno -> where it fell, over the whole pool."""


def parse_strata(text: str) -> tuple[RankStratum, ...]:
    """Return the strata of a text. Raises Refused for ranks that do not rise and rates beyond 0..1.

    >>> parse_strata("10:1 20:0.5")
    (RankStratum(deepest=10, rate=1.0), RankStratum(deepest=20, rate=0.5))
    """
    strata = []
    for part in text.split():
        if not (match := STRATUM_PATTERN.fullmatch(part)):
            raise Refused(f"expected strata such as 10:1 20:0.5 (rank:rate), found {part!r}")
        strata.append(RankStratum(int(match[1]), float(match[2])))
    return checked_strata(strata)


def checked_strata(strata: Iterable[RankStratum]) -> tuple[RankStratum, ...]:
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


def stratum_of(candidates: Candidates, strata: tuple[RankStratum, ...]) -> IntVector:
    """Return the number of the stratum of every document, from 0, by its best rank; shape (documents,)."""
    return np.searchsorted([stratum.deepest for stratum in strata], candidates.documents.best_ranks)


def in_strata(candidates: Candidates, settings: PoolSettings) -> Flags:
    """Sample each stratum without replacement, uniformly, topic by topic; shape (documents,).

    Of n documents in a stratum the share is rounded up, so that no stratum with a rate above 0 goes without
    a judgment.
    """
    chosen = np.zeros(len(candidates.documents.ids), dtype=bool)
    strata = parse_strata(settings.values["strata"])
    strata_of = stratum_of(candidates, strata)
    for topic, rows in candidates.of_topics():
        for number, (_, rate) in enumerate(strata):
            inside = rows.start + np.flatnonzero(strata_of[rows] == number)
            count = ceil(round(rate * len(inside), 9))  # rounded first: 0.07 * 100 is a little more than 7
            if 0 < count < len(inside):
                docnos = candidates.docnos(candidates.documents.ids[inside])
                chances = document_draws(docnos, settings.seed, topic, "stratum", number + 1)
                inside = highest_rows(candidates, -chances, inside, count, ASCENDING)
            chosen[inside[:count]] = True
    return chosen


def sample_by_name(candidates: Candidates, strata: tuple[RankStratum, ...], chosen: Flags) -> Sample:
    """Return where every document fell. chosen: which are sampled, from `in_strata`."""
    strata_of = stratum_of(candidates, strata)
    sample: Sample = {}
    for topic, rows in candidates.of_topics():
        docnos = [docno.decode() for docno in candidates.docnos(candidates.documents.ids[rows]).tolist()]
        places = map(SamplePlace, (strata_of[rows] + 1).tolist(), chosen[rows].tolist())
        sample[topic] = dict(zip(docnos, places, strict=True))
    return sample


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
