"""Assignments of topics to judges in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django import forms
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from assess.forms.assignments import DISTRIBUTE, AssignmentForm, TopicJudgeForm
from assess.models import Assignment
from assess.queries.campaign_reads import CampaignReads
from assess.services.assignments import assign, distribute_topics, move_topic, unassign_topic
from assess.services.pools import discard_pool, give_unassigned_documents
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathKey,
    PathName,
    PathNumber,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["assignments"])


class AssignmentIn(Body):
    judges: list[Text] = Field(min_length=1, max_length=1000, description="Sign-in names.")
    topics: list[Text] = Field(
        ["all"], min_length=1, max_length=10_000, description="Numbers of topics with a pool; `all` for all."
    )
    part: Literal["primary", "shared", "second", "deal"] = Field(
        "primary",
        description="The role of the judges in each topic; `deal` distributes the topics evenly among them.",
    )
    seconds: int = Field(0, ge=0, le=1000, description="Second judges of each topic; used with `deal` only.")


class AssignmentOut(Schema):
    """The documents of a topic in one pool are assigned to a judge."""

    id: int
    judge: str = Field(alias="judge.username")
    topic: str = Field(alias="topic.number")
    pool: int = Field(alias="pool.number")
    part: str
    assigned_at: datetime


class AssignedOut(Schema):
    assigned: int = Field(description="New assignments. Existing ones do not change.")


class GivenOut(Schema):
    documents: int = Field(description="Documents of later pools that the judges of their topics got.")


class DiscardedOut(Schema):
    documents: int = Field(description="Documents of the pool.")


class MoveIn(Body):
    judge: Text = Field(min_length=1, max_length=150, description="Who takes the topic over; sign-in name.")


class MovedOut(Schema):
    documents: int = Field(description="Documents that move. Every label stays.")


class UnassignedOut(Schema):
    documents: int = Field(description="Documents that left the queue of the judge. Every label stays.")


class NamedJudgesForm(AssignmentForm):
    """The form of the page, in which judges are chosen by their sign-in names."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        judges = self.fields["judges"]
        assert isinstance(judges, forms.ModelMultipleChoiceField)
        judges.to_field_name = "username"


class NamedMoveForm(TopicJudgeForm):
    """The form of the page, in which judges are chosen by their sign-in names."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("judge", "new_judge"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.to_field_name = "username"


@router.get("{slug}/assignments/", response={200: Page[AssignmentOut], **PROBLEMS})
def assignment_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """Who judges which topic, oldest first."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    rows = Assignment.objects.filter(topic__campaign=campaign).select_related("judge", "topic", "pool")
    return page_of(request, rows.defer("pool__manifest", "pool__parameters"), "id", cut)


@router.post("{slug}/assignments/", response={201: AssignedOut, **WRITE_PROBLEMS}, summary="Assign topics")
def assignment_create(request: HttpRequest, slug: PathName, about: AssignmentIn) -> Status[dict[str, int]]:
    """Assign topics, in all their pools, to judges."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    values = about.dict() | {"topics": " ".join(about.topics)}
    data = checked(NamedJudgesForm(form_values(values), reads=CampaignReads(campaign))).cleaned_data
    if data["part"] == DISTRIBUTE:
        count = distribute_topics(data["judges"], data["topics"], data["seconds"] or 0, by=user)
    else:
        count = assign(data["judges"], data["topics"], data["part"], by=user)
    return Status(201, {"assigned": count})


@router.delete(
    "{slug}/assignments/{pk}/",
    response={200: UnassignedOut, **WRITE_PROBLEMS},
    summary="Remove a topic from a judge",
)
def assignment_end(request: HttpRequest, slug: PathName, pk: PathKey) -> dict[str, int]:
    """Remove the topic of an assignment from its judge, in all pools. Every label stays."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    rows = Assignment.objects.filter(topic__campaign=campaign).select_related("judge", "topic__campaign")
    assignment = get_object_or_404(rows, pk=pk)
    return {"documents": unassign_topic(assignment.topic, assignment.judge, api_user(request))}


@router.post(
    "{slug}/assignments/{pk}/move/",
    response={200: MovedOut, **WRITE_PROBLEMS},
    summary="Move a topic to another judge",
)
def assignment_move(request: HttpRequest, slug: PathName, pk: PathKey, about: MoveIn) -> dict[str, int]:
    """Move the unjudged documents of the topic of an assignment to another judge, in all pools."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    rows = Assignment.objects.filter(topic__campaign=campaign).select_related("judge", "topic__campaign")
    old = get_object_or_404(rows, pk=pk)
    form = NamedMoveForm(
        {"judge": old.judge.username, "new_judge": about.judge}, campaign=campaign, topic=old.topic
    )
    new_judge = checked(form).cleaned_data["new_judge"]
    return {"documents": move_topic(old.topic, old.judge, new_judge, api_user(request))}


@router.post(
    "{slug}/later-pools/",
    response={200: GivenOut, **WRITE_PROBLEMS},
    summary="Assign the documents of later pools",
)
def documents_give(request: HttpRequest, slug: PathName) -> dict[str, int]:
    """Assign documents of pools that were frozen later to the judges of their topics."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return {"documents": give_unassigned_documents(campaign, api_user(request))}


@router.post(
    "{slug}/pools/{number}/discard/",
    tags=["pools"],
    response={200: DiscardedOut, **WRITE_PROBLEMS},
    summary="Discard a pool",
)
def pool_discard(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, int]:
    """Delete the last pool with its assignments. The status is 409 if a document of it is in use."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    get_object_or_404(campaign.pools, number=number)
    return {"documents": discard_pool(campaign, number, api_user(request))}
