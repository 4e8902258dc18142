"""Judging in the API: the judge's own topics, next documents and labels.

As on the pages of a judge, no answer contains a label of another judge, a run, a rank, or the kind of a queue
entry, which would reveal gold documents and hidden repeats.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from accounts.models import User
from assess.document_order import MIN_OPEN_CARDS
from assess.forms.judging import JudgmentForm
from assess.models import QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_progress import my_topics, topic_progress
from assess.queries.judging import (
    cards_of,
    entry_in,
    has_free_documents,
    is_shared,
    next_entries,
    topics_of_judge,
)
from assess.queries.queues import assignments_of
from assess.services.judging import record_judgment
from assess.services.queues import next_documents
from assess.views.judging import SubmissionResult, first_batch
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathName,
    PathTopic,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role, Topic

router = Router(tags=["judging"])
ReasonName = Literal["", "broken", "language", "expertise", "scale"]


class MyTopicOut(Schema):
    number: str
    title: str
    judged: int
    total: int = Field(description="Documents of yours, and free ones of a shared topic.")


class CardOut(Schema):
    """A document that you are to judge."""

    entry: int = Field(description="The key of the document in your queue.")
    docno: str
    title: str
    text: str
    url: str
    facts: list[list[str]]
    text_hash: str = Field(description="Send it back with the label: it says which text you saw.")

    @staticmethod
    def resolve_entry(card: Any) -> int:
        return int(card.entry.pk)


class NextDocumentsOut(MyTopicOut):
    cards: list[CardOut] = Field(description="Your next documents, the first one first.")
    can_take: bool = Field(description="Whether a POST to this address may give you more documents.")


class LabelIn(Body):
    """A grade, or the reason why you cannot judge the document. uuid: a new one for each label."""

    entry: int = Field(ge=1, le=2**53)
    uuid: UUID
    docno: Text = Field(min_length=1, max_length=200)
    text_hash: Text = Field(min_length=1, max_length=64)
    relevance: int | None = Field(None, ge=0, le=32767)
    reason: ReasonName = Field("", description="Instead of a grade.")
    comment: Text = Field("", max_length=5000)
    active_seconds: float | None = Field(None, ge=0, le=86_400, description="Time spent on the document.")


class LabelOut(Schema):
    uuid: UUID
    topic: str
    docno: str
    relevance: int | None
    reason: str
    comment: str
    at: datetime
    notes: list[str] = Field(description="Feedback on a training document, or what happened to your lease.")


@router.get("{slug}/judging/", response={200: Page[MyTopicOut], **PROBLEMS})
def my_topic_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The topics that you judge, by number as text, with your progress."""
    campaign, judge = api_campaign(request, slug, Role.JUDGE), api_user(request)
    page = page_of(request, topics_of_judge(judge, campaign), "number", cut)
    mine = {each.topic.pk: each for each in my_topics(judge, CampaignReads(campaign))}
    page["items"] = [
        {"number": topic.number, "title": topic.title, "judged": own.judged, "total": own.total}
        for topic in page["items"]
        for own in [mine[topic.pk]]
    ]
    return page


@router.get("{slug}/judging/{topic:number}/", response={200: NextDocumentsOut, **PROBLEMS})
def next_document_list(request: HttpRequest, slug: PathName, number: PathTopic) -> dict[str, Any]:
    """The next documents in your queue of a topic. Nothing is added to the queue."""
    judge, topic = my_topic_or_404(request, slug, number)
    return answer_with(judge, topic, next_entries(judge, topic, MIN_OPEN_CARDS))


@router.post(
    "{slug}/judging/{topic:number}/",
    response={200: NextDocumentsOut, **WRITE_PROBLEMS},
    summary="Take documents",
)
def document_take(request: HttpRequest, slug: PathName, number: PathTopic) -> dict[str, Any]:
    """The next documents of a topic, as the judging page gives them: of a shared topic or a live order,
    documents are added to your queue now. A topic without a card is done, or others have its documents."""
    judge, topic = my_topic_or_404(request, slug, number)
    return answer_with(judge, topic, next_documents(judge, topic, MIN_OPEN_CARDS))


def my_topic_or_404(request: HttpRequest, slug: str, number: str) -> tuple[User, Topic]:
    campaign, judge = api_campaign(request, slug, Role.JUDGE), api_user(request)
    topic = get_object_or_404(topics_of_judge(judge, campaign), number=number)
    topic.campaign = campaign
    return judge, topic


def answer_with(judge: User, topic: Topic, entries: list[QueueEntry]) -> dict[str, Any]:
    mine = topic_progress(judge, topic)
    return {
        "number": topic.number,
        "title": topic.title,
        "judged": mine.judged,
        "total": mine.total,
        "cards": first_batch(cards_of(entries)),
        "can_take": is_shared(assignments_of(judge, topic)) and has_free_documents(judge, topic),
    }


@router.post(
    "{slug}/judging/{topic:number}/labels/",
    response={201: LabelOut, **WRITE_PROBLEMS},
    summary="Label a document",
)
def label_record(
    request: HttpRequest, slug: PathName, number: PathTopic, about: LabelIn
) -> Status[dict[str, Any]]:
    """Store a label of a document in your queue.

    A repeated request with the same uuid changes nothing. The status is 409 if the uuid was used for another
    label, or if the document has another text than the one you saw.
    """
    campaign, judge = api_campaign(request, slug, Role.JUDGE), api_user(request)
    entry = entry_in(campaign, judge, about.entry)
    if entry is None or entry.topic.number != number:
        raise Http404
    form = checked(JudgmentForm(form_values(about.dict() | {"source": "click"}), campaign=campaign))
    press = form.press()._replace(source="api")
    event = record_judgment(entry, press)
    return Status(
        201,
        {
            **{name: getattr(event, name) for name in ("uuid", "relevance", "reason", "comment")},
            "topic": number,
            "docno": entry.pooled.docno,
            "at": event.pressed_at,
            "notes": SubmissionResult("", entry, event, press).notes(),
        },
    )
