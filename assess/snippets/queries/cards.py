"""Snippets and documents as their judge sees them: without the run, the rank and grades of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.document.highlighting import TextSpan, find_terms, spans_between
from assess.models import SnippetGrade, SnippetTask
from assess.queries.documents import WholeDocument, whole_document
from assess.queries.queues import highlighted_terms
from assess.snippets.queries.plan import snippet_terms
from assess.snippets.queries.tasks import Step, standing_grades
from pooling.formats.images import ShownImage
from pooling.models import Campaign, Topic
from pooling.queries.images import topic_images


class ShownResult(NamedTuple):
    """A result as a result page shows it, with the words of the topic marked."""

    title: list[TextSpan]
    address: str
    snippet: list[TextSpan]


class SnippetCard(NamedTuple):
    """A task as its judge sees it. document: None for a snippet. given: by this judge, if something stands.

    place, results: in the topic, in the order of this judge. text_hash: of the document that is shown, or "".
    """

    task: SnippetTask
    result: ShownResult
    document: WholeDocument | None
    text_hash: str
    given: SnippetGrade | None
    place: int
    results: int
    topic_images: Sequence[ShownImage]

    @property
    def is_snippet(self) -> bool:
        return self.document is None

    @property
    def words(self) -> str:
        """What was given, in words; "" without anything."""
        if self.given is None:
            return ""
        return f"grade {self.given.grade}{', answers the topic' if self.given.answers else ''}"

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.task.result.topic
        return bool(topic.description or topic.narrative or self.topic_images)


def shown_result(topic: Topic, title: str, address: str, snippet: str) -> ShownResult:
    """Return a result with the words of its topic marked."""
    terms = snippet_terms(topic)

    def marked(text: str) -> list[TextSpan]:
        return spans_between(text, find_terms(text, terms), 0, len(text))

    return ShownResult(marked(title), address, marked(snippet))


def snippet_cards(campaign: Campaign, tasks: Iterable[SnippetTask]) -> list[SnippetCard]:
    """Return tasks laid out for their judge. tasks: of one judge and set, with result and topic."""
    tasks = list(tasks)
    docnos = {task.result.docno for task in tasks if task.step == Step.DOCUMENT}
    documents = {each.docno: each for each in campaign.documents.filter(docno__in=docnos)}
    given, order = standing_grades(tasks), _order_in_topics(tasks)
    cards = []
    for task in tasks:
        result, topic = task.result, task.result.topic
        topic.campaign = campaign
        document = documents.get(result.docno)
        is_document, own = task.step == Step.DOCUMENT, order[topic.pk]
        cards.append(
            SnippetCard(
                task,
                shown_result(topic, result.title or result.docno, result.address, result.snippet),
                whole_document(campaign, document, highlighted_terms(topic)) if is_document else None,
                document.text_hash if document and is_document else "",
                given.get(task.pk),
                own.index(result.pk) + 1,
                len(own),
                topic_images(topic),
            )
        )
    return cards


def _order_in_topics(tasks: Sequence[SnippetTask]) -> dict[int, list[int]]:
    """Return the key of a topic -> the keys of all its results of the judge and set, in their order."""
    order: dict[int, list[int]] = {}
    if tasks:
        same = {"judge": tasks[0].judge_id, "snippet_set": tasks[0].snippet_set_id}
        topics = {task.result.topic_id for task in tasks}
        rows = SnippetTask.objects.filter(**same, step=Step.SNIPPET, result__topic__in=topics).order_by(
            "place"
        )
        for topic, key in rows.values_list("result__topic", "result"):
            order.setdefault(topic, []).append(key)
    return order
