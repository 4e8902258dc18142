"""Matchings of nuggets and answers in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.api.judged_sets import AnswerSetIn, add_set_operations
from assess.matchings.queries.tasks import matchings_of
from assess.matchings.views import PAGES
from assess.models import Matching
from assess.nuggets.assignments import write_assignments
from metrics.matchings.queries import assigned_answers, found_result, label_rows
from metrics.rankings.api import LabelledRunsOut
from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["matchings"])


class MatchingIn(AnswerSetIn):
    """A frozen nugget bank, and the answers of runs."""

    bank: int = Field(ge=1, le=32767, description="Its number.")
    contradicts: bool = Field(False, description="Judges can say that an answer contradicts a nugget.")


class MatchingOut(Schema):
    number: int
    bank: int = Field(alias="bank.number", description="The frozen nugget bank.")
    contradicts: bool = Field(description="Whether judges may say that an answer contradicts a nugget.")
    seed: int
    runs: int = Field(alias="run_count")
    judges: int = Field(alias="judge_count")
    answers: int = Field(alias="task_count", description="Of all judges, one for each judge of an answer.")
    made_at: datetime


class MatchingScoresOut(LabelledRunsOut):
    settled: int = Field(description="Cases of judges who differ that an adjudicator has decided.")


class NuggetLabelOut(Schema):
    topic: str
    run: str
    judge: int = Field(description="A number instead of a name, by first labels.")
    nugget: str
    importance: str | float
    assignment: str = Field(description="support, partial_support, not_support or contradicts.")
    decision: str = Field(description="What an adjudicator decided where judges differ; empty otherwise.")
    sentence: int | None = Field(description="The place of the sentence that decided, from 1.")
    pressed_at: datetime


def matching_or_404(request: HttpRequest, slug: str, number: int) -> Matching:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    matching = get_object_or_404(campaign.matchings.select_related("bank"), number=number)
    matching.campaign = campaign
    return matching


@router.get("{slug}/matchings/", response={200: Page[MatchingOut], **PROBLEMS}, summary="List matchings")
def matchings(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The matchings of a campaign."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, matchings_of(campaign), "number", cut)


@router.get(
    "{slug}/matchings/{number}/scores/",
    response={200: MatchingScoresOut, **PROBLEMS},
    summary="The nugget scores of a matching",
)
def matching_scores(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """The means of the runs with intervals and ranks, best first, and the agreement of two judges."""
    return found_result(matching_or_404(request, slug, number)).plain


@router.get(
    "{slug}/matchings/{number}/labels/",
    response={200: list[NuggetLabelOut], **PROBLEMS},
    summary="List the labels of a matching",
)
def matching_labels(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every label of people that stands, in the order of time."""
    matching = matching_or_404(request, slug, number)
    return [row | {"sentence": row["sentence"] or None} for row in label_rows(matching)]


@router.get(
    "{slug}/matchings/{number}/assignments/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {
                "description": "JSON Lines",
                "content": {"application/jsonl": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
    summary="The assignments file of a matching",
)
def matching_assignments(request: HttpRequest, slug: PathName, number: PathNumber) -> HttpResponse:
    """The labels of people in the form of AutoNuggetizer, an answer a line."""
    matching = matching_or_404(request, slug, number)
    name = f"{slug}-matching-{number}-assignments.jsonl"
    return HttpResponse(
        write_assignments(assigned_answers(matching)),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


add_set_operations(router, "matchings", "a matching", PAGES, MatchingIn)
