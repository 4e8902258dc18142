"""Releases of labels of answers in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from accounts.requests import request_key
from assess.models import AnswerRelease
from metrics.answer_releases.forms import AnswerReleaseForm
from metrics.answer_releases.queries import answer_releases_of, folder_of
from metrics.answer_releases.services import release_answers
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathKey,
    PathName,
    api_campaign,
    api_user,
    checked,
)
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


class AnswerReleaseIn(Body):
    """Whose labels are released."""

    of: Literal["grading", "matching", "support"]
    number: int = Field(ge=1, le=32767, description="Of the grading, the matching or the citation support.")


@router.get(
    "{slug}/answer-releases/",
    response={200: Page[AnswerReleaseOut], **PROBLEMS},
    summary="List answer releases",
)
def answer_releases(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The releases of gradings, matchings and citation support, oldest first."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, answer_releases_of(campaign), "id", cut)


@router.post(
    "{slug}/answer-releases/",
    response={201: AnswerReleaseOut, **WRITE_PROBLEMS},
    summary="Release labels of answers",
)
def answer_release_make(
    request: HttpRequest, slug: PathName, about: AnswerReleaseIn
) -> Status[AnswerRelease]:
    """Store answers, labels that stand and results as one archive, which never changes.

    A request that is sent again with the same header `Idempotency-Key` makes no second release.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    data = {"what": f"{about.of}-{about.number}"}
    what = checked(AnswerReleaseForm(data, campaign=campaign)).chosen()
    what.campaign = campaign
    return Status(201, release_answers(what, api_user(request), request_key(request)))


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
