"""Campaigns in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from pooling.api.access import PROBLEMS, PathName, api_campaign, api_user
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Campaign
from pooling.queries.campaigns import set_roles
from pooling.queries.schedule import submission_window
from pooling.schedule import acceptance

router = Router(tags=["campaigns"])


class GradeOut(Schema):
    value: int
    label: str
    definition: str
    gain: float


class CampaignOut(Schema):
    slug: str
    name: str
    description: str
    guidelines: str = Field(description="Markdown.")
    scale: list[GradeOut]
    threshold: int = Field(description="The lowest grade that counts as relevant.")
    collection_size: int | None
    run_depth: int
    visibility: str = Field(description="published if a release of its qrels is public, else private.")
    created_at: datetime
    state: str = Field(description="draft, open, closed or archived.")
    time_zone: str = Field(description="IANA name.")
    accepts_runs: bool = Field(description="The switch of submission; the dates limit it further.")
    submission_opens_at: datetime | None
    submission_closes_at: datetime | None
    late_runs: str = Field(description="refuse, or mark: accepted and marked as late.")
    judging_ends_at: datetime | None
    release_planned_at: datetime | None
    submission: str = Field(description="Whether participants can submit runs now, as a sentence.")
    roles: list[str] = Field(description="Yours in it.")

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


@router.get("{slug}/", response={200: CampaignOut, **PROBLEMS})
def campaign(request: HttpRequest, slug: PathName) -> Campaign:
    """One campaign."""
    return api_campaign(request, slug)
