"""What a judge makes nuggets from, and the own nuggets: never those of other people, never suggestions."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, QuerySet

from accounts.models import User
from assess.document.layout import DocumentPart, DocumentView, document_view, later_parts
from assess.models import BankNugget, QueueEntry
from assess.nuggets.queries.banks import draft_of
from assess.queries.documents import language_in, text_in
from assess.queries.queues import highlighted_terms
from pooling.models import Campaign, Topic


def labelled_entries(judge: User, campaign: Campaign) -> QuerySet[QueueEntry]:
    """Return the entries of the judge's queues with a label, without gold and training documents."""
    return QueueEntry.objects.filter(
        judge=judge,
        topic__campaign=campaign,
        state=QueueEntry.State.DONE,
        kind=QueueEntry.Kind.JUDGING,
    )


def labelled_docnos(judge: User, topic: Topic) -> list[str]:
    """Return the documents of a topic that the judge has labelled, in the order of the queue."""
    entries = labelled_entries(judge, topic.campaign).filter(topic=topic).order_by("place")
    return list(dict.fromkeys(entries.values_list("pooled__docno", flat=True)))


def own_nuggets(judge: User, campaign: Campaign) -> QuerySet[BankNugget]:
    """Return the nuggets that the judge wrote in the draft, without those that have to do with a program."""
    drafts = campaign.nugget_banks.filter(frozen_at=None)
    return BankNugget.objects.filter(bank__in=drafts, author=judge, is_suggestion=False).order_by("place")


class MyNuggetTopic(NamedTuple):
    """A topic in which a judge can write nuggets. documents: with a label of this judge."""

    topic: Topic
    documents: int
    nuggets: int


def my_nugget_topics(judge: User, campaign: Campaign) -> list[MyNuggetTopic]:
    """Return the topics in which the judge has labelled documents; none without a draft."""
    if draft_of(campaign) is None:
        return []
    counts = dict(
        labelled_entries(judge, campaign)
        .order_by()
        .values_list("topic")
        .annotate(documents=Count("pooled__docno", distinct=True))
    )
    own = own_nuggets(judge, campaign).order_by().values_list("topic").annotate(nuggets=Count("pk"))
    written = dict(own)
    topics = campaign.topics.filter(pk__in=counts).order_by("place")
    return [MyNuggetTopic(topic, counts[topic.pk], written.get(topic.pk, 0)) for topic in topics]


class ShownDocument(NamedTuple):
    """A document on the page where nuggets are written, with the names that its template asks for."""

    docno: str
    title: str
    language: str
    sheet: DocumentView | None
    parts: list[DocumentPart]


def shown_document(topic: Topic, docno: str) -> ShownDocument:
    """Return a document with the words of the topic marked."""
    campaign = topic.campaign
    document = campaign.documents.filter(docno=docno).first()
    text = text_in(campaign, document) if document else ""
    if not text:
        return ShownDocument(docno, document.title if document else "", "", None, [])
    terms = highlighted_terms(topic)
    sheet = document_view(text, terms)
    parts = [] if sheet.html else later_parts(text, terms, 0)
    return ShownDocument(
        docno, document.title if document else "", language_in(campaign, document), sheet, parts
    )
