"""Audits of machine judges in the API, for organisers."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from pydantic import Field

from accounts.requests import request_key
from assess.models import MachineAudit
from assess.queries.campaign_reads import CampaignReads
from metrics.machine_audits.forms import LARGEST_SEED, MAX_SAMPLE, AuditForm, JudgesForm
from metrics.machine_audits.queries.figures import DEFAULT_CUTOFF, audit_report
from metrics.machine_audits.queries.records import audit_record
from metrics.machine_audits.queries.samples import audits_of
from metrics.machine_audits.services import draw_audit, give_sample
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
    choose_by,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["audits"])


class AuditOut(Schema):
    number: int
    machine: str = Field(alias="machine.user.username")
    design: dict[str, Any] = Field(description="Seed, allocation, and the strata with their documents.")
    created_at: datetime


class AuditJudgesIn(Body):
    judges: list[Text] = Field(min_length=1, max_length=1000, description="Sign-in names.")
    per_document: Literal[1, 2] = Field(1, description="Judges of each document.")


class AuditIn(AuditJudgesIn):
    machine: int = Field(ge=1, le=2**53, description="The `id` of the source whose labels are audited.")
    size: int = Field(ge=2, le=MAX_SAMPLE, description="Documents of the sample.")
    earlier: int | None = Field(
        None, ge=1, le=32767, description="The number of an earlier audit, for Neyman's allocation."
    )
    group: Text = Field("", max_length=60, description="A group of runs whose documents are strata.")
    depth: int = Field(10, ge=1, le=1000, description="Ranks that count as retrieved by the group.")
    seed: int | None = Field(None, ge=0, le=LARGEST_SEED, description="null: a random one.")


class DrawnAuditOut(AuditOut):
    given: int = Field(description="Labels that the judges are to give.")


class GivenAuditOut(Schema):
    given: int = Field(description="Labels that the judges are to give now.")


class AuditQuery(Schema):
    k: int = Field(DEFAULT_CUTOFF, ge=1, le=100, description="The cut-off of the scores of runs.")
    first: Text = Field("", max_length=120, description="A run to compare, by tag.")
    second: Text = Field("", max_length=120, description="Another run; by default the two best ones.")


class AuditUseOut(Schema):
    """Whether labels of the machine judge may be used so. answer: allowed, not allowed or not known yet."""

    use: str
    answer: str
    reason: str


class AuditResultOut(Schema):
    """What an audit found. figures: null until two sampled documents are judged."""

    audit: int
    machine: str
    model: str
    design: dict[str, Any]
    counts: dict[str, int]
    intervals: str
    verdict: list[AuditUseOut] = Field(description="Empty while too many documents have no grade of people.")
    figures: dict[str, Any] | None
    difference: dict[str, Any] | None = Field(description="Of two runs.")
    probes: list[dict[str, Any]]


class NamedAuditForm(AuditForm):
    """The form of the page, in which judges and the earlier audit are chosen by name and number."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choose_by(self, "judges", "username")
        choose_by(self, "earlier", "number")


class NamedJudgesForm(JudgesForm):
    """The form of the page, in which judges are chosen by name."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choose_by(self, "judges", "username")


def audit_or_404(request: HttpRequest, slug: str, number: int) -> MachineAudit:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    audit = get_object_or_404(campaign.machine_audits.select_related("machine__user"), number=number)
    audit.campaign = campaign
    return audit


@router.get("{slug}/audits/", response={200: Page[AuditOut], **PROBLEMS}, summary="List audits")
def machine_audits(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The audits of machine judges."""
    return page_of(request, audits_of(api_campaign(request, slug, Role.ORGANISER)), "number", cut)


@router.post("{slug}/audits/", response={201: DrawnAuditOut, **WRITE_PROBLEMS}, summary="Start an audit")
def machine_audit_draw(request: HttpRequest, slug: PathName, about: AuditIn) -> Status[MachineAudit]:
    """Draw a random sample of the documents that a machine judge labelled, and give it to judges.

    A request that is sent again with the same header `Idempotency-Key` draws no second sample.
    """
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    values = about.dict()
    values["seed"] = secrets.randbelow(LARGEST_SEED) if about.seed is None else about.seed
    form = checked(NamedAuditForm(form_values(values), campaign=campaign))
    judges, per_document = form.cleaned_data["judges"], form.cleaned_data["per_document"]
    drawn = draw_audit(campaign, user, form.plan(), judges, per_document, request_key(request))
    drawn.audit.given = drawn.given  # type: ignore[attr-defined]  # for the answer
    return Status(201, drawn.audit)


@router.get(
    "{slug}/audits/{number}/", response={200: AuditResultOut, **PROBLEMS}, summary="The result of an audit"
)
def machine_audit_result(
    request: HttpRequest, slug: PathName, number: PathNumber, about: Annotated[AuditQuery, Query()]
) -> dict[str, Any]:
    """All figures of the page of an audit, and for which uses its verdict allows the labels."""
    audit = audit_or_404(request, slug, number)
    reads = CampaignReads(audit.campaign)
    report = audit_report(reads, audit, about.k)
    uses = report.uses if report else []
    verdict = [{"use": use.name, "answer": use.answer, "reason": reason} for use, _, reason in uses]
    return audit_record(reads, audit, about.k, about.first, about.second) | {"verdict": verdict}


@router.post(
    "{slug}/audits/{number}/judges/",
    response={200: GivenAuditOut, **WRITE_PROBLEMS},
    summary="Give the sample of an audit to judges",
)
def machine_audit_give(
    request: HttpRequest, slug: PathName, number: PathNumber, about: AuditJudgesIn
) -> dict[str, int]:
    """Give the sampled documents that lack labels to judges. Repeated, it gives nothing twice."""
    audit = audit_or_404(request, slug, number)
    data = checked(NamedJudgesForm(form_values(about.dict()), campaign=audit.campaign)).cleaned_data
    return {"given": give_sample(audit, data["judges"], data["per_document"], api_user(request))}
