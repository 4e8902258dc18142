"""Magnitudes of relevance in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.api.judged_sets import InstructedSetIn, add_set_operations
from assess.magnitudes.queries.tasks import sets_of
from assess.magnitudes.views import PAGES
from assess.models import MagnitudeSet
from metrics.magnitudes.queries import found_result, number_rows
from metrics.magnitudes.result import DocumentGain
from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["magnitudes"])


class MagnitudesIn(InstructedSetIn):
    """Documents that get numbers."""

    chosen: Literal["relevant", "grades", "all"] = Field(
        "relevant", description="Relevant ones by the labels so far, the same number of each grade, or any."
    )
    most: int = Field(20, ge=1, le=1000, description="Documents of a topic; or of each grade.")


class MagnitudeSetOut(Schema):
    number: int
    chosen: str = Field(description="Which documents: relevant, grades (the same number of each) or all.")
    topics: int = Field(alias="topic_count")
    judges: int = Field(alias="judge_count")
    tasks: int = Field(alias="task_count", description="Documents of all judges.")


class GainOut(Schema):
    """The gain of a document: the median of its normalised magnitudes, with the lowest and the highest."""

    topic: str
    docno: str
    gain: float
    relative: float = Field(description="Over the geometric mean of the topic.")
    judges: int
    lowest: float
    highest: float
    grade: int | None


class MagnitudeOut(Schema):
    topic: str
    docno: str
    judge: int = Field(description="A number instead of a name, by first numbers.")
    number: str = Field(description="As the judge wrote it.")
    value: float | None = Field(description="null: cannot judge.")
    reason: str
    pressed_at: datetime


def set_or_404(request: HttpRequest, slug: str, number: int) -> MagnitudeSet:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    magnitude_set = get_object_or_404(campaign.magnitude_sets, number=number)
    magnitude_set.campaign = campaign
    return magnitude_set


@router.get(
    "{slug}/magnitudes/", response={200: Page[MagnitudeSetOut], **PROBLEMS}, summary="List sets of magnitudes"
)
def magnitude_sets(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The sets of magnitudes of a campaign."""
    return page_of(request, sets_of(api_campaign(request, slug, Role.ORGANISER)), "number", cut)


@router.get(
    "{slug}/magnitudes/{number}/gains/",
    response={200: list[GainOut], **PROBLEMS},
    summary="The gains of magnitudes",
)
def magnitude_gains(request: HttpRequest, slug: PathName, number: PathNumber) -> list[DocumentGain]:
    """The gain of each document of the finished topics."""
    return found_result(set_or_404(request, slug, number)).documents


@router.get(
    "{slug}/magnitudes/{number}/numbers/",
    response={200: list[MagnitudeOut], **PROBLEMS},
    summary="List the numbers of magnitudes",
)
def magnitude_numbers(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every number that stands, in the order of time."""
    rows = number_rows(set_or_404(request, slug, number))
    return [row | {"number": str(row["number"]), "value": row["value"] or None} for row in rows]


add_set_operations(router, "magnitudes", "a set of magnitudes", PAGES, MagnitudesIn)
