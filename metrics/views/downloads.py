"""Downloads for members: scores in every format, and the archive of a release."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from assess.release.formats import kind_of
from metrics import services
from metrics.archive.loaders import loaders
from metrics.queries.collections import Collection, archive_name_of, collection_for
from metrics.queries.leaderboard import leaderboard
from metrics.queries.scores import ranked_runs_for, score_table
from metrics.score_formats import LATEX, available_formats
from metrics.views.access import release_or_404, requested_scores
from metrics.views.file_responses import (
    checksum_response,
    collection_response,
    scores_response,
    topics_response,
)


def collection_of(request: UserRequest, release: QrelsRelease) -> Collection:
    """Return the archive of a release for this person, with the scores of the runs they may see."""
    runs = list(ranked_runs_for(request.user, release))
    table = score_table(release, runs, services.default_measures(release))
    return collection_for(request.user, release, table)


@require_GET
def downloads(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = release_or_404(request, slug, number)
    collection = collection_of(request, release)
    context = {
        "campaign": campaign,
        "release": release,
        "files": [(file, kind_of(file.kind), archive_name_of(file)) for file in collection.files],
        "forms": available_formats(),
        "collection": collection,
        "loaders": loaders(release.manifest["threshold"]),
    }
    return render(request, "metrics/downloads.html", context)


@require_GET
def topics_file(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return topics_response(request, release_or_404(request, slug, number)[1])


@require_GET
def scores_file(request: UserRequest, slug: str, number: int, form: str) -> HttpResponseBase:
    """The scores of the runs that this person may see, on the requested measures.

    LaTeX with an order has the runs as the leaderboard with the same query.
    """
    _, release = release_or_404(request, slug, number)
    asked, table = requested_scores(request, release)
    if form == LATEX and "order" in request.GET:
        table = table.in_order([line.run for line in leaderboard(table, asked.state).lines])
    return scores_response(request, release, table, form)


@require_GET
def collection(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return collection_response(request, collection_of(request, release_or_404(request, slug, number)[1]))


@require_GET
def collection_sum(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return checksum_response(request, collection_of(request, release_or_404(request, slug, number)[1]))
