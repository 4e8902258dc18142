"""The lines of a release, each with the pooled document that it is about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.event_columns import Ints
from assess.models import QrelsRelease
from assess.queries.caching import cached
from assess.queries.pooled_columns import pooled_columns
from assess.queries.releases import qrels_of
from pooling.docnos import DocnoTable
from pooling.qrels import Qrels
from pooling.strategies.candidates import pair_keys


class Released(NamedTuple):
    """documents: the place in `pooled_columns` of every line."""

    qrels: Qrels
    documents: Ints


def released_columns(release: QrelsRelease) -> Released:
    """Return the lines of a release. It never changes, and no pool loses a document: so they are kept."""
    return cached(release.campaign, "released", release.sha256, lambda: _released(release))


def _released(release: QrelsRelease) -> Released:
    qrels, documents = qrels_of(release), pooled_columns(release.campaign)
    numbers, names = release.campaign.topics.values_list("number", flat=True), DocnoTable(documents.docno)
    place_of = {number: place for place, number in enumerate(numbers)}
    keys = pair_keys(documents.topic, names.find(documents.docno))
    order = np.argsort(keys)
    places = np.array([place_of[topic] for topic in qrels.topics], dtype=np.int64)
    wanted = pair_keys(places[qrels.topic_of_rows()], names.find(qrels.docnos))
    return Released(qrels, order[np.searchsorted(keys[order], wanted)])
