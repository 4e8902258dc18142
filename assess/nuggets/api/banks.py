"""Versions of nugget banks and their files in the API, for organisers and adjudicators."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest, request_key
from assess.models import Bank
from assess.nuggets.banks import TWO_GRADES
from assess.nuggets.forms import BankForm
from assess.nuggets.queries.banks import bank_file, banks_of
from assess.nuggets.queries.loads import loads_of
from assess.nuggets.services.banks import begin_draft, discard_draft, freeze_bank
from assess.nuggets.services.loads import withdraw_nuggets
from assess.nuggets.services.uploads import upload_bank
from assess.nuggets.views.banks import bank_or_404
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    FindingOut,
    LoadedFileOut,
    PathKey,
    PathName,
    PathNumber,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role
from pooling.services.files import read_upload

router = Router(tags=["nuggets"])
JSON_LINES = {
    "responses": {
        200: {
            "description": "JSON Lines",
            "content": {"application/jsonl": {"schema": {"type": "string", "format": "binary"}}},
        }
    }
}


class NuggetBankOut(Schema):
    number: int
    grading: str = Field(description="The kind of importance.")
    based_on: int | None = Field(description="The version that this one was begun from.")
    nuggets: int = Field(alias="nugget_count")
    topics: int = Field(alias="topic_count")
    frozen_at: datetime | None = Field(description="null of the draft.")
    sha256: str = Field(description="Of the frozen bank's file in the form of questions; empty of the draft.")


class NuggetBankIn(Schema):
    """grading: of a draft that is begun now."""

    grading: Text = Field(TWO_GRADES, max_length=40)


class NuggetDraftIn(Body):
    """What a draft begins with."""

    based_on: int | None = Field(
        None, ge=1, le=32767, description="The number of a frozen version, which is copied; null: nothing."
    )
    grading: Text = Field(
        TWO_GRADES, max_length=40, description="Of an empty draft; a copy has that of its version."
    )


class LoadedBankOut(Schema):
    number: int = Field(description="Of the draft.")
    new: int
    suggestions: int = Field(description="Nuggets of programs among the new ones.")
    known: int = Field(description="Nuggets that the draft had already.")
    unknown: list[str] = Field(description="Documents that the campaign does not have.")
    dropped: list[str] = Field(description="Keys of the file that are not stored.")
    notes: list[FindingOut]


class NuggetLoadOut(LoadedFileOut):
    new: int = Field(description="Nuggets that the draft got from it.")
    known: int = Field(description="Nuggets that the draft had already.")


class WithdrawnLoadOut(Schema):
    nuggets: int = Field(description="Nuggets that went out of the draft.")
    votes: int = Field(description="Votes on them, which went, too.")
    changed: int = Field(description="Nuggets that stay without what only the file gave.")


@router.get(
    "{slug}/nugget-banks/", response={200: Page[NuggetBankOut], **PROBLEMS}, summary="List nugget banks"
)
def nugget_banks(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The versions of the nugget bank, with the draft if there is one."""
    campaign = api_campaign(request, slug, Role.ORGANISER, Role.ADJUDICATOR)
    return page_of(request, banks_of(campaign), "number", cut)


@router.post(
    "{slug}/nugget-banks/",
    response={201: LoadedBankOut, **WRITE_PROBLEMS},
    summary="Load nuggets into the draft",
)
def nugget_bank_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[NuggetBankIn]
) -> Status[dict[str, Any]]:
    """Add the nuggets of a file, in a public form, to the draft; without a draft, begin an empty one.

    A file with an error is refused whole, with every error by its line. Nuggets that the draft has are not
    added again.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER, Role.ADJUDICATOR)
    bank, loaded = upload_bank(
        campaign, api_user(request), about.grading, read_upload(file), file.name or "nuggets"
    )
    return Status(201, {"number": bank.number, **loaded._asdict()})


def plain_bank(bank: Bank) -> Bank:
    """Return a bank with its counts."""
    return banks_of(bank.campaign).get(pk=bank.pk)


@router.post(
    "{slug}/nugget-banks/draft/",
    response={201: NuggetBankOut, **WRITE_PROBLEMS},
    summary="Begin a draft of nuggets",
)
def nugget_bank_begin(request: HttpRequest, slug: PathName, about: NuggetDraftIn) -> Status[Bank]:
    """Begin an empty draft, or a copy of a frozen version. A campaign has one draft at a time.

    A request that is sent again with the same header `Idempotency-Key` begins no second one.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER, Role.ADJUDICATOR)
    data = checked(BankForm(form_values(about.dict()), campaign=campaign)).cleaned_data
    user, key = api_user(request), request_key(request)
    return Status(201, plain_bank(begin_draft(campaign, user, data["grading"], data["based_on"], key)))


