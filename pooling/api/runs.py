"""Runs in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import File, Form, Query, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile
from pydantic import Field

from accounts.api_auth import BearerToken, Scope
from pooling.api.access import (
    MAP_FIELD,
    PROBLEMS,
    FindingOut,
    MapText,
    PathName,
    ProblemOut,
    api_campaign,
    api_user,
    chosen_fields,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.intake.fields import RUN
from pooling.models import Role, Run
from pooling.queries.campaigns import group_of, visible_runs
from pooling.services.files import read_upload
from pooling.services.runs import Submission, submit_run
from pooling.views.runs import run_response, scored_response

router = Router(tags=["runs"])
READERS = (Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)


class RunOut(Schema):
    tag: str
    group: str
    kind: str
    priority: int
    description: str
    order: str = Field(
        description="score: highest score first; rank: by the rank column; lowest: lowest score first."
    )
    fields: dict[str, str] = Field(description="Field -> meaning of a table, as chosen with `map`.")
    topic_numbers: dict[str, str] = Field(
        description="Topic in the file -> its number in the campaign, where they differ."
    )
    line_count: int
    topic_count: int
    sha256: str
    warnings: list[FindingOut]
    submitted_at: datetime
    late: bool = Field(description="Whether it was submitted after the deadline.", alias="is_late")
    hidden: bool = Field(description="Whether leaderboards and public pages leave it out.", alias="is_hidden")
    pooled: bool = Field(description="Whether it takes part in a frozen pool.")

    @staticmethod
    def resolve_pooled(run: Run) -> bool:
        return bool(getattr(run, "pool_count", 0))  # a run that was submitted just now is in no pool


class RunIn(Schema):
    """Metadata of a run. Empty fields are taken from the file."""

    tag: str = Field("", pattern=r"^[^\x00]*$", max_length=120)
    group: str = Field("", pattern=r"^[^\x00]*$", max_length=60)
    kind: str = Field("", pattern="^(|automatic|manual)$")
    priority: int = Field(1, ge=1, le=99)
    description: str = Field("", pattern=r"^[^\x00]*$", max_length=2000)
    order: Literal["score", "rank", "lowest"] = Field(
        "score",
        description="score: highest first, as trec_eval; rank: by the rank column; lowest: lowest first.",
    )
    map: MapText = MAP_FIELD
    match_topics: bool = Field(
        False,
        description="Whether topics whose numbers differ only in how they are written (leading zeros, a"
        " prefix) are those of the campaign.",
    )


class FileQuery(Schema):
    metadata: bool = Field(False, description="Whether the file begins with an ir_metadata header.")
    scored: bool = Field(
        False, description="Whether it is the run in the order in which it is scored, as text."
    )


@router.get("{slug}/runs/", response={200: Page[RunOut], **PROBLEMS})
def run_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The runs that you may see, by tag."""
    campaign = api_campaign(request, slug, *READERS)
    return page_of(request, visible_runs(api_user(request), campaign).annotate_pooled(), "tag", cut)


@router.post(
    "{slug}/runs/",
    response={201: RunOut, 400: ProblemOut, **PROBLEMS, 409: ProblemOut, 413: ProblemOut},
    summary="Submit a run",
    auth=BearerToken(to_change=Scope.SUBMIT),
    openapi_extra={"x-token-scope": Scope.SUBMIT.value},
)
def run_submit(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[RunIn]
) -> Status[Run]:
    """The file is a TREC run, a table with a header (CSV, TSV) or JSON, plain or as gz, bz2 or xz.

    One with an error is refused whole. It is read at once: what comes back is the report.
    """
    user = api_user(request)
    campaign = api_campaign(request, slug, Role.PARTICIPANT)
    submission = Submission(**about.dict(exclude={"map"}), fields=chosen_fields(about.map, RUN))
    if Role.ORGANISER not in campaign.my_roles:
        own = group_of(user, campaign)
        if submission.group not in ("", own):
            raise HttpError(422, f"Expected your own group, {own}, or none; found {submission.group!r}")
        submission = submission._replace(group=own)
    return Status(201, submit_run(campaign, user, read_upload(file), file.name or "", submission))


@router.get("{slug}/runs/{tag}/", response={200: RunOut, **PROBLEMS})
def run(request: HttpRequest, slug: PathName, tag: PathName) -> Run:
    """One run, with its report."""
    campaign = api_campaign(request, slug, *READERS)
    return get_object_or_404(visible_runs(api_user(request), campaign).annotate_pooled(), tag=tag)


@router.get(
    "{slug}/runs/{tag}/file/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {
                "description": "The run, gzip",
                "content": {"application/gzip": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
)
def run_file(
    request: HttpRequest, slug: PathName, tag: PathName, wanted: Annotated[FileQuery, Query()]
) -> HttpResponseBase:
    """The file of a run as it was submitted; with `metadata=true`, with an ir_metadata header.

    The header has the fields of the header in the submitted file, and what the campaign knows of the run.
    """
    campaign = api_campaign(request, slug, *READERS)
    runs = visible_runs(api_user(request), campaign).select_related("campaign")
    run = get_object_or_404(runs, tag=tag)
    return scored_response(run) if wanted.scored else run_response(run, wanted.metadata)
