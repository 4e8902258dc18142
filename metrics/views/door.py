"""The way in to every page of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics import queries, services
from metrics.boards import UNJUDGED
from metrics.forms import LookForm
from metrics.measure import BadMeasure, Measure
from metrics.queries import Field
from metrics.registry import parse_measure
from pooling.models import Campaign, Role
from pooling.queries import campaign_or_404


def released(request: UserRequest, slug: str, number: int) -> tuple[Campaign, QrelsRelease]:
    """Open the door to a release's scores."""
    campaign = campaign_or_404(request.user, slug, Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
    release: QrelsRelease = get_object_or_404(campaign.releases, number=number)
    release.campaign = campaign
    return campaign, release


def asked_for(
    request: UserRequest, release: QrelsRelease, others: Sequence[Measure] = (), waits: bool = False
) -> tuple[LookForm, Field]:
    """Return the look that a link asks for, and the field that it shows."""
    form = LookForm(request.GET, release)
    return form, field_for(request, release, form, others, waits)


def field_for(
    request: UserRequest,
    release: QrelsRelease,
    form: LookForm,
    others: Sequence[Measure] = (),
    waits: bool = False,
) -> Field:
    """Return the runs that this person may see, scored for a form.

    A score that is not stored yet is worked out and stored now. others: measures that the page needs anyhow.
    waits: while a job scores the release, only show what it has stored.
    """
    runs = list(queries.runs_on_board(request.user, release.campaign))
    more = [parse_measure(UNJUDGED), *others]
    if waits and queries.scoring_job(release):
        return queries.field_of(release, runs, [*form.measures, *more])
    try:
        services.score_release(release, [*form.measures, *more], runs)
    except BadMeasure as error:
        form.refuse(error)
        services.score_release(release, [*form.measures, *more], runs)
    return queries.field_of(release, runs, [*form.measures, *more])


def shared_by(campaign: Campaign, release: QrelsRelease, form: LookForm, field: Field) -> dict[str, Any]:
    """Return what every page here shows."""
    return {
        "campaign": campaign,
        "release": release,
        "form": form,
        "field": field,
        "measure": form.lead,
        "profile": queries.PROFILE,
    }
