"""Releases of labels of answers in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.models import AnswerRelease
from metrics.answer_releases.queries import answer_releases_of, folder_of
from pooling.api.access import PROBLEMS, PathKey, PathName, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["answer releases"])


class AnswerReleaseOut(Schema):
    id: int
    of: str = Field(description="The grading, the matching or the citation support, such as Matching 1.")
    number: int
    labels: int = Field(alias="label_count")
    lead: str = Field(description="The sentence that says which run has the highest mean.")
    sha256: str
    size: int = Field(description="Of the archive, in bytes.")
    released_at: datetime

    @staticmethod
    def resolve_of(release: AnswerRelease) -> str:
        return str(release.what)


@router.get(
    "{slug}/answer-releases/",
    response={200: Page[AnswerReleaseOut], **PROBLEMS},
    summary="List answer releases",
)
def answer_releases(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The releases of gradings, matchings and citation support, oldest first."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, answer_releases_of(campaign), "id", cut)


@router.get(
    "{slug}/answer-releases/{pk}/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {
                "description": "The archive",
                "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
    summary="The archive of an answer release",
)
def answer_release(request: HttpRequest, slug: PathName, pk: PathKey) -> FileResponse:
    """Answers, labels and results as one zip with checksums; judges have numbers in it."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    stored = get_object_or_404(answer_releases_of(campaign), pk=pk)
    what = stored.what
    what.campaign = campaign
    name = f"{folder_of(what, stored.number)}.zip"
    return FileResponse(stored.file.open("rb"), filename=name, content_type="application/zip")
