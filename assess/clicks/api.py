"""Click logs in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, cast

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest
from assess.clicks.forms import LEAST_PEOPLE, SHARES, THRESHOLDS, ClickJudgeForm, ClickLogForm
from assess.clicks.queries import LEAST_IMPRESSIONS, MODELS, clicked_documents, log_warnings
from assess.clicks.services.labels import ClickGrades, create_click_judge, thresholds_like_people
from assess.clicks.services.withdrawals import restore_click_log, withdraw_click_log
from assess.clicks.views import load_or_start
from assess.forms.sources import SourceWithdrawalForm
from assess.models import ClickLog
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathName,
    PathNumber,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.jobs import JobOut
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Job, Role

router = Router(tags=["clicks"])


class ClickLogOut(Schema):
    number: int
    name: str
    note: str
    counts: dict[str, int] = Field(description="Of what was read: sessions, topics, clicks and others.")
    warnings: list[str] = Field(description="What was guessed or left out.")
    loaded_at: datetime
    withdrawn_at: datetime | None
    withdrawal_reason: str

    @staticmethod
    def resolve_warnings(log: ClickLog) -> list[str]:
        return log_warnings(log)


class ClickLogIn(Schema):
    """Beside it, a file `mapping` may have lines of query, TAB and topic number."""

    least_people: int = Field(
        LEAST_PEOPLE, ge=2, le=1_000_000, description="A query that fewer people asked is left out."
    )


class ClickedDocumentOut(Schema):
    """Values of a document by each click model."""

    id: int
    topic: str = Field(alias="pooled.topic.number")
    docno: str = Field(alias="pooled.docno")
    impressions: int
    clicks: int
    coec: float
    sdbn: float
    pbm: float


class ClickLabelsIn(Body):
    """How values become grades. thresholds: the lowest value of each grade above the first, ascending."""

    name: Text = Field(min_length=1, max_length=60, description="Of the new machine judge.")
    model: Literal[MODELS]  # type: ignore[valid-type]
    thresholds: list[float] = Field(
        [], max_length=20, description="By default, each grade gets the share that people gave it."
    )
    least_impressions: int = Field(LEAST_IMPRESSIONS, ge=1, le=1_000_000_000)


class ClickLabelsOut(Schema):
    source: int = Field(description="The `id` of the new source.")
    judge: str
    labels: int


class ClickWithdrawalIn(Body):
    reason: Text = Field(min_length=1, max_length=1000, description="The audit log keeps it.")


class ClickLabelCountOut(Schema):
    labels: int = Field(description="Labels from the log that were withdrawn, or count again.")


def log_or_404(request: HttpRequest, slug: str, number: int) -> ClickLog:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    log = get_object_or_404(campaign.click_logs, number=number)
    log.campaign = campaign
    return log


@router.get("{slug}/click-logs/", response={200: Page[ClickLogOut], **PROBLEMS}, summary="List click logs")
def click_logs(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The click logs, also withdrawn ones."""
    return page_of(request, api_campaign(request, slug, Role.ORGANISER).click_logs.all(), "number", cut)


@router.post(
    "{slug}/click-logs/",
    response={201: ClickLogOut, 202: JobOut, **WRITE_PROBLEMS},
    summary="Load a click log",
)
def click_log_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[ClickLogIn]
) -> Status[ClickLog | Job]:
    """Load UBI queries and events as JSON lines, or CSV. A large log is loaded by a job: the status is 202.

    The field `file` may be sent more than once. A request that is sent again with the same header
    `Idempotency-Key` loads no second log.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    data = checked(ClickLogForm(form_values(about.dict()), request.FILES)).cleaned_data
    loaded = load_or_start(cast(UserRequest, request), campaign, data)
    return Status(201 if isinstance(loaded, ClickLog) else 202, loaded)


@router.get(
    "{slug}/click-logs/{number}/documents/",
    response={200: Page[ClickedDocumentOut], **PROBLEMS},
    summary="List the documents of a click log",
)
def click_documents(
    request: HttpRequest, slug: PathName, number: PathNumber, cut: PageParameters
) -> dict[str, Any]:
    """Impressions, clicks and values of every document of a log."""
    return page_of(request, clicked_documents(log_or_404(request, slug, number)), "id", cut)


@router.post(
    "{slug}/click-logs/{number}/labels/",
    response={201: ClickLabelsOut, **WRITE_PROBLEMS},
    summary="Make labels from a click log",
)
def click_labels(
    request: HttpRequest, slug: PathName, number: PathNumber, about: ClickLabelsIn
) -> Status[dict[str, Any]]:
    """Store the values of a click model, cut into grades, as labels of a new machine judge."""
    log = log_or_404(request, slug, number)
    values = about.dict() | {
        "thresholds": " ".join(map(str, about.thresholds)),
        "cut": THRESHOLDS if about.thresholds else SHARES,
    }
    data = checked(ClickJudgeForm(form_values(values), grades=len(log.campaign.grades))).cleaned_data
    model, least = data["model"], data["least_impressions"]
    thresholds = data["thresholds"] or thresholds_like_people(log, model, least)
    machine = create_click_judge(log, api_user(request), ClickGrades(data["name"], model, least, thresholds))
    labels = machine.user.judgments.count()
    return Status(201, {"source": machine.pk, "judge": machine.user.username, "labels": labels})


@router.post(
    "{slug}/click-logs/{number}/withdrawal/",
    response={200: ClickLabelCountOut, **WRITE_PROBLEMS},
    summary="Withdraw a click log",
)
def click_log_withdraw(
    request: HttpRequest, slug: PathName, number: PathNumber, about: ClickWithdrawalIn
) -> dict[str, int]:
    """Withdraw a click log and the labels that were made from it. Frozen releases keep them."""
    log = log_or_404(request, slug, number)
    reason = checked(SourceWithdrawalForm(form_values(about.dict()))).cleaned_data["reason"]
    return {"labels": withdraw_click_log(log, api_user(request), reason)}


@router.post(
    "{slug}/click-logs/{number}/restoration/",
    response={200: ClickLabelCountOut, **WRITE_PROBLEMS},
    summary="Restore a click log",
)
def click_log_restore(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, int]:
    """Restore a withdrawn click log and the labels that were withdrawn with it."""
    return {"labels": restore_click_log(log_or_404(request, slug, number), api_user(request))}
