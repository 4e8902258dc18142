"""Judgments of a file, compared with the pools, runs and documents of a campaign."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from assess.judgment_check import JudgmentCheck, check_judgments
from pooling.formats.docnos import UNKNOWN
from pooling.formats.qrels import JudgmentRecord
from pooling.models import Campaign
from pooling.queries.documents import loaded_docnos
from pooling.queries.runs import docno_table


def compare_with_pools(
    campaign: Campaign, records: Sequence[JudgmentRecord], pooled: Mapping[str, Collection[str]]
) -> JudgmentCheck:
    """Count what the judgments of a file would change. pooled: topic -> docnos of all pools."""
    outside = {record.docno for record in records if record.docno not in pooled.get(record.topic, ())}
    return check_judgments(records, pooled, known_docnos(campaign, sorted(outside)))


def known_docnos(campaign: Campaign, docnos: list[str]) -> set[str]:
    """Return which of these docnos a run or the loaded documents have."""
    if not docnos:
        return set()
    places = docno_table(campaign).find(np.array([docno.encode() for docno in docnos]))
    in_runs = {docno for docno, place in zip(docnos, places, strict=True) if place != UNKNOWN}
    return in_runs | loaded_docnos(campaign, docnos)
