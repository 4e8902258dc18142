"""A judge's own labels, to search and change them. They are shown to this judge only."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from assess.models import JudgmentEvent, QueueEntry
from pooling.models import Campaign, Document, Topic


class OwnLabel(NamedTuple):
    """A label with the queue entry that opens its document."""

    event: JudgmentEvent
    entry: QueueEntry
    title: str


def own_labels(
    judge: User,
    campaign: Campaign,
    topic: str = "",
    grade: str = "",
    text: str = "",
    remarks: bool = False,
    unsure: bool = False,
) -> QuerySet[JudgmentEvent]:
    """Return the judge's latest label of each judged document, newest first.

    grade: a grade, or "none" for *cannot judge*. text: a part of docno, title or comment.
    remarks: only labels with a comment or evidence. unsure: only labels that the judge marked as unsure.

    Gold documents are listed as all other documents. Of a hidden repeat and its original only the latest
    label is listed, and none while one of them is open in the queue: two lines would reveal the repeat.
    """
    entries = QueueEntry.objects.filter(judge=judge, pooled=OuterRef("pooled"))
    done = entries.filter(kind=OuterRef("kind"), state=QueueEntry.State.DONE)
    events = JudgmentEvent.objects.filter(
        Exists(done),
        ~Exists(entries.filter(state=QueueEntry.State.OPEN)),
        ~Exists(_later_events()),
        judge=judge,
        pooled__topic__in=campaign.topics.values("pk"),
    )
    if topic:
        events = events.filter(pooled__topic__number=topic)
    if grade:
        events = events.filter(relevance=None if grade == "none" else int(grade))
    if text:
        titled = Document.objects.filter(
            campaign=campaign, docno=OuterRef("pooled__docno"), title__icontains=text
        )
        events = events.filter(Q(pooled__docno__icontains=text) | Q(comment__icontains=text) | Exists(titled))
    if remarks:
        events = events.filter(~Q(comment="") | Q(evidence__isnull=False))
    if unsure:
        events = events.filter(unsure=True)
    return events.order_by("-pressed_at", "-pk")


def _later_events() -> QuerySet[JudgmentEvent]:
    """Return later events of the same judge and document."""
    same = JudgmentEvent.objects.filter(judge=OuterRef("judge"), pooled=OuterRef("pooled"))
    at_once = Q(pressed_at=OuterRef("pressed_at"), pk__gt=OuterRef("pk"))
    return same.filter(Q(pressed_at__gt=OuterRef("pressed_at")) | at_once)


def with_entries(campaign: Campaign, judge: User, events: list[JudgmentEvent]) -> list[OwnLabel]:
    """Return a page of labels with their queue entries and titles."""
    pooled = [event.pooled_id for event in events]
    done = QueueEntry.State.DONE
    queue = QueueEntry.objects.filter(judge=judge, pooled__in=pooled, state=done).order_by()
    entries: dict[Any, QueueEntry] = {
        (entry.pooled_id, entry.kind): entry for entry in queue.select_related("pooled", "topic")
    }
    docnos = [entry.pooled.docno for entry in entries.values()]
    documents = Document.objects.filter(campaign=campaign, docno__in=docnos)
    titles = dict(documents.values_list("docno", "title"))
    labels = [(event, entries.get((event.pooled_id, event.kind))) for event in events]
    return [OwnLabel(event, entry, titles.get(entry.pooled.docno, "")) for event, entry in labels if entry]


def topics_with_labels(judge: User, campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics on which the judge has judged documents, in campaign order."""
    done = QueueEntry.objects.filter(judge=judge, topic=OuterRef("pk"), state=QueueEntry.State.DONE)
    return campaign.topics.filter(Exists(done)).order_by("place")
