"""The documents behind a cell of a confusion matrix, with the labels of both judges.

Documents that the reader may not see are not in the scope.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from django.db.models import F, QuerySet

from assess.models import Judgment, JudgmentEvent
from assess.queries.agreements import Scope
from pooling.models import Campaign, Document, PooledDocument


class Compared(NamedTuple):
    """A document with the labels of two judges. document: None when no text was loaded."""

    pooled: PooledDocument
    document: Document | None
    first: JudgmentEvent
    second: JudgmentEvent


def documents_of_cell(
    scope: Scope, first: str, second: str, cell: tuple[int, int] | None = None
) -> list[int]:
    """Return the pooled documents to which both judges gave these grades, by topic.

    cell: the first and the second judge's grade; without it, documents with different grades. Raises
    ValueError for an unknown judge or grade.
    """
    labels = scope.everybody
    own, other = labels.of_judges([first, second]).places
    if cell is None:
        chosen = (own >= 0) & (other >= 0) & (own != other)
    else:
        chosen = (own == labels.scale.index(cell[0])) & (other == labels.scale.index(cell[1]))
    return [int(str(labels.items[place])) for place in np.flatnonzero(chosen).tolist()]


def compared(campaign: Campaign, keys: list[int], first: str, second: str) -> list[Compared]:
    """Return these pooled documents with both labels, in the same order."""
    judgments = Judgment.objects.filter(pooled__in=keys, judge__username__in=(first, second))
    events: dict[tuple[int, str], JudgmentEvent] = {
        (judgment.pooled_id, judgment.judge.username): judgment.event
        for judgment in judgments.select_related("event", "judge")
    }
    pooled = PooledDocument.objects.filter(pk__in=keys).select_related("topic").in_bulk()
    docnos = {each.docno for each in pooled.values()}
    texts = {text.docno: text for text in campaign.documents.filter(docno__in=docnos).defer("text")}
    return [
        Compared(pooled[key], texts.get(pooled[key].docno), events[key, first], events[key, second])
        for key in keys
        if (key, first) in events and (key, second) in events
    ]


def labels_of_document(pooled: PooledDocument) -> QuerySet[Judgment]:
    """Return all current labels of one document, those of machines last."""
    judgments = pooled.judgments.select_related("judge__machine", "event")
    return judgments.order_by(F("judge__machine__pk").asc(nulls_first=True), "judge__username")
