"""Grades of snippets and their documents in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.snippets.queries.tasks import sets_of
from metrics.snippets.queries import grade_rows
from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["snippets"])


class SnippetSetOut(Schema):
    number: int
    run: str = Field(alias="run.tag")
    origin: str = Field(description="document: passages of the document; run: what the run brought.")
    depth: int = Field(description="Results of a topic.")
    topics: int = Field(alias="topic_count")
    judges: int = Field(alias="judge_count")
    results: int = Field(alias="result_count")


class SnippetGradeOut(Schema):
    topic: str
    docno: str
    rank: int
    judge: int = Field(description="A number instead of a name, by first grades.")
    step: str = Field(description="snippet or document.")
    grade: int
    answers: bool | None = Field(description="Whether the snippet answers by itself; null of a document.")
    reason: str
    snippet: str
    pressed_at: datetime


@router.get(
    "{slug}/snippets/", response={200: Page[SnippetSetOut], **PROBLEMS}, summary="List sets of snippets"
)
def snippet_sets(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The sets of snippets of a campaign."""
    return page_of(request, sets_of(api_campaign(request, slug, Role.ORGANISER)), "number", cut)


@router.get(
    "{slug}/snippets/{number}/grades/",
    response={200: list[SnippetGradeOut], **PROBLEMS},
    summary="List the grades of snippets",
)
def snippet_grades(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every grade that stands, in the order of time."""
    found = get_object_or_404(api_campaign(request, slug, Role.ORGANISER).snippet_sets, number=number)
    return [row | {"answers": None if row["answers"] == "" else row["answers"]} for row in grade_rows(found)]
