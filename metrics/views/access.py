"""Access to the pages of scores, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.shortcuts import get_object_or_404

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics.forms import ScoresForm
from metrics.leaderboard import UNJUDGED
from metrics.measures.base import BadMeasure
from metrics.measures.names import parse_measure
from metrics.queries.scores import (
    PROFILE,
    ScoreTable,
    ranked_runs_for,
    score_table,
    without_late_runs,
)
from pooling.models import Campaign, Role, Run
from pooling.queries.campaigns import campaign_or_404

Line = TypeVar("Line")
TOPICS_ON_A_PAGE = 500


def release_or_404(request: UserRequest, slug: str, number: int) -> tuple[Campaign, QrelsRelease]:
    """Return a campaign and its release, if this person may see the scores; raise Http404 otherwise."""
    campaign = campaign_or_404(request.user, slug, Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
    release: QrelsRelease = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    release.campaign = campaign
    return campaign, release


def requested_scores(
    request: UserRequest, release: QrelsRelease, own: Run | None = None, late: bool = False
) -> tuple[ScoresForm, ScoreTable]:
    """Return the form of a request, and the scores that it asks for. own, late: as `score_table_for`."""
    form = ScoresForm(request.GET, release)
    return form, score_table_for(request, release, form, own, late)


def score_table_for(
    request: UserRequest,
    release: QrelsRelease,
    form: ScoresForm,
    own: Run | None = None,
    late: bool = False,
) -> ScoreTable:
    """Return the scores of the ranked runs that this person may see, on the form's measures.

    own: a run that is among them in any case. late: whether runs submitted after a release are, too; a person
    who sees only such runs gets them.
    """
    visible = ranked_runs_for(request.user, release)
    runs = list(visible) if late else without_late_runs(visible)
    if own and own not in runs:
        runs = sorted([*runs, own], key=lambda run: run.tag)
    shown = [*form.measures, parse_measure(UNJUDGED)]
    try:
        return score_table(release, runs, shown)
    except BadMeasure as error:
        form.refuse(error)
    return score_table(release, runs, [*form.measures, parse_measure(UNJUDGED)])


def topic_page(request: UserRequest, lines: Sequence[Line]) -> Page[Line]:
    """Return the requested page of a table with one row per topic."""
    return Paginator(lines, TOPICS_ON_A_PAGE).get_page(request.GET.get("page"))


def shared_context(
    campaign: Campaign, release: QrelsRelease, form: ScoresForm, table: ScoreTable
) -> dict[str, Any]:
    """Return the context that all pages of scores share."""
    return {
        "campaign": campaign,
        "release": release,
        "form": form,
        "score_table": table,
        "measure": form.lead,
        "profile": PROFILE,
    }
