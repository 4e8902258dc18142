"""Change a submitted run in the API, for organisers and for the group that submitted it."""

from __future__ import annotations

from typing import Literal, cast

from django.http import HttpRequest
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest
from assess.forms.runs import RunForm, WithdrawalForm
from assess.services.runs import change_run, reorder_run, replace_run
from assess.views.runs import changeable_run, organisers_run
from pooling.api.access import (
    MAP_FIELD,
    WRITE_PROBLEMS,
    Body,
    MapText,
    PathName,
    Text,
    api_user,
    checked,
    chosen_fields,
    form_values,
)
from pooling.api.runs import RunOut
from pooling.intake.fields import RUN
from pooling.models import Role, Run
from pooling.services.files import read_upload
from pooling.services.run_changes import hide_run, restore_run, withdraw_run

router = Router(tags=["runs"])


class DescriptionIn(Body):
    """What the group says about the run; fields that are left out stay."""

    tag: Text = Field("", max_length=120, description="Another name of the run. The file stays as it is.")
    description: Text = Field("", max_length=2000)
    kind: Literal["automatic", "manual"] = "automatic"
    priority: int = Field(1, ge=1, le=99)


class OrderIn(Schema):
    order: Literal["", "score", "rank", "lowest"] = Field("", description="If empty, that of the older run.")
    map: MapText = MAP_FIELD


class OrderBody(Body):
    order: Literal["score", "rank", "lowest"]


class ReasonIn(Body):
    reason: Text = Field("", max_length=1000, description="Organisers must give one.")


class VisibilityIn(Body):
    hidden: bool = Field(description="Whether leaderboards and public pages leave the run out.")


@router.post(
    "{slug}/runs/{tag}/description/", response={200: RunOut, **WRITE_PROBLEMS}, summary="Describe a run"
)
def run_describe(request: HttpRequest, slug: PathName, tag: PathName, about: DescriptionIn) -> Run:
    """Change tag, description, kind and priority. Of a run in a frozen pool, only the description can change.

    The status is 409 if the tag is taken, or if pools, versions, scores or panels go by it.
    """
    _, run = changeable_run(cast(UserRequest, request), slug, tag)
    values = {name: getattr(run, name) for name in RunForm.base_fields} | about.dict(exclude_unset=True)
    data = checked(RunForm(form_values(values))).cleaned_data
    change_run(run, api_user(request), **data)
    run.refresh_from_db()
    return run


@router.post(
    "{slug}/runs/{tag}/replacement/", response={201: RunOut, **WRITE_PROBLEMS}, summary="Replace a run"
)
def run_replace(
    request: HttpRequest, slug: PathName, tag: PathName, file: File[UploadedFile], about: Form[OrderIn]
) -> Status[Run]:
    """Store a newer file under the tag of the run. The older one is withdrawn and gets another tag."""
    _, run = changeable_run(cast(UserRequest, request), slug, tag)
    content, name = read_upload(file), file.name or ""
    fields = chosen_fields(about.map, RUN)
    return Status(201, replace_run(run, api_user(request), content, name, about.order, fields))


@router.post("{slug}/runs/{tag}/order/", response={200: RunOut, **WRITE_PROBLEMS}, summary="Order a run")
def run_order(request: HttpRequest, slug: PathName, tag: PathName, about: OrderBody) -> Run:
    """Order the documents of a run in another way: the same file becomes a newer version of the run."""
    _, run = changeable_run(cast(UserRequest, request), slug, tag)
    return reorder_run(run, api_user(request), about.order)


@router.post(
    "{slug}/runs/{tag}/withdrawal/", response={204: None, **WRITE_PROBLEMS}, summary="Withdraw a run"
)
def run_withdraw(request: HttpRequest, slug: PathName, tag: PathName, about: ReasonIn) -> Status[None]:
    """Withdraw a run: it is no longer pooled, scored and counted. Only an organiser can restore it."""
    campaign, run = changeable_run(cast(UserRequest, request), slug, tag)
    form = WithdrawalForm(form_values(about.dict()), is_organiser=Role.ORGANISER in campaign.my_roles)
    withdraw_run(run, api_user(request), checked(form).cleaned_data["reason"])
    return Status(204, None)


@router.post(
    "{slug}/runs/{tag}/restoration/", response={200: RunOut, **WRITE_PROBLEMS}, summary="Restore a run"
)
def run_restore(request: HttpRequest, slug: PathName, tag: PathName) -> Run:
    """Take a withdrawn run back into the campaign; for organisers."""
    run = organisers_run(cast(UserRequest, request), slug, tag)
    restore_run(run, api_user(request))
    return run


@router.post("{slug}/runs/{tag}/visibility/", response={200: RunOut, **WRITE_PROBLEMS}, summary="Hide a run")
def run_hide(request: HttpRequest, slug: PathName, tag: PathName, about: VisibilityIn) -> Run:
    """Hide a run from leaderboards and public pages, or show it there again; for organisers."""
    run = organisers_run(cast(UserRequest, request), slug, tag)
    hide_run(run, api_user(request), about.hidden)
    return run
