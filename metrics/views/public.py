"""The public pages of a published campaign, without sign-in.

They never contain the text of a document, a run file, a label or the name of a judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_safe

from accounts.requests import full_address
from assess.kappa.coefficient import Coefficient
from assess.models import QrelsRelease
from assess.queries.release_agreement import agreement_of_release
from assess.queries.release_states import newer_release, public_release_or_404, published_campaigns
from assess.queries.releases import numbers_of
from assess.queries.run_parts import runs_without_part
from assess.release import public_manifest as manifests
from assess.release.citation import bibtex, citation
from assess.release.formats import kind_of
from assess.release.judge_counts import judge_counts
from assess.views.downloads import download
from assess.views.releases import file_name
from metrics import services
from metrics.archive.loaders import loaders
from metrics.leaderboard import LeaderboardState
from metrics.queries import collections as collection_queries
from metrics.queries.leaderboard import leaderboard
from metrics.queries.scores import PROFILE, ScoreTable, public_runs, score_table
from metrics.score_formats import available_formats
from metrics.views.file_responses import (
    checksum_response,
    collection_response,
    scores_response,
    topics_response,
)
from pooling.models import Campaign
from pooling.queries.pools import pool_sentences


def default_scores(release: QrelsRelease) -> ScoreTable:
    """Return every public run's scores on the usual measures. Others would let strangers load the server."""
    return score_table(release, public_runs(release), services.default_measures(release))


@login_not_required
@require_GET
def public_list(request: HttpRequest) -> HttpResponse:
    return render(request, "metrics/public_list.html", {"campaigns": published_campaigns()})


@login_not_required
@require_GET
def public(request: HttpRequest, slug: str) -> HttpResponse:
    """The latest public release of a campaign. One that is withdrawn is shown if there is no other."""
    release = public_release_or_404(slug)
    return render(request, "metrics/public.html", release_context(request, release.campaign, release))


@login_not_required
@require_GET
def public_release(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    release = public_release_or_404(slug, number)
    return render(request, "metrics/public.html", release_context(request, release.campaign, release))


def public_address(request: HttpRequest, release: QrelsRelease) -> str:
    """Return the permanent address of a release, which a citation gives."""
    page = reverse("metrics:public_release", args=[release.campaign.slug, release.number])
    return full_address(request, page)


def why_undefined(agreement: Sequence[Coefficient]) -> str:
    """Return why no coefficient has a value, if all have one reason; "" otherwise."""
    reasons = {each.reason if each.value is None else "" for each in agreement}
    return reasons.pop() if len(reasons) == 1 else ""


def release_context(request: HttpRequest, campaign: Campaign, release: QrelsRelease) -> dict[str, Any]:
    """Return the context of the page of a release."""
    table, manifest = (
        default_scores(release),
        manifests.public_manifest(release.manifest, numbers_of(release)),
    )
    collection = collection_queries.public_collection(release, table)
    names = tuple(measure.name for measure in services.default_measures(release)[:-1])
    state = LeaderboardState.by_first(names)
    address = public_address(request, release)
    agreement = agreement_of_release(release)
    cited = citation(manifest).partition("\n\n")[0] if "organisers" in manifest else ""
    return {
        "campaign": campaign,
        "release": release,
        "manifest": manifest,
        "judges": judge_counts(release.manifest),
        "newer": newer_release(release),
        "releases": campaign.releases.public(),
        "grades": [(grade, manifest["grades"].get(str(grade.value), 0)) for grade in campaign.grades],
        "pools": pool_sentences(campaign.pools.all()),
        "agreement": agreement,
        "undefined_agreement": why_undefined(agreement),
        "board": leaderboard(table, state),
        "without_part": runs_without_part(release, table.runs),
        "groups": len({run.group for run in table.runs} - {""}),
        "files": [(file, kind_of(file.kind), file_name(release, file.kind)) for file in collection.files],
        "forms": available_formats(),
        "citation": cited,
        "bibtex": bibtex(manifest, address) if cited else "",
        "address": address,
        "loaders": loaders(manifest["threshold"]),
        "profile": PROFILE,
    }


@login_not_required
@require_safe
def public_file(request: HttpRequest, slug: str, number: int, kind: str) -> HttpResponseBase:
    release = public_release_or_404(slug, number)
    if not manifests.is_public(kind):
        raise Http404("This file is not public.")
    return download(request, get_object_or_404(release.files, kind=kind), file_name(release, kind))


@login_not_required
@require_GET
def public_manifest(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    release = public_release_or_404(slug, number)
    manifest = manifests.public_manifest(release.manifest, numbers_of(release))
    return JsonResponse(manifest, json_dumps_params={"indent": 2, "ensure_ascii": False})


@login_not_required
@require_GET
def public_topics(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    return topics_response(request, public_release_or_404(slug, number))


@login_not_required
@require_GET
def public_scores(request: HttpRequest, slug: str, number: int, form: str) -> HttpResponseBase:
    release = public_release_or_404(slug, number)
    return scores_response(request, release, default_scores(release), form)


@login_not_required
@require_GET
def public_collection(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    release = public_release_or_404(slug, number)
    return collection_response(
        request, collection_queries.public_collection(release, default_scores(release))
    )


@login_not_required
@require_GET
def public_collection_sum(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    release = public_release_or_404(slug, number)
    return checksum_response(request, collection_queries.public_collection(release, default_scores(release)))
