"""The user and the campaign of an API request, and the schema of errors."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Path, Schema
from pydantic import Field

from accounts.models import User
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404

PathName = Annotated[str, Path(pattern=r"^[^\s/\x00]+$", max_length=120)]
"""A slug, a tag or a topic's number in an address."""

PathNumber = Annotated[int, Path(ge=1, le=32767)]
"""A pool's or a release's number in an address."""


class FindingOut(Schema):
    what: str
    wish: str
    line: int | None = None
    text: str = ""


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


def api_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every token belongs to a user
    return request.user


def api_campaign(request: HttpRequest, slug: str, *roles: Role) -> Campaign:
    """Return the campaign, checked by `campaign_or_404` for the user of the request."""
    return campaign_or_404(api_user(request), slug, *roles)
