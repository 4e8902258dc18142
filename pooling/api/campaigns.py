"""Campaigns in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema, Status
from pydantic import Field

from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathName,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.forms.campaigns import CampaignForm
from pooling.models import Campaign, Role
from pooling.queries.campaigns import may_create_campaigns, set_roles, settings_version
from pooling.queries.schedule import submission_window
from pooling.scale import FOUR_STEPS, Grade, write_scale
from pooling.schedule import acceptance
from pooling.services.campaign_states import change_state
from pooling.services.people import create_campaign

router = Router(tags=["campaigns"])


class GradeOut(Schema):
    value: int
    label: str
    definition: str
    gain: float
    example: str = Field(description="A case in which this grade is right.")


class GradeIn(Body):
    """A grade of the scale. gain: the value, unless it is given."""

    value: int = Field(ge=0, le=32767)
    label: str = Field(pattern=r"^[^|\x00-\x1f\x7f-\x9f\u2028\u2029]+$", max_length=200)
    definition: str = Field("", pattern=r"^[^|\x00-\x1f\x7f-\x9f\u2028\u2029]*$", max_length=1000)
    gain: float | None = Field(None, ge=0, le=1_000_000)
    example: str = Field("", pattern=r"^[^|\x00-\x1f\x7f-\x9f\u2028\u2029]*$", max_length=1000)


def scale_text(grades: list[dict[str, Any]]) -> str:
    """Return the grades of a `GradeIn` each as the text that the forms read."""
    filled = (
        grade | {"gain": grade["value"] if grade["gain"] is None else grade["gain"]} for grade in grades
    )
    return write_scale([Grade(**grade) for grade in filled])


class CampaignIn(Body):
    name: Text = Field(min_length=1, max_length=120)
    slug: Text = Field(
        "", max_length=60, description="Its place in URLs. By default it is made from the name."
    )
    description: Text = Field("", max_length=10_000)
    scale: list[GradeIn] = Field([], max_length=10, description="By default four grades.")
    threshold: int = Field(2, ge=1, le=32767, description="The lowest grade that counts as relevant.")


class StateIn(Body):
    state: Literal["draft", "open", "closed", "archived"]


class CampaignOut(Schema):
    slug: str
    name: str
    description: str
    guidelines: str = Field(description="Markdown.")
    language: str = Field(description="BCP 47 tag of topics and documents, or empty.")
    joins_lines: bool = Field(description="Judges see documents with their hard line breaks joined.")
    scale: list[GradeOut]
    threshold: int = Field(description="The lowest grade that counts as relevant.")
    collection_size: int | None
    run_depth: int
    visibility: str = Field(description="published if a release of its qrels is public, else private.")
    created_at: datetime
    state: str = Field(description="draft, open, closed or archived.")
    time_zone: str = Field(description="IANA name.")
    accepts_runs: bool = Field(description="The switch of submission; the dates limit it further.")
    accepts_judge_runs: bool = Field(description="Whether participants may submit runs of machine judges.")
    runs_per_group: int | None = Field(
        description="The most runs of a group; the same for answer runs, counted apart. null: no limit."
    )
    runs_per_day: int | None = Field(
        description="Those of a group and day, answer runs apart as well; null: no limit."
    )
    submission_opens_at: datetime | None
    submission_closes_at: datetime | None
    rules: str = Field(description="What participants must know and keep to, in Markdown.")
    contact: str = Field(description="A mail address or a name.")
    shows_topic_statistics: bool = Field(
        description="Participants see minimum, median and maximum of all runs by topic, without names."
    )
    late_runs: str = Field(description="refuse, or mark: accepted and marked as late.")
    judging_ends_at: datetime | None
    release_planned_at: datetime | None
    submission: str = Field(description="Whether participants can submit runs now, as a sentence.")
    roles: list[str] = Field(description="Yours in it.")
    version: str = Field(
        description="It changes with every change of settings, dates or state; send it with a change."
    )

    @staticmethod
    def resolve_version(campaign: Campaign) -> str:
        return settings_version(campaign)

    @staticmethod
    def resolve_roles(campaign: Campaign) -> list[str]:
        return sorted(campaign.my_roles)

    @staticmethod
    def resolve_submission(campaign: Campaign) -> str:
        return acceptance(submission_window(campaign), timezone.now()).sentence

    @staticmethod
    def resolve_visibility(campaign: Campaign) -> str:
        return "published" if campaign.releases.filter(state="public").exists() else "private"

    @staticmethod
    def resolve_scale(campaign: Campaign) -> list[dict[str, Any]]:
        return [grade._asdict() for grade in campaign.grades]


@router.get("", response={200: Page[CampaignOut], 401: PROBLEMS[401], 422: PROBLEMS[422]})
def campaign_list(request: HttpRequest, cut: PageParameters) -> dict[str, Any]:
    """The campaigns that you are a member of."""
    campaigns: QuerySet[Campaign] = Campaign.objects.of(api_user(request))
    page = page_of(request, campaigns, "slug", cut)
    set_roles(api_user(request), page["items"])
    return page


@router.post("", response={201: CampaignOut, **WRITE_PROBLEMS}, summary="Create a campaign")
def campaign_create(request: HttpRequest, about: CampaignIn) -> Status[Campaign]:
    """Create a campaign. You become its organiser. An administrator gives the right to create campaigns."""
    user = api_user(request)
    if not may_create_campaigns(user):
        raise PermissionDenied("You may not create campaigns. An administrator of this site can let you.")
    values = about.dict()
    values["scale"] = scale_text(values["scale"]) or write_scale(FOUR_STEPS)
    data = checked(CampaignForm(form_values(values))).cleaned_data
    names = ("name", "slug", "grades", "threshold", "description")
    created = create_campaign(user, **{name: data[name] for name in names})
    set_roles(user, [created])
    return Status(201, created)


@router.get("{slug}/", response={200: CampaignOut, **PROBLEMS})
def campaign(request: HttpRequest, slug: PathName) -> Campaign:
    """One campaign."""
    return api_campaign(request, slug)


@router.post("{slug}/state/", response={200: CampaignOut, **WRITE_PROBLEMS}, summary="Change the state")
def state_change(request: HttpRequest, slug: PathName, about: StateIn) -> Campaign:
    """Open, close, archive or restore a campaign. The status is 409 if the state cannot follow."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    change_state(campaign, about.state, api_user(request))
    return campaign
