"""Adjudication in the API: disputed documents, their labels without names of judges, and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from pydantic import Field

from assess.adjudication import DisputeFilter
from assess.forms.adjudication import AskAgainForm, ReopenForm, SettleForm
from assess.models import Adjudication, AdjudicationClaim
from assess.queries.adjudication import (
    DisputeCard,
    DisputeLabel,
    claims_of_others,
    dispute_in,
    dispute_lines,
    dispute_queue,
    settled_seen_by,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.settling import cases_of_rule
from assess.services.adjudications import claim_case, reopen_case, settle, settle_by_rule
from assess.services.queues import ask_again
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathKey,
    PathName,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, PageQuery, keys_of_page, page_of
from pooling.models import Campaign, Role, Topic

router = Router(tags=["adjudication"])
PathRule = Literal["majority", "lower", "higher"]


class DisputeQuery(PageQuery):
    """Which documents are wanted."""

    show: Literal["differ", "cross", "cannot"] = Field(
        "differ",
        description="differ: with different grades; cross: on both sides of the threshold; cannot: with a"
        " label *cannot judge*.",
    )
    order: Literal["distance", "crossing"] = Field(
        "distance",
        description="distance: the largest difference first; crossing: across the threshold first.",
    )
    topic: Text = Field("", max_length=200, description="Its number; empty: all.")
    grades: list[Annotated[int, Field(ge=0, le=32767)]] = Field(
        [], max_length=10, description="Only documents that were given all of these grades."
    )


class DisputeOut(Schema):
    """A document that is not settled."""

    id: int
    topic: str
    docno: str
    title: str
    grades: list[int | None] = Field(description="One for each label; null: cannot judge.")
    reserved: bool = Field(description="Whether another adjudicator has reserved it.")


class DisputeLabelOut(Schema):
    """A label. Judges have letters here, which differ from document to document."""

    judge: str = Field(alias="letter")
    event: int = Field(alias="event.pk", description="The key of the label.")
    relevance: int | None = Field(alias="event.relevance")
    reason: str = Field(alias="event.reason")
    comment: str = Field(alias="event.comment")
    unsure: bool = Field(alias="event.unsure")
    evidence: dict[str, Any] | None = Field(alias="event.evidence")
    current: bool = Field(description="Whether it was given to the present text.")


class SettledOut(Schema):
    """A settled grade."""

    id: int
    document: int = Field(alias="pooled_id", description="The key of the document.")
    topic: str = Field(alias="pooled.topic.number")
    docno: str = Field(alias="pooled.docno")
    relevance: int
    why: str
    by: str = Field(alias="by.username")
    at: datetime


class DisputeWithLabels(Schema):
    """A document with all labels of people. Send `text_hash` and `last_label` back with the decision."""

    id: int = Field(alias="pooled.pk")
    topic: str = Field(alias="pooled.topic.number")
    docno: str = Field(alias="pooled.docno")
    title: str
    text: str
    text_hash: str
    last_label: int = Field(description="The key of the newest label.")
    labels: list[DisputeLabelOut] = Field(alias="views")
    settled: SettledOut | None
    changed_since: bool = Field(description="Whether a judge has changed a label since it was settled.")

    @staticmethod
    def resolve_title(card: DisputeCard) -> str:
        return card.document.title if card.document else ""

    @staticmethod
    def resolve_labels(card: DisputeCard) -> list[DisputeLabel]:
        return card.views


class SettleIn(Body):
    """A decision. uuid: a new one for each decision."""

    uuid: UUID
    docno: Text = Field(min_length=1, max_length=200)
    text_hash: Text = Field(min_length=1, max_length=64)
    last_label: int = Field(ge=1, le=2**53)
    relevance: int = Field(ge=0, le=32767)
    why: Text = Field("", max_length=2000, description="The campaign may require it.")


class ReopenIn(Body):
    adjudication: int = Field(ge=1, le=2**53, description="The key of the settled grade.")
    why: Text = Field("", max_length=2000)


class AskAgainIn(Body):
    event: int = Field(ge=1, le=2**53, description="The key of the label.")
    remark: Text = Field(min_length=1, max_length=2000, description="The judge reads it.")


class RuleQuery(Schema):
    topic: Text = Field("", max_length=200, description="Its number; empty: all.")


class RuleIn(Body):
    topic: Text = Field("", max_length=200, description="Its number; empty: all.")
    checksum: Text = Field(min_length=1, max_length=64, description="Of the preview.")


class RulePreviewOut(Schema):
    """What a rule would settle. Send `checksum` back to settle it."""

    documents: int
    grades: dict[int, int] = Field(description="Grade -> documents that would get it.")
    left: int = Field(description="Documents that the rule leaves to adjudicators.")
    earlier: int = Field(description="Left, too: with a label of an earlier text.")
    reserved: int = Field(description="Left, too: reserved by other adjudicators.")
    checksum: str


class RuleSettledOut(Schema):
    documents: int


class ReservationOut(Schema):
    mine: bool = Field(description="False if another adjudicator has reserved the document.")
    until: datetime


@router.get("{slug}/adjudication/", response={200: Page[DisputeOut], **PROBLEMS}, summary="List disputes")
def dispute_list(
    request: HttpRequest, slug: PathName, about: Annotated[DisputeQuery, Query()]
) -> dict[str, Any]:
    """The documents on which judges differ and that are not settled, without those that you still judge.

    A list from which the document of `after` has gone meanwhile begins again.
    """
    campaign, user = api_campaign(request, slug, Role.ADJUDICATOR), api_user(request)
    topic = topic_or_404(campaign, about.topic)
    wanted = DisputeFilter(about.show, about.order, frozenset(about.grades))
    keys, following = keys_of_page(request, dispute_queue(campaign, user, wanted, topic), about)
    return {"items": lines_of(campaign, request, keys), "next": following}


def lines_of(campaign: Campaign, request: HttpRequest, keys: Sequence[int]) -> list[dict[str, Any]]:
    """Return documents as `DisputeOut`."""
    reserved = set(claims_of_others(campaign, api_user(request)).values_list("pooled", flat=True))
    return [
        {
            "id": line.pooled.pk,
            "topic": line.pooled.topic.number,
            "docno": line.pooled.docno,
            "title": line.title,
            "grades": line.grades,
            "reserved": line.pooled.pk in reserved,
        }
        for line in dispute_lines(CampaignReads(campaign), keys)
    ]


@router.get(
    "{slug}/adjudication/settled/",
    response={200: Page[SettledOut], **PROBLEMS},
    summary="List settled grades",
)
def settled_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The settled grades, oldest first, without those of documents that you still judge."""
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    settled = settled_seen_by(campaign, api_user(request)).select_related("pooled__topic", "by")
    return page_of(request, settled, "id", cut)


