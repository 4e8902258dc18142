"""Panels in the API: put two runs side by side; for organisers. metrics.panels.api has their results."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from accounts.requests import request_key
from assess.models import Panel
from assess.panels.forms import PanelForm
from assess.panels.queries import panels_with_votes
from assess.panels.services import create_panel
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
from pooling.models import Role

router = Router(tags=["panels"])


class PanelIn(Body):
    first: Text = Field(min_length=1, max_length=120, description="The tag of a run.")
    second: Text = Field(min_length=1, max_length=120)
    depth: int = Field(10, ge=1, le=50, description="Documents that are shown of each run.")
    topics: list[Text] = Field(
        ["all"], min_length=1, max_length=10_000, description="Numbers; `all` for all."
    )
    seed: int | None = Field(None, ge=0, le=2**31 - 1, description="null: a random one.")


class PanelOut(Schema):
    id: int
    first: str = Field(alias="first.tag")
    second: str = Field(alias="second.tag")
    depth: int
    seed: int
    topics: list[str] = Field(description="On which the runs differ.")
    made_at: datetime

    @staticmethod
    def resolve_topics(panel: Panel) -> list[str]:
        return [topic.number for topic in panel.topics.all()]


@router.get("{slug}/panels/", response={200: Page[PanelOut], **PROBLEMS}, summary="List panels")
def panels(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The panels of the campaign."""
    rows = panels_with_votes(api_campaign(request, slug, Role.ORGANISER)).prefetch_related("topics")
    return page_of(request, rows, "id", cut)


@router.post(
    "{slug}/panels/", response={201: PanelOut, **WRITE_PROBLEMS}, summary="Put two runs side by side"
)
def panel_create(request: HttpRequest, slug: PathName, about: PanelIn) -> Status[Panel]:
    """Let judges compare two runs without names, on the topics on which they differ.

    A request that is sent again with the same header `Idempotency-Key` makes no second panel.
    """
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    values = about.dict() | {"topics": " ".join(about.topics)}
    form = checked(PanelForm(form_values(values), campaign=campaign))
    return Status(201, create_panel(campaign, user, *form.asked(), request_key(request)))
