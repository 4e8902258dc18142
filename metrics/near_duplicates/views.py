"""Scores of runs with the propagated labels of near duplicates, and with later members non-relevant."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics.measures.base import Measure
from metrics.measures.names import usual_measures
from metrics.near_duplicates.queries import run_readings
from metrics.views.access import release_or_404
from pooling.spreadsheet import Table

COLUMNS = "tag", "group", "measure", "judged_only", "with_propagated", "later_non_relevant"


def requested_measure(request: UserRequest, release: QrelsRelease) -> Measure:
    offered = {measure.name: measure for measure in usual_measures(len(release.campaign.scale))}
    return offered.get(request.GET.get("measure", ""), next(iter(offered.values())))


@require_GET
def near_duplicate_scores(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the runs under three readings of near duplicates; without propagated labels say so."""
    campaign, release = release_or_404(request, slug, number)
    measure = requested_measure(request, release)
    has_labels = "propagated" in release.manifest
    context = {
        "campaign": campaign,
        "release": release,
        "measure": measure,
        "measures": usual_measures(len(campaign.scale)),
        "has_labels": has_labels,
        "rows": run_readings(request.user, release, measure) if has_labels else [],
    }
    return render(request, "metrics/near_duplicates/near_duplicate_scores.html", context)


@require_GET
def near_duplicate_scores_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the table of the page with the same query, with all digits."""
    _, release = release_or_404(request, slug, number)
    if "propagated" not in release.manifest:
        raise Http404
    measure = requested_measure(request, release)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-near-duplicates-v{number}.csv"'
    rows = Table(response)
    rows.writerow(COLUMNS)
    for row in run_readings(request.user, release, measure):
        rows.writerow([row.run.tag, row.run.group, measure.name, row.judged, row.propagated, row.novel])
    return response
