"""What every operation needs: who asks, which campaign, and what a refusal looks like."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Path, Schema
from pydantic import Field

from accounts.models import User
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404

Word = Annotated[str, Path(pattern=r"^[^\s/\x00]+$", max_length=120)]
"""A slug, a tag or a topic's number in an address."""

Number = Annotated[int, Path(ge=1, le=32767)]
"""A pool's or a release's number in an address."""


class FindingOut(Schema):
    what: str
    wish: str
    line: int | None = None
    text: str = ""


class FaultOut(Schema):
    """What is wrong with a part of the request. loc: where it stands."""

    loc: list[str | int]
    msg: str
    type: str


class ProblemOut(Schema):
    """Why not (RFC 9457). errors: what is wrong, of a file line by line."""

    status: int
    title: str
    detail: str = ""
    errors: list[FindingOut | FaultOut] = Field(default=[])


PROBLEMS = {401: ProblemOut, 403: ProblemOut, 404: ProblemOut, 422: ProblemOut}


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # the token is somebody's
    return request.user


def door(request: HttpRequest, slug: str, *roles: Role) -> Campaign:
    """Open the campaign to who asks, as `campaign_or_404`."""
    return campaign_or_404(person(request), slug, *roles)
