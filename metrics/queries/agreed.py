"""The agreed grades of a campaign as qrels."""

from __future__ import annotations

import numpy as np

from assess.queries.pooled_columns import PooledColumns
from assess.queries.release_draft import AgreedColumns
from pooling.formats.qrels import Qrels
from pooling.models import Campaign


def qrels_of_columns(campaign: Campaign, documents: PooledColumns, agreed: AgreedColumns) -> Qrels:
    """Return the agreed grades as qrels, one row each in the same order; topics in campaign order."""
    rows = documents.where(agreed.documents)
    numbers = list(campaign.topics.values_list("number", flat=True))
    topics, starts = np.unique(rows.topic, return_index=True)
    return Qrels(
        tuple(numbers[place] for place in topics.tolist()),
        np.append(starts, len(rows.docno)),
        rows.docno,
        agreed.grades,
        np.zeros(len(rows.docno), dtype="S8"),
    )
