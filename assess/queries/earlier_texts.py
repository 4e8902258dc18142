"""Labels that were given to a text that has been replaced since."""

from __future__ import annotations

import numpy as np

from assess.event_columns import Bools, EventColumns, Ints, text_key
from assess.queries.event_logs import newest_deed, people_of, standing_of
from assess.queries.keeping import kept
from assess.queries.pooled_columns import pooled_columns
from pooling.docnos import UNKNOWN, DocnoTable
from pooling.models import Campaign


def labels_of_earlier_texts(campaign: Campaign) -> int:
    """Return how many current labels were given here to a text that has been replaced since."""
    return int(of_earlier_texts(campaign, people_of(campaign, standing_of(campaign))).sum())


def of_earlier_texts(campaign: Campaign, labels: EventColumns) -> Bools:
    """Tell of each of these labels whether it was given here to a text that has been replaced since."""
    nothing = np.zeros(len(labels.key), dtype=np.bool_)
    if not labels.here.any():  # of who labelled nothing no text is read
        return nothing
    pooled, texts = _texts_now(campaign)
    if not len(pooled):
        return nothing
    place = np.searchsorted(pooled, labels.pooled).clip(max=len(pooled) - 1)
    replaced: Bools = labels.here & (pooled[place] == labels.pooled) & (texts[place] != labels.text)
    return replaced


def _texts_now(campaign: Campaign) -> tuple[Ints, Ints]:
    """Return the pooled documents that have a text, ascending, and which text that is.

    Read again after whatever an organiser did: no text changes otherwise.
    """

    def made() -> tuple[Ints, Ints]:
        rows = list(campaign.documents.order_by().values_list("docno", "text_hash"))
        docnos, hashes = zip(*rows, strict=True) if rows else ((), ())
        documents = pooled_columns(campaign)
        texts = DocnoTable(np.array([docno.encode() for docno in docnos], dtype=np.bytes_))
        place = texts.find(documents.docno)
        known = place != UNKNOWN
        return documents.pk[known], np.fromiter(map(text_key, hashes), dtype=np.int64)[place[known]]

    return kept(campaign, "texts", newest_deed(campaign), made)