@router.get(
    "{slug}/adjudication/rules/{rule}/",
    response={200: RulePreviewOut, **PROBLEMS},
    summary="What a rule would settle",
)
def rule_preview(
    request: HttpRequest, slug: PathName, rule: PathRule, about: Annotated[RuleQuery, Query()]
) -> dict[str, Any]:
    """How many documents a rule settles, with which grades. Nothing is settled."""
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    topic = topic_or_404(campaign, about.topic)
    cases = cases_of_rule(CampaignReads(campaign), api_user(request), rule, topic)
    counts = {name: getattr(cases, name) for name in ("left", "earlier", "reserved", "checksum")}
    return counts | {"documents": len(cases.settled), "grades": cases.by_grade()}


@router.post(
    "{slug}/adjudication/rules/{rule}/",
    response={200: RuleSettledOut, **WRITE_PROBLEMS},
    summary="Settle by a rule",
)
def rule_settle(request: HttpRequest, slug: PathName, rule: PathRule, about: RuleIn) -> dict[str, int]:
    """Settle what a preview showed. The status is 409 if labels or documents have changed since."""
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    topic = topic_or_404(campaign, about.topic)
    return {"documents": len(settle_by_rule(campaign, api_user(request), rule, topic, about.checksum))}


def topic_or_404(campaign: Campaign, number: str) -> Topic | None:
    """Return a topic by its number; None for all topics."""
    return get_object_or_404(campaign.topics, number=number) if number else None


@router.get(
    "{slug}/adjudication/{pk}/",
    response={200: DisputeWithLabels, **PROBLEMS},
    summary="One disputed document",
)
def dispute(request: HttpRequest, slug: PathName, pk: PathKey) -> DisputeCard:
    """A document with its text and all labels of people."""
    return dispute_or_404(request, slug, pk)


def dispute_or_404(request: HttpRequest, slug: str, pk: int) -> DisputeCard:
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    card = dispute_in(CampaignReads(campaign), api_user(request), pk)
    if card is None:
        raise Http404
    return card


@router.post(
    "{slug}/adjudication/{pk}/", response={201: SettledOut, **WRITE_PROBLEMS}, summary="Settle a grade"
)
def dispute_settle(
    request: HttpRequest, slug: PathName, pk: PathKey, about: SettleIn
) -> Status[Adjudication]:
    """Settle the grade of a document. Labels of judges do not change.

    A repeated request with the same uuid changes nothing. The status is 409 if the document is settled or
    reserved by another adjudicator, or if it has another text or another label than you saw.
    """
    card = dispute_or_404(request, slug, pk)
    form = checked(SettleForm(form_values(about.dict()), campaign=card.pooled.topic.campaign))
    return Status(201, settle(card.pooled, api_user(request), form.settlement()))


@router.post(
    "{slug}/adjudication/{pk}/reservation/",
    response={200: ReservationOut, **WRITE_PROBLEMS},
    summary="Reserve a document",
)
def dispute_reserve(request: HttpRequest, slug: PathName, pk: PathKey) -> dict[str, Any]:
    """Reserve a document for a quarter of an hour, so that other adjudicators do not read it, too.

    You have one reservation in a campaign: it ends with the next one.
    """
    card, user = dispute_or_404(request, slug, pk), api_user(request)
    claim: AdjudicationClaim = claim_case(card.pooled, user)
    return {"mine": claim.by_id == user.pk, "until": claim.until}


@router.post(
    "{slug}/adjudication/{pk}/reopening/",
    response={200: DisputeWithLabels, **WRITE_PROBLEMS},
    summary="Reopen a settled document",
)
def dispute_reopen(request: HttpRequest, slug: PathName, pk: PathKey, about: ReopenIn) -> DisputeCard:
    """Revoke a settled grade. The decision stays in the history."""
    card = dispute_or_404(request, slug, pk)
    data = checked(ReopenForm(form_values(about.dict()))).cleaned_data
    reopen_case(card.pooled, api_user(request), **data)
    return dispute_or_404(request, slug, pk)


@router.post(
    "{slug}/adjudication/{pk}/returned-label/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Send a label back to its judge",
)
def label_return(request: HttpRequest, slug: PathName, pk: PathKey, about: AskAgainIn) -> Status[None]:
    """Send a label back to its judge with a remark: it counts no more, until the judge labels again."""
    card = dispute_or_404(request, slug, pk)
    data = checked(AskAgainForm(form_values(about.dict()))).cleaned_data
    ask_again(card.pooled, adjudicator=api_user(request), **data)
    return Status(204, None)
