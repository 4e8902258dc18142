"""Change the settings and the dates of a campaign in the API."""

from __future__ import annotations

from typing import Any, Literal

from django.db import transaction
from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from assess.forms.settings import ScheduleForm, SettingsForm, local_values
from assess.services.settings import change_settings
from pooling.api.access import (
    WRITE_PROBLEMS,
    Body,
    PathName,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.campaigns import CampaignOut, GradeIn, scale_text
from pooling.languages import MAX_TAG
from pooling.limits import MAX_DESCRIPTION, MAX_GUIDELINES
from pooling.models import Campaign, Role
from pooling.queries.campaigns import settings_version
from pooling.refusals import Conflict
from pooling.scale import write_scale
from pooling.services.campaign_states import change_schedule

router = Router(tags=["campaigns"])
FIELDS = (
    "name", "description", "guidelines", "language", "joins_lines", "threshold", "rules", "contact",
    "run_depth", "shows_topic_statistics", "collection_size",
)  # fmt: skip
VERSION = Field(
    "",
    max_length=64,
    description="The `version` that you have read. If it is sent and another person changed something since,"
    " nothing is stored and the status is 409.",
)


class SettingsIn(Body):
    """Settings to change; the others stay."""

    version: Text = VERSION

    name: Text = Field("", max_length=120)
    description: Text = Field("", max_length=MAX_DESCRIPTION)
    guidelines: Text = Field("", max_length=MAX_GUIDELINES, description="Markdown.")
    language: Text = Field("", max_length=MAX_TAG, description="BCP 47 tag of topics and documents.")
    joins_lines: bool = Field(False, description="Judges see documents with their hard line breaks joined.")
    scale: list[GradeIn] = Field([], max_length=10)
    threshold: int = Field(1, ge=1, le=32767, description="The lowest grade that counts as relevant.")
    rules: Text = Field(
        "", max_length=MAX_GUIDELINES, description="What participants must know and keep to, in Markdown."
    )
    contact: Text = Field("", max_length=200, description="A mail address or a name.")
    shows_topic_statistics: bool = Field(
        False, description="Participants see minimum, median and maximum of all runs by topic, without names."
    )
    run_depth: int = Field(1000, ge=1, le=100_000, description="Documents that a run may return for a topic.")
    collection_size: int | None = Field(None, ge=1, le=2**31 - 1, description="null: not known.")


class ScheduleIn(Body):
    """Dates to change, such as 2026-12-12T23:59, in the time zone of the campaign; null: no date."""

    version: Text = VERSION

    time_zone: Text = Field("UTC", max_length=60, description="IANA name, such as Europe/Berlin.")
    accepts_runs: bool = Field(True, description="The switch of submission; the dates limit it further.")
    accepts_judge_runs: bool = Field(
        False, description="Whether participants may submit runs of machine judges."
    )
    runs_per_group: int | None = Field(None, ge=1, le=10_000, description="null: no limit.")
    runs_per_day: int | None = Field(None, ge=1, le=10_000, description="Of a group; null: no limit.")
    submission_opens_at: Text | None = Field(None, max_length=40)
    submission_closes_at: Text | None = Field(None, max_length=40)
    late_runs: Literal["refuse", "mark"] = "refuse"
    judging_ends_at: Text | None = Field(None, max_length=40)
    release_planned_at: Text | None = Field(None, max_length=40)


def campaign_to_change(request: HttpRequest, slug: str, version: str) -> Campaign:
    """Return the campaign, locked until the transaction ends. Raises Conflict if it has another version."""
    Campaign.objects.select_for_update().filter(slug=slug).first()
    campaign = api_campaign(request, slug, Role.ORGANISER)
    if version not in ("", settings_version(campaign)):
        raise Conflict("The campaign was changed since you read it. Read it again.")
    return campaign


@router.patch("{slug}/settings/", response={200: CampaignOut, **WRITE_PROBLEMS}, summary="Change settings")
def settings_change(request: HttpRequest, slug: PathName, about: SettingsIn) -> Campaign:
    """Change some settings. After the first label, values, gains and threshold of the scale are fixed."""
    with transaction.atomic():
        campaign = campaign_to_change(request, slug, about.version)
        values: dict[str, Any] = {field: getattr(campaign, field) for field in FIELDS}
        values |= {"scale": write_scale(campaign.grades)}
        values |= about.dict(exclude_unset=True, exclude={"version"})
        if "scale" in about.model_fields_set:
            values["scale"] = scale_text(about.dict()["scale"])
        data = checked(SettingsForm(form_values(values))).cleaned_data
        fields = {field: data[field] for field in FIELDS}
        change_settings(campaign, data["grades"], by=api_user(request), **fields)
    campaign.refresh_from_db()
    return campaign


@router.patch("{slug}/schedule/", response={200: CampaignOut, **WRITE_PROBLEMS}, summary="Change dates")
def schedule_change(request: HttpRequest, slug: PathName, about: ScheduleIn) -> Campaign:
    """Change some dates and the rules of submission."""
    with transaction.atomic():
        campaign = campaign_to_change(request, slug, about.version)
        values = local_values(campaign) | about.dict(exclude_unset=True, exclude={"version"})
        texts = {name: f"{value}" for name, value in values.items() if value is not None}
        change_schedule(campaign, api_user(request), **checked(ScheduleForm(texts)).cleaned_data)
    campaign.refresh_from_db()
    return campaign
