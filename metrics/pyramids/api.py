"""Pyramids of topics in the API, for organisers and adjudicators."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from assess.pyramids.queries import pyramids_of
from metrics.pyramids.queries import campaign_scores, score_rows
from pooling.api.access import PROBLEMS, PathName, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["pyramids"])


class PyramidOut(Schema):
    number: int
    topic: str = Field(alias="topic.number")
    file: str = Field(alias="file_name")
    sha256: str = Field(description="Of the file, unpacked.")
    order: int | None = Field(description="Number of model summaries, null where the file does not say.")
    peers: int = Field(alias="peer_count", description="Annotated peers that were not withdrawn.")
    withdrawn_at: datetime | None


class PeerScoresOut(Schema):
    """The scores of a peer on a topic; null where undefined, and `undefined` says why.

    floor, ceil: with the mean number of units of a model summary rounded down and up.
    """

    topic: str
    peer: str
    weight: int
    units: int
    repeated: int
    unmatched: int
    spans: int
    best_of_spans: int
    original: float | None
    mean_units: float | None
    expected_units_floor: int | None
    best_floor: int | None
    modified_floor: float | None
    comprehensive_floor: float | None
    expected_units_ceil: int | None
    best_ceil: int | None
    modified_ceil: float | None
    comprehensive_ceil: float | None
    undefined: str


@router.get("{slug}/pyramids/", response={200: Page[PyramidOut], **PROBLEMS}, summary="List pyramids")
def pyramids(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The pyramids of a campaign, with withdrawn ones."""
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    return page_of(request, pyramids_of(campaign), "number", cut)


@router.get(
    "{slug}/pyramids/scores/",
    response={200: list[PeerScoresOut], **PROBLEMS},
    summary="The scores of peers against the pyramids",
)
def pyramid_scores(request: HttpRequest, slug: PathName) -> list[dict[str, Any]]:
    """The scores of every peer on every topic, without withdrawn files."""
    return list(score_rows(campaign_scores(api_campaign(request, slug, Role.ADJUDICATOR))))
