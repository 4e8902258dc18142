"""Clones of campaigns in the API."""

from __future__ import annotations

from typing import Literal

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from assess.forms.settings import CloneForm
from assess.services.campaigns import CLONED_PARTS, DEFAULT_PARTS, clone_campaign
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
from pooling.api.campaigns import CampaignOut
from pooling.models import Campaign, Role
from pooling.queries.campaigns import may_create_campaigns, set_roles

router = Router(tags=["campaigns"])
PARTS = tuple(CLONED_PARTS)


class CloneIn(Body):
    name: Text = Field(min_length=1, max_length=120)
    slug: str = Field(pattern="^[-a-zA-Z0-9_]+$", max_length=60, description="Its place in URLs.")
    parts: list[Literal[PARTS]] = Field(  # type: ignore[valid-type]
        list(DEFAULT_PARTS), max_length=len(PARTS), description="What the new campaign gets."
    )


@router.post("{slug}/clones/", response={201: CampaignOut, **WRITE_PROBLEMS}, summary="Clone a campaign")
def campaign_clone(request: HttpRequest, slug: PathName, about: CloneIn) -> Status[Campaign]:
    """Create a draft with parts of this campaign, without runs, pools and labels. You become its organiser.

    The status is 409 if the short name is taken: a request that is sent again makes no second campaign.
    """
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    if not may_create_campaigns(user):
        raise PermissionDenied("You may not create campaigns. An administrator of this site can let you.")
    data = checked(CloneForm(form_values(about.dict()))).cleaned_data
    clone = clone_campaign(campaign, user, **data)
    set_roles(user, [clone])
    return Status(201, clone)
