"""Citation support in the API, for organisers."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.api.judged_sets import AnswerSetIn, add_set_operations
from assess.models import SupportSet
from assess.support.queries.tasks import sets_of
from assess.support.views import PAGES
from metrics.rankings.api import LabelledRunsOut
from metrics.support.queries import found_result, label_rows
from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["citation support"])


class SupportIn(AnswerSetIn):
    """Citations in the answers of runs."""

    every: bool = Field(False, description="Every citation of a sentence; otherwise the first one.")


class SupportSetOut(Schema):
    number: int
    every: bool = Field(description="Whether all citations of a sentence are checked, not only the first.")
    seed: int
    runs: int = Field(alias="run_count")
    judges: int = Field(alias="judge_count")
    citations: int = Field(alias="task_count", description="Of all judges, one for each judge of a citation.")
    made_at: datetime


class SupportScoresOut(LabelledRunsOut):
    cannot: int = Field(description="Labels of citations that judges could not judge.")


class MarkOut(Schema):
    """Words of the sentence, and words of the document that bear them out."""

    sentence: str
    document: str


class SupportLabelOut(Schema):
    topic: str
    run: str
    judge: int = Field(description="A number instead of a name, by first labels.")
    sentence: int = Field(description="The place of the sentence in the answer, from 1.")
    citation: int = Field(description="The place of the citation in the sentence, from 1.")
    docno: str
    support: str = Field(description="full, partial, none, or cannot where it could not be judged.")
    marks: list[MarkOut]
    text_hash: str = Field(description="Of the document as the judge read it; empty without a text.")
    pressed_at: datetime


def support_or_404(request: HttpRequest, slug: str, number: int) -> SupportSet:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    support_set = get_object_or_404(campaign.support_sets, number=number)
    support_set.campaign = campaign
    return support_set


@router.get(
    "{slug}/support/", response={200: Page[SupportSetOut], **PROBLEMS}, summary="List sets of citations"
)
def support_sets(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The sets of citations that judges check."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, sets_of(campaign), "number", cut)


@router.get(
    "{slug}/support/{number}/scores/",
    response={200: SupportScoresOut, **PROBLEMS},
    summary="The support scores of a set of citations",
)
def support_scores(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """The means of the runs with intervals and ranks, best first, and the agreement of two judges."""
    return found_result(support_or_404(request, slug, number)).plain


@router.get(
    "{slug}/support/{number}/labels/",
    response={200: list[SupportLabelOut], **PROBLEMS},
    summary="List the labels of a set of citations",
)
def support_labels(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every label that stands, in the order of time."""
    rows = label_rows(support_or_404(request, slug, number))
    return [row | {"marks": json.loads(row["marks"] or "[]")} for row in rows]


add_set_operations(router, "support", "a set of citations", PAGES, SupportIn)
