"""The results of magnitudes, for organisers and adjudicators, and their files, for organisers."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.magnitudes.queries.tasks import sets_of
from assess.models import MagnitudeSet
from assess.queries.release_plans import latest_visible_release
from metrics.magnitudes.queries import (
    CUTOFF,
    GAIN_COLUMNS,
    NUMBER_COLUMNS,
    found_result,
    gain_rows,
    number_rows,
    qrels_lines,
    runs_by_gains,
)
from metrics.views.file_responses import text_file, tsv_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404

DOCUMENTS_A_PAGE = 50


def set_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> MagnitudeSet:
    campaign = campaign_or_404(request.user, slug, *roles)
    magnitude_set = get_object_or_404(campaign.magnitude_sets.all(), number=number)
    magnitude_set.campaign = campaign
    return magnitude_set


@require_GET
def magnitude_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of magnitudes."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    is_organiser = Role.ORGANISER in campaign.my_roles
    context = {"campaign": campaign, "sets": sets_of(campaign), "is_organiser": is_organiser}
    return render(request, "metrics/magnitudes/magnitude_result_list.html", context)


@require_GET
def magnitude_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the gains of documents, beside their grades, agreement of two judges, and runs by nDCG."""
    magnitude_set = set_or_404(request, slug, number, Role.ADJUDICATOR)
    result, release = found_result(magnitude_set), latest_visible_release(magnitude_set.campaign)
    if release:
        release.campaign = magnitude_set.campaign
    context = {
        "campaign": magnitude_set.campaign,
        "set": magnitude_set,
        "result": result,
        "release": release,
        "runs": runs_by_gains(request.user, release, result) if release else [],
        "cutoff": CUTOFF,
        "page": Paginator(result.documents, DOCUMENTS_A_PAGE).get_page(request.GET.get("page")),
        "is_organiser": Role.ORGANISER in magnitude_set.campaign.my_roles,
    }
    return render(request, "metrics/magnitudes/magnitude_result.html", context)


@require_GET
def magnitude_qrels(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the gains as qrels with real numbers."""
    magnitude_set = set_or_404(request, slug, number, Role.ORGANISER)
    return text_file("".join(qrels_lines(found_result(magnitude_set))), f"{slug}-magnitudes-{number}.qrels")


@require_GET
def magnitude_gains_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the gains of documents, a line for each."""
    magnitude_set = set_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(
        GAIN_COLUMNS, gain_rows(found_result(magnitude_set)), f"{slug}-magnitudes-{number}-gains.tsv"
    )


@require_GET
def magnitude_numbers_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the numbers of all judges, a line for each."""
    magnitude_set = set_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(NUMBER_COLUMNS, number_rows(magnitude_set), f"{slug}-magnitudes-{number}-numbers.tsv")
