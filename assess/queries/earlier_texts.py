"""Labels that were given to a text that has been replaced since."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.event_columns import Bools, EventColumns, Ints, text_key
from assess.queries.column_files import read_columns, write_columns
from assess.queries.event_logs import MANY, people_of, standing_of
from assess.queries.keeping import kept
from assess.queries.pooled_columns import pooled_columns
from pooling.checksum import sha256_of
from pooling.docnos import UNKNOWN, DocnoTable
from pooling.models import Campaign
from pooling.queries import imports_so_far


def labels_of_earlier_texts(campaign: Campaign) -> int:
    """Return how many current labels were given here to a text that has been replaced since."""
    return int(of_earlier_texts(campaign, people_of(campaign, standing_of(campaign))).sum())


def of_earlier_texts(campaign: Campaign, labels: EventColumns) -> Bools:
    """Tell of each of these labels whether it was given here to a text that has been replaced since."""
    nothing = np.zeros(len(labels.key), dtype=np.bool_)
    if not labels.here.any():  # of who labelled nothing no text is read
        return nothing
    pooled, text = _texts_now(campaign)
    if not len(pooled):
        return nothing
    place = np.searchsorted(pooled, labels.pooled).clip(max=len(pooled) - 1)
    replaced: Bools = labels.here & (pooled[place] == labels.pooled) & (text[place] != labels.text)
    return replaced


class Texts(NamedTuple):
    """pooled: documents that have a text, by key. text: which text that is now. Both of shape (texts,)."""

    pooled: Ints
    text: Ints


def _texts_now(campaign: Campaign) -> Texts:
    """Return which text is shown now; kept until one is imported, or another document is pooled."""
    documents = pooled_columns(campaign)
    stamp = imports_so_far(campaign), sha256_of(documents.pk.tobytes())
    return kept(campaign, "texts", stamp, lambda: _left(campaign, stamp))


def _left(campaign: Campaign, stamp: object) -> Texts:
    """Return what another process left in a file under this stamp; else read it, and leave what is much."""
    none = np.zeros(0, dtype=np.int64)
    if found := read_columns(campaign, "texts", Texts(none, none)._asdict(), stamp):
        return Texts(**found)
    texts = _read(campaign)
    if len(texts.pooled) > MANY:
        write_columns(campaign, "texts", texts._asdict(), stamp)
    return texts


def _read(campaign: Campaign) -> Texts:
    rows = list(campaign.documents.order_by().values_list("docno", "text_hash"))
    docnos, hashes = zip(*rows, strict=True) if rows else ((), ())
    documents = pooled_columns(campaign)
    texts = DocnoTable(np.array([docno.encode() for docno in docnos], dtype=np.bytes_))
    place = texts.find(documents.docno)
    known = place != UNKNOWN
    return Texts(documents.pk[known], np.fromiter(map(text_key, hashes), dtype=np.int64)[place[known]])
