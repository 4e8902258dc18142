"""Sources of labels in the API: list, withdraw and restore them; for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.forms.sources import SourceWithdrawalForm
from assess.queries.sources import sources_with_labels
from assess.services.sources import restore_source, withdraw_source
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
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["labels"])


class SourceOut(Schema):
    """Whose labels they are: a person here, people elsewhere, or a program."""

    id: int
    judge: str = Field(alias="user.username", description="The name by which the API knows this judge.")
    name: str = Field(alias="user.name", description="The name that pages show; it may be empty.")
    kind: str = Field(description="person, elsewhere, file, model (a language model) or clicks.")
    model: str = Field(description="Of a program; otherwise empty.")
    independent: str = Field(
        description="Whether the labels were made without knowing runs and other labels: yes, no or empty."
    )
    note: str
    labels: int = Field(alias="label_count", description="None are left of a withdrawn source.")
    topics: int = Field(alias="topic_count")
    withdrawn_at: datetime | None
    withdrawal_reason: str


class SourceWithdrawalIn(Body):
    reason: Text = Field(min_length=1, max_length=1000, description="The audit log keeps it.")


class LabelCountOut(Schema):
    labels: int = Field(description="Labels that were withdrawn, or count again.")


@router.get("{slug}/sources/", response={200: Page[SourceOut], **PROBLEMS})
def source_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """Whose labels the campaign has, also those that are withdrawn, oldest first."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, sources_with_labels(campaign), "id", cut)


@router.post(
    "{slug}/sources/{pk}/withdrawal/",
    response={200: LabelCountOut, **WRITE_PROBLEMS},
    summary="Withdraw the labels of a source",
)
def source_withdraw(
    request: HttpRequest, slug: PathName, pk: PathKey, about: SourceWithdrawalIn
) -> dict[str, int]:
    """Withdraw all labels of a source: they count nowhere. Frozen releases keep them."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    source = get_object_or_404(campaign.sources, pk=pk)
    reason = checked(SourceWithdrawalForm(form_values(about.dict()))).cleaned_data["reason"]
    return {"labels": withdraw_source(source, api_user(request), reason)}


@router.post(
    "{slug}/sources/{pk}/restoration/",
    response={200: LabelCountOut, **WRITE_PROBLEMS},
    summary="Restore the labels of a source",
)
def source_restore(request: HttpRequest, slug: PathName, pk: PathKey) -> dict[str, int]:
    """Let the labels of a withdrawn source count again."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    source = get_object_or_404(campaign.sources, pk=pk)
    return {"labels": restore_source(source, api_user(request))}
