"""Access to the pages of scores, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.shortcuts import get_object_or_404

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics.boards import UNJUDGED
from metrics.forms import LookForm
from metrics.measure import BadMeasure
from metrics.queries.scores import PROFILE, Field, field_of, runs_on_board
from metrics.registry import parse_measure
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404

Line = TypeVar("Line")
TOPICS_ON_A_PAGE = 500


def released(request: UserRequest, slug: str, number: int) -> tuple[Campaign, QrelsRelease]:
    """Return a campaign and its release, if this person may see the scores; raise Http404 otherwise."""
    campaign = campaign_or_404(request.user, slug, Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
    release: QrelsRelease = get_object_or_404(campaign.releases, number=number)
    release.campaign = campaign
    return campaign, release


def asked_for(request: UserRequest, release: QrelsRelease) -> tuple[LookForm, Field]:
    """Return the form of a request, and the scores that it asks for."""
    form = LookForm(request.GET, release)
    return form, field_for(request, release, form)


def field_for(request: UserRequest, release: QrelsRelease, form: LookForm) -> Field:
    """Return the scores of the runs that this person may see, on the form's measures."""
    runs = list(runs_on_board(request.user, release.campaign))
    shown = [*form.measures, parse_measure(UNJUDGED)]
    try:
        return field_of(release, runs, shown)
    except BadMeasure as error:
        form.refuse(error)
    return field_of(release, runs, [*form.measures, parse_measure(UNJUDGED)])


def page_of(request: UserRequest, lines: Sequence[Line]) -> Page[Line]:
    """Return the requested page of a table with one row per topic."""
    return Paginator(lines, TOPICS_ON_A_PAGE).get_page(request.GET.get("page"))


def shared_by(campaign: Campaign, release: QrelsRelease, form: LookForm, table: Field) -> dict[str, Any]:
    """Return the context that all pages of scores share."""
    return {
        "campaign": campaign,
        "release": release,
        "form": form,
        "field": table,
        "measure": form.lead,
        "profile": PROFILE,
    }
