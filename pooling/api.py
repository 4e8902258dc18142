"""Runs by API: submit them, see what became of them."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.models import User
from pooling import queries, services
from pooling.models import Campaign, Role, Run
from pooling.queries import campaign_or_404

router = Router(tags=["runs"])
READERS = (Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)


class FindingOut(Schema):
    what: str
    wish: str
    line: int | None = None
    text: str = ""


class ProblemOut(Schema):
    """Why not (RFC 9457). errors: what is wrong in a file, line by line."""

    status: int
    title: str
    detail: str = ""
    errors: list[FindingOut] = []


class RunOut(Schema):
    tag: str
    group: str
    kind: str
    priority: int
    description: str
    line_count: int
    topic_count: int
    sha256: str
    warnings: list[FindingOut]
    submitted_at: datetime
    pooled: bool = Field(description="Whether it takes part in a frozen pool.")

    @staticmethod
    def resolve_pooled(run: Run) -> bool:
        return bool(getattr(run, "pool_count", 0))  # a run that was submitted just now is in no pool


class RunIn(Schema):
    """What is said of a run; what is empty, the file says."""

    tag: str = ""
    group: str = Field("", max_length=60)
    kind: str = Field("", pattern="^(|automatic|manual)$")
    priority: int = Field(1, ge=1, le=99)
    description: str = Field("", max_length=2000)


PROBLEMS = {401: ProblemOut, 403: ProblemOut, 404: ProblemOut, 422: ProblemOut}


@router.get("{slug}/runs/", response={200: list[RunOut], **PROBLEMS}, summary="The runs that you may see")
def run_list(request: HttpRequest, slug: str) -> list[Run]:
    user, campaign = door(request, slug)
    return list(queries.runs_seen_by(user, campaign).annotate_pooled())


@router.post("{slug}/runs/", response={201: RunOut, **PROBLEMS}, summary="Submit a run")
def run_submit(request: HttpRequest, slug: str, file: File[UploadedFile], about: Form[RunIn]) -> Status[Run]:
    """The file is a TREC run, plain or as gz, bz2 or xz. One with an error is refused whole."""
    user = person(request)
    campaign = campaign_or_404(user, slug, Role.PARTICIPANT)
    said = services.Submission(**about.dict())
    if Role.ORGANISER not in campaign.my_roles:
        said = said._replace(group=queries.group_of(user, campaign) or said.group)
    return Status(201, services.submit_run(campaign, user, file.read(), file.name or "", said))


@router.get("{slug}/runs/{tag}/", response={200: RunOut, **PROBLEMS}, summary="One run, with its report")
def run(request: HttpRequest, slug: str, tag: str) -> Run:
    user, campaign = door(request, slug)
    return get_object_or_404(queries.runs_seen_by(user, campaign).annotate_pooled(), tag=tag)


def door(request: HttpRequest, slug: str) -> tuple[User, Campaign]:
    user = person(request)
    return user, campaign_or_404(user, slug, *READERS)


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # the token is somebody's
    return request.user
