"""Downloads for members: scores in every format, and the archive of a release."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from assess.release.formats import kind_of
from metrics import services
from metrics.loaders import loaders
from metrics.queries.collections import Collection, collection_for, name_of
from metrics.queries.scores import field_of, runs_on_board
from metrics.score_files import offered
from metrics.views.door import asked_for, released
from metrics.views.sending import sent_collection, sent_scores, sent_sum, sent_topics


def collection_of(request: UserRequest, release: QrelsRelease) -> Collection:
    """Return the archive of a release for this person, with the scores of the runs they may see."""
    runs = list(runs_on_board(request.user, release.campaign))
    table = field_of(release, runs, services.measures_first(release))
    return collection_for(request.user, release, table)


@require_GET
def downloads(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = released(request, slug, number)
    found = collection_of(request, release)
    context = {
        "campaign": campaign,
        "release": release,
        "files": [(file, kind_of(file.kind), name_of(file)) for file in found.files],
        "forms": offered(),
        "collection": found,
        "loaders": loaders(release.manifest["threshold"]),
    }
    return render(request, "metrics/downloads.html", context)


@require_GET
def topics_file(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return sent_topics(request, released(request, slug, number)[1])


@require_GET
def scores_file(request: UserRequest, slug: str, number: int, form: str) -> HttpResponseBase:
    """The scores of the runs that this person may see, on the requested measures."""
    _, release = released(request, slug, number)
    _, table = asked_for(request, release)
    return sent_scores(request, release, table, form)


@require_GET
def collection(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return sent_collection(request, collection_of(request, released(request, slug, number)[1]))


@require_GET
def collection_sum(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return sent_sum(request, collection_of(request, released(request, slug, number)[1]))
