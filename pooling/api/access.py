"""The user and the campaign of an API request, its forms, and the schema of errors."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypeVar

from django import forms
from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja import Path, Schema
from pydantic import ConfigDict, Field

from accounts.models import User
from pooling.intake.fields import InputKind, parse_choices
from pooling.intake.options import split_choices
from pooling.limits import MAX_TOPIC_BYTES
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404

PathName = Annotated[str, Path(pattern=r"^[^\s/\x00]+$", max_length=120)]
"""A slug or a tag in an address."""

PathTopic = Annotated[str, Path(pattern=r"^[^\s\x00]+$", max_length=MAX_TOPIC_BYTES)]
"""A topic's number in an address; `~1` stands for a slash and `~0` for a tilde."""

PathNumber = Annotated[int, Path(ge=1, le=32767)]
"""A pool's or a release's number in an address."""

PathKey = Annotated[int, Path(ge=1, le=2**53)]
"""The key of a row, as an earlier answer gave it."""

Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
LineText = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
"""Text without a line break or another control character."""

MapText = Annotated[str, Field(pattern=r"^[^\x00]*$", max_length=2000)]
MAP_FIELD = Field(
    "",
    description="What fields of a table hold, where their names do not say: `stars=grade, note=unused`.",
)
AnyForm = TypeVar("AnyForm", bound=forms.BaseForm)


class Body(Schema):
    """A JSON body. An unknown field is refused, so that a misspelt one is not ignored."""

    model_config = ConfigDict(extra="forbid")


class FindingOut(Schema):
    what: str
    wish: str
    line: int | None = None
    text: str = ""


class LoadedFileOut(Schema):
    """A file that was loaded, and that can be withdrawn. For subclasses, with what it gave."""

    id: int
    name: str = Field(description="Of the file.")
    sha256: str = Field(description="Of the file, after unpacking.")
    loaded_at: datetime
    withdrawn_at: datetime | None


class FaultOut(Schema):
    """An error in a part of the request. loc: the path to that part."""

    loc: list[str | int]
    msg: str
    type: str


class ProblemOut(Schema):
    """Problem details (RFC 9457). errors: one for each invalid line of a file or part of the request."""

    status: int
    title: str
    detail: str = ""
    errors: list[FindingOut | FaultOut] = Field(default=[])


PROBLEMS = {401: ProblemOut, 403: ProblemOut, 404: ProblemOut, 422: ProblemOut}
WRITE_PROBLEMS = {400: ProblemOut, **PROBLEMS, 409: ProblemOut, 413: ProblemOut}


class InvalidForm(Exception):
    """The fields of a request do not pass the form that the page has; answered with 422."""

    def __init__(self, form: forms.BaseForm) -> None:
        super().__init__("The request is invalid")
        self.form = form

    @property
    def faults(self) -> list[dict[str, Any]]:
        """Return an error for each message of the form, as `FaultOut`."""
        return [
            {
                "loc": ["body", *({field} - {"__all__"})],
                "msg": error["message"],
                "type": error["code"] or "invalid",
            }
            for field, errors in self.form.errors.get_json_data().items()
            for error in errors
        ]


def checked(form: AnyForm) -> AnyForm:
    """Return a form that is valid. Raises InvalidForm."""
    if not form.is_valid():
        raise InvalidForm(form)
    return form


def choose_by(form: forms.Form, name: str, by: str) -> None:
    """Let a field of a form of a page, which chooses by key, choose by a field that people know."""
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    field.to_field_name = by


def chosen_fields(text: str, kind: InputKind) -> dict[str, str]:
    """Return field -> meaning of the parameter `map`. Raises Refused."""
    return parse_choices(split_choices(text), kind)


def form_values(values: Mapping[str, Any]) -> MultiValueDict[str, Any]:
    """Return the values of a JSON body as those of a form: a list is several values, null is none."""
    data: MultiValueDict[str, Any] = MultiValueDict()
    for name, value in values.items():
        if value is not None:
            data.setlist(name, value if isinstance(value, list) else [value])
    return data


def api_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every token belongs to a user
    return request.user


def api_campaign(request: HttpRequest, slug: str, *roles: Role) -> Campaign:
    """Return the campaign, checked by `campaign_or_404` for the user of the request."""
    return campaign_or_404(api_user(request), slug, *roles)
