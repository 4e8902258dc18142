"""Runs of machine judges in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile
from pydantic import Field

from accounts.api_auth import BearerToken, Scope
from assess.judge_runs.queries import submitted_judge_runs, why_no_judge_runs
from assess.judge_runs.services import JudgeRunDetails, submit_judge_run, withdraw_judge_run
from assess.models import JudgeRun
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    FindingOut,
    PathName,
    ProblemOut,
    api_campaign,
    api_user,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.campaign_states import StateRefused
from pooling.models import Role
from pooling.queries.campaigns import group_of
from pooling.services.files import read_upload

router = Router(tags=["judge runs"])


class JudgeRunOut(Schema):
    tag: str
    group: str
    kind: str
    model: str
    description: str
    line_count: int
    sha256: str
    warnings: list[FindingOut]
    submitted_at: datetime


class JudgeRunIn(Schema):
    """What a group says about its program. The tag is taken from the file."""

    group: str = Field("", pattern=r"^[^\x00]*$", max_length=60)
    kind: str = Field("automatic", pattern="^(automatic|manual)$")
    model: str = Field("", pattern=r"^[^\x00]*$", max_length=120)
    description: str = Field("", pattern=r"^[^\x00]*$", max_length=2000)


@router.get("{slug}/judge-runs/", response={200: Page[JudgeRunOut], **PROBLEMS}, summary="List judge runs")
def judge_run_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The runs of machine judges of your group, of an organiser all; without withdrawn ones."""
    campaign = api_campaign(request, slug, Role.PARTICIPANT)
    return page_of(request, submitted_judge_runs(api_user(request), campaign).active(), "tag", cut)


@router.post(
    "{slug}/judge-runs/",
    response={201: JudgeRunOut, 400: ProblemOut, **PROBLEMS, 409: ProblemOut, 413: ProblemOut},
    summary="Submit a judge run",
    auth=BearerToken(to_change=Scope.SUBMIT),
    openapi_extra={"x-token-scope": Scope.SUBMIT.value},
)
def judge_run_submit(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[JudgeRunIn]
) -> Status[JudgeRun]:
    """Lines of topic, Q0, docno, label, confidence and tag, plain or as gz, bz2 or xz."""
    user = api_user(request)
    campaign = api_campaign(request, slug, Role.PARTICIPANT)
    details = JudgeRunDetails(**about.dict())
    if Role.ORGANISER not in campaign.my_roles:
        own = group_of(user, campaign)
        if details.group not in ("", own):
            raise HttpError(422, f"Expected your own group, {own}, or none; found {details.group!r}")
        details = details._replace(group=own)
    return Status(201, submit_judge_run(campaign, user, read_upload(file), file.name or "", details))


@router.post(
    "{slug}/judge-runs/{tag}/withdrawal/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Withdraw a judge run",
)
def judge_run_withdraw(request: HttpRequest, slug: PathName, tag: PathName) -> Status[None]:
    """Withdraw a run of a machine judge. Its tag is free again."""
    campaign, user = api_campaign(request, slug, Role.PARTICIPANT), api_user(request)
    run = get_object_or_404(submitted_judge_runs(user, campaign).active(), tag=tag)
    if Role.ORGANISER not in campaign.my_roles and (why := why_no_judge_runs(campaign, user)):
        raise StateRefused(why)
    withdraw_judge_run(run, user)
    return Status(204, None)
