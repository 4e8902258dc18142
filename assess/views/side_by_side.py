"""The screen on which a judge compares two texts: shared by the packages that have one."""

from __future__ import annotations

from typing import NamedTuple

from django.http import Http404

from accounts.requests import UserRequest
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404


class VoteButton(NamedTuple):
    """A button of the vote, and its keys."""

    value: str
    label: str
    key: str
    arrow: str = ""


class SideBySide(NamedTuple):
    """What a screen is about. place: of the navigation. noun: of what is voted on. key: of the set.

    page: the list to which the judge returns. outbox: where votes are sent. previous: the page of the last
    vote, or "". note: a sentence beside the buttons.
    """

    title: str
    place: str
    noun: str
    key: int
    page: str
    outbox: str
    previous: str
    note: str


def judges_campaign(request: UserRequest, slug: str) -> Campaign:
    """Return the campaign. Raises Http404 unless the user is a judge of it."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        raise Http404
    return campaign
