"""Releases of qrels in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from assess.consensus import ONE_JUDGE, RULES
from assess.forms.releases import WITH_PROPAGATED, PublicDetailsForm, ReasonForm, ReleaseForm
from assess.models import QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import release_preview
from assess.queries.release_states import WIDER, State
from assess.queries.releases import files_seen_by, manifest_seen_by
from assess.release.formats import KINDS
from assess.release.plan import CANNOT_JUDGE_OPTIONS, MACHINE_USES
from assess.services.audiences import change_audience, change_public_details, withdraw_release
from assess.services.releases import NothingToRelease
from assess.views.releases import READERS, file_response, freeze_or_start, why_nothing_is_new
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

router = Router(tags=["releases"])
TEXT = {"schema": {"type": "string"}}
FILE_ANSWERS = {
    200: {
        "description": "The file",
        "content": {kind.content_type.partition(";")[0]: TEXT for kind in KINDS.values()},
    },
    206: {"description": "The requested range of the file"},
    304: {"description": "Not modified: If-None-Match has the current ETag"},
    416: {"description": "The requested range starts after the end of the file"},
}


class FileOut(Schema):
    kind: str
    sha256: str
    size: int
    line_count: int


class ReleaseOut(Schema):
    number: int
    rule: str
    sha256: str = Field(description="SHA-256 checksum of the qrels file.")
    line_count: int
    released_at: datetime
    state: str = Field(description="internal, shared (with participants and readers) or public.")
    shared_at: datetime | None = Field(description="When participants could first see it.")
    published_at: datetime | None = Field(description="When anyone could first see it.")
    withdrawn_at: datetime | None
    withdrawal_reason: str


class ReleaseWithManifest(ReleaseOut):
    files: list[FileOut]
    manifest: dict[str, Any]


class ReleaseIn(Body):
    """The plan of a release. An empty field takes its default; an empty list includes everything."""

    rule: Text = Field("", max_length=60, description=f"One of: {'; '.join(RULES)}.")
    judge: Text = Field("", max_length=150, description=f'The judge whom the rule "{ONE_JUDGE}" follows.')
    cannot: Text = Field(
        "",
        max_length=60,
        description=f"Documents that no judge could judge. One of: {'; '.join(CANNOT_JUDGE_OPTIONS)}.",
    )
    threshold: int | None = Field(None, ge=1, le=32767, description="The lowest grade that is relevant.")
    topics: list[Text] = Field([], max_length=10_000, description="Numbers.")
    pools: list[int] = Field([], max_length=1000, description="Numbers.")
    judges: list[Text] = Field([], max_length=1000, description="Sign-in names of people.")
    machines: list[Text] = Field([], max_length=1000, description="Names of machine judges.")
    machine_use: Text = Field(
        "",
        max_length=60,
        description=f"How their labels are used. One of: {'; '.join(MACHINE_USES)}.",
    )
    propagated: bool = Field(
        False,
        description="Add files with the propagated labels of near duplicates. Without frozen classes: 422.",
    )
    after: int | None = Field(
        None, ge=0, le=32767, description="The last release that you know. If there is a newer one: 422."
    )
    accept_verdict: bool = Field(
        False,
        description="Use machine labels also if no audit allows this use: the release says so. Else: 422.",
    )


class AudienceIn(Body):
    """Who sees a release. Licence, contact and home page stay if they are left out."""

    state: Literal["internal", "shared", "public"]
    reason: Text = Field("", max_length=1000, description="Needed if fewer people see the release.")
    licence: Text | None = Field(None, max_length=200, description="For the public page.")
    contact: Text | None = Field(None, max_length=200, description="For the public page.")
    home_page: Text | None = Field(None, max_length=200, description="For the public page.")


class WithdrawalIn(Body):
    reason: Text = Field(
        min_length=1, max_length=1000, description="Everybody who sees the release reads it."
    )


@router.get("{slug}/releases/", response={200: Page[ReleaseOut], **PROBLEMS})
def release_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """Releases of the qrels that you may see, oldest first."""
    campaign = api_campaign(request, slug, *READERS)
    return page_of(request, campaign.releases.visible_to(campaign), "number", cut)


@router.post(
    "{slug}/releases/",
    response={201: ReleaseOut, 202: JobOut, **WRITE_PROBLEMS},
    summary="Freeze a release",
)
def release_freeze(request: HttpRequest, slug: PathName, about: ReleaseIn) -> Status[Any]:
    """Freeze the labels so far as the next release. What is left out has the default that the page shows.

    The status is 409 if the last release has the same judgments, or if another was frozen meanwhile.
    A large release is frozen by a background job: the status is 202, and the body describes the job.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    values = about.dict(exclude={"accept_verdict"}) | {
        "topics": " ".join(about.topics),
        "propagated": WITH_PROPAGATED if about.propagated else "",
    }
    reads = CampaignReads(campaign)
    form = checked(ReleaseForm(form_values(values), reads=reads))
    plan = form.plan()
    preview = release_preview(reads, plan)
    if not preview.is_new:
        raise NothingToRelease(why_nothing_is_new(preview))
    frozen = freeze_or_start(campaign, api_user(request), plan, form.latest, about.accept_verdict)
    return Status(202 if isinstance(frozen, Job) else 201, frozen)


