"""Documents as judges give them magnitudes: without grades, and without numbers of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.magnitudes.queries.tasks import standing_magnitudes
from assess.models import Magnitude, MagnitudeTask
from assess.queries.documents import WholeDocument, whole_document
from assess.queries.queues import highlighted_terms
from pooling.formats.images import ShownImage
from pooling.models import Campaign
from pooling.queries.images import topic_images


class MagnitudeCard(NamedTuple):
    """A document as its judge sees it. given: by this judge, if something stands.

    place, documents: in the topic, in the order of this judge. text_hash: of the document.
    """

    task: MagnitudeTask
    document: WholeDocument
    text_hash: str
    given: Magnitude | None
    place: int
    documents: int
    topic_images: Sequence[ShownImage]

    @property
    def words(self) -> str:
        """What was given, in words; "" without anything."""
        if self.given is None:
            return ""
        return "“cannot judge”" if self.given.value is None else self.given.number

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.task.pooled.topic
        return bool(topic.description or topic.narrative or self.topic_images)


def magnitude_cards(campaign: Campaign, tasks: Iterable[MagnitudeTask]) -> list[MagnitudeCard]:
    """Return documents laid out for their judge. tasks: of one judge and set, with document and topic."""
    tasks = list(tasks)
    docnos = {task.pooled.docno for task in tasks}
    documents = {each.docno: each for each in campaign.documents.filter(docno__in=docnos)}
    given, order = standing_magnitudes(tasks), _order_in_topics(tasks)
    cards = []
    for task in tasks:
        topic, document = task.pooled.topic, documents.get(task.pooled.docno)
        topic.campaign = campaign
        whole = whole_document(campaign, document, highlighted_terms(topic))
        text_hash, own = document.text_hash if document else "", order[topic.pk]
        place = own.index(task.pk) + 1
        images = topic_images(topic)
        cards.append(MagnitudeCard(task, whole, text_hash, given.get(task.pk), place, len(own), images))
    return cards


def _order_in_topics(tasks: Sequence[MagnitudeTask]) -> dict[int, list[int]]:
    """Return the key of a topic -> the keys of all its tasks of the judge and set, in their order."""
    order: dict[int, list[int]] = {}
    if tasks:
        same = {"judge": tasks[0].judge_id, "magnitude_set": tasks[0].magnitude_set_id}
        topics = {task.pooled.topic_id for task in tasks}
        rows = MagnitudeTask.objects.filter(**same, pooled__topic__in=topics).order_by("place")
        for topic, key in rows.values_list("pooled__topic", "pk"):
            order.setdefault(topic, []).append(key)
    return order
