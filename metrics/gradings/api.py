"""Gradings of answers in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.api.judged_sets import AnswerSetIn, add_set_operations
from assess.gradings.queries.tasks import gradings_of
from assess.gradings.views import PAGES
from assess.models import Grading
from metrics.gradings.plain import plain
from metrics.gradings.queries import found_grades, grade_rows
from metrics.rankings.api import MeanOut
from pooling.api.access import PROBLEMS, PathName, PathNumber, Text, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["gradings"])


class GradingIn(AnswerSetIn):
    """A grading of the answers of runs."""

    criteria: list[Text] = Field(
        min_length=1,
        max_length=8,
        description="Of each its name, a colon, and its grades from the lowest, with commas.",
    )

    def values(self) -> dict[str, Any]:
        return super().values() | {"criteria": "\n".join(self.criteria)}


class CriterionOut(Schema):
    name: str
    levels: list[str] = Field(description="From the lowest grade, which is 0.")


class GradingOut(Schema):
    number: int
    seed: int
    criteria: list[CriterionOut]
    runs: int = Field(alias="run_count")
    judges: int = Field(alias="judge_count")
    answers: int = Field(alias="task_count", description="Of all judges, one for each judge of an answer.")
    made_at: datetime


class CriterionMeanOut(MeanOut):
    """A mean over the topics with grades of all runs."""

    criterion: str


class GradedRunOut(Schema):
    run: str
    means: list[CriterionMeanOut]


class CriterionCheckOut(Schema):
    criterion: str
    counts: list[int] = Field(description="Answers with each grade.")
    doubled: int = Field(description="Answers with two judges or more.")
    same: int = Field(description="Those whose judges all gave the same grade.")
    alpha: float | None = Field(description="Krippendorff's alpha for ordinal grades.")
    alpha_reason: str = Field(description="Why it is null.")


class GradingResultOut(Schema):
    topics: int = Field(description="With grades of all runs.")
    left_out: int = Field(description="With grades of some of them.")
    answers: int
    judges: int
    runs: list[GradedRunOut] = Field(description="The best by the first criterion first.")
    checks: list[CriterionCheckOut]


class GivenGradeOut(Schema):
    topic: str
    run: str
    judge: int = Field(description="A number instead of a name, by first grades.")
    criterion: str
    grade: int
    level: str
    reason: str
    pressed_at: datetime


def grading_or_404(request: HttpRequest, slug: str, number: int) -> Grading:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    grading = get_object_or_404(campaign.gradings.prefetch_related("criteria"), number=number)
    grading.campaign = campaign
    return grading


@router.get("{slug}/gradings/", response={200: Page[GradingOut], **PROBLEMS}, summary="List gradings")
def gradings(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The gradings of a campaign with their criteria."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, gradings_of(campaign), "number", cut)


@router.get(
    "{slug}/gradings/{number}/results/",
    response={200: GradingResultOut, **PROBLEMS},
    summary="The result of a grading",
)
def grading_results(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """The means of the runs by each criterion with intervals and ranks, and the agreement of judges."""
    return plain(found_grades(grading_or_404(request, slug, number)).result)


@router.get(
    "{slug}/gradings/{number}/grades/",
    response={200: list[GivenGradeOut], **PROBLEMS},
    summary="List the grades of a grading",
)
def grading_grades(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every grade that stands, one for each criterion of each answer, in the order of time."""
    return list(grade_rows(grading_or_404(request, slug, number)))


add_set_operations(router, "gradings", "a grading", PAGES, GradingIn)
