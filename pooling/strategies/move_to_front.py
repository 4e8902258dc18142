"""Move-to-front: stay with a run for as long as it gives relevant documents."""

from __future__ import annotations

from pooling.strategies.draws import Draw
from pooling.strategies.live import Known, Label, Order, Unjudged, highest, labels_at_top
from pooling.strategies.runs import Lists


def move_to_front(lists: Lists, known: Known, draw: Draw) -> Order:
    """Local move-to-front (Cormack, Palmer & Clarke 1998).

    All runs have one priority. Judge a run of the highest priority, at random among equals, from its top;
    stay while its documents are relevant; at the first that is not, lower its priority by one and choose
    again. Documents judged before are passed without effect. Of a floor, each document that is not relevant
    has lowered the priority of the runs that brought it.
    """
    unjudged = Unjudged(lists, known)
    priority = {tag: -labels_at_top(ranking, known).count(False) for tag, ranking in lists.items()}
    while tags := unjudged.tags():
        tag = highest({tag: priority[tag] for tag in tags}, draw, step=len(unjudged.taken))
        label: Label = True
        while label is not False and (docno := unjudged.take(tag)) is not None:
            label = yield docno
        if label is False:
            priority[tag] -= 1