@router.get("{slug}/releases/{number}/", response={200: ReleaseWithManifest, **PROBLEMS})
def release(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """A release with its manifest and the files that you may download.

    The manifest has numbers instead of names of judges, except for organisers and adjudicators. Its `judges`
    are people and files judged elsewhere, which `judged_elsewhere` names again; programs are `machines`.
    """
    campaign = api_campaign(request, slug, *READERS)
    frozen = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    return {name: getattr(frozen, name) for name in ReleaseOut.model_fields} | {
        "files": files_seen_by(api_user(request), campaign, frozen),
        "manifest": manifest_seen_by(frozen, campaign),
    }


@router.get(
    "{slug}/releases/{number}/files/{kind}/",
    response=PROBLEMS,
    openapi_extra={"responses": FILE_ANSWERS},
)
def release_file(
    request: HttpRequest, slug: PathName, number: PathNumber, kind: PathName
) -> HttpResponseBase:
    """A file of a release, whole or a range of it. It never changes; its ETag is its SHA-256 checksum.

    Files with names of judges are for organisers and adjudicators; others get the files with numbers. Files
    with single labels are refused while you still have to judge one of their documents.
    """
    campaign = api_campaign(request, slug, *READERS)
    frozen = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    return file_response(request, api_user(request), campaign, frozen, kind)


@router.post(
    "{slug}/releases/{number}/audience/",
    response={200: ReleaseOut, **WRITE_PROBLEMS},
    summary="Share, publish or restrict a release",
)
def release_audience(
    request: HttpRequest, slug: PathName, number: PathNumber, about: AudienceIn
) -> QrelsRelease:
    """Show a release to organisers and adjudicators only, to participants and readers too, or to anyone."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    release = get_object_or_404(campaign.releases, number=number)
    if about.state not in (release.state, *WIDER[State(release.state)]):
        checked(ReasonForm(form_values(about.dict(include={"reason"}))))
    now = {name: getattr(campaign, name) for name in ("licence", "contact", "home_page")}
    given = {name: value for name, value in about.dict(include=now.keys()).items() if value is not None}
    details = checked(PublicDetailsForm(form_values(now | given), campaign)).cleaned_data
    with transaction.atomic():
        if about.state == "public":
            change_public_details(campaign, by=user, **details)
        change_audience(release, about.state, user, about.reason)
    return release


@router.post(
    "{slug}/releases/{number}/withdrawal/",
    response={200: ReleaseOut, **WRITE_PROBLEMS},
    summary="Withdraw a release",
)
def release_withdraw(
    request: HttpRequest, slug: PathName, number: PathNumber, about: WithdrawalIn
) -> QrelsRelease:
    """Mark a release as withdrawn. Its files stay. This cannot be undone."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    release = get_object_or_404(campaign.releases, number=number)
    withdraw_release(release, about.reason, api_user(request))
    return release