@router.post(
    "{slug}/nugget-banks/{number}/freezing/",
    response={200: NuggetBankOut, **WRITE_PROBLEMS},
    summary="Freeze a draft of nuggets",
)
def nugget_bank_freeze(request: HttpRequest, slug: PathName, number: PathNumber) -> Bank:
    """Freeze the draft with the importance that its nuggets have now. The version never changes."""
    bank = bank_or_404(cast(UserRequest, request), slug, number, Role.ORGANISER)
    return plain_bank(freeze_bank(bank, api_user(request)))


@router.post(
    "{slug}/nugget-banks/{number}/discard/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Discard a draft of nuggets",
)
def nugget_bank_discard(request: HttpRequest, slug: PathName, number: PathNumber) -> Status[None]:
    """Delete the draft with its nuggets, also those that people wrote."""
    discard_draft(bank_or_404(cast(UserRequest, request), slug, number, Role.ORGANISER), api_user(request))
    return Status(204, None)


@router.get(
    "{slug}/nugget-banks/{number}/file/",
    response=PROBLEMS,
    openapi_extra=JSON_LINES,
    summary="The file of a frozen nugget bank",
)
def nugget_bank_download(request: HttpRequest, slug: PathName, number: PathNumber) -> HttpResponse:
    """A frozen version as JSON Lines, a topic a line, in the form of questions: its checksum is `sha256`."""
    campaign = api_campaign(request, slug, Role.ORGANISER, Role.ADJUDICATOR)
    bank = get_object_or_404(campaign.nugget_banks.exclude(frozen_at=None), number=number)
    bank.campaign = campaign
    name = f"{slug}-nuggets-v{number}-questions.jsonl"
    return HttpResponse(
        bank_file(bank),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.get(
    "{slug}/nugget-banks/{number}/loads/",
    response={200: Page[NuggetLoadOut], **PROBLEMS},
    summary="List the files of a nugget bank",
)
def nugget_load_list(
    request: HttpRequest, slug: PathName, number: PathNumber, cut: PageParameters
) -> dict[str, Any]:
    """The files that were loaded into a version while it was a draft, also those that are withdrawn."""
    campaign = api_campaign(request, slug, Role.ORGANISER, Role.ADJUDICATOR)
    return page_of(request, loads_of(get_object_or_404(campaign.nugget_banks, number=number)), "id", cut)


@router.post(
    "{slug}/nugget-banks/{number}/loads/{pk}/withdrawal/",
    response={200: WithdrawnLoadOut, **WRITE_PROBLEMS},
    summary="Withdraw a file of nuggets from the draft",
)
def nugget_load_withdrawal(
    request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey
) -> dict[str, int]:
    """Take the nuggets of a file out of the draft, with the votes on them. Frozen versions keep theirs.

    Nuggets that people or another file gave, too, and those that people changed stay.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER, Role.ADJUDICATOR)
    load = get_object_or_404(get_object_or_404(campaign.nugget_banks, number=number).loads, pk=pk)
    withdrawal = withdraw_nuggets(load, api_user(request))
    return {"nuggets": len(withdrawal.gone), "votes": withdrawal.votes, "changed": len(withdrawal.changed)}
