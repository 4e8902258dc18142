from __future__ import annotations

import csv
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from assess.queries import latest_release
from metrics import queries, services
from metrics.models import Score
from metrics.queries.quality import QUALITY_MEASURE, pool_quality
from metrics.registry import parse_measure
from pooling.models import Campaign, Role
from pooling.queries import campaign_or_404, runs_seen_by


def scored_release(request: UserRequest, slug: str, number: int) -> tuple[Campaign, QrelsRelease]:
    """Open the door to a release's scores; runs that came after the last look are scored first."""
    campaign = campaign_or_404(request.user, slug, Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
    release = get_object_or_404(campaign.releases, number=number)
    services.score_release(release)
    return campaign, release


@require_GET
def scores(request: UserRequest, slug: str) -> HttpResponse:
    """Lead to the newest release's leaderboard, or say what is missing."""
    campaign = campaign_or_404(request.user, slug, Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
    if release := latest_release(campaign):
        return redirect("metrics:leaderboard", slug, release.number)
    return render(request, "metrics/scores_empty.html", {"campaign": campaign})


@require_GET
def leaderboard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = scored_release(request, slug, number)
    board = queries.leaderboard(release, request.user, campaign, request.GET.get("order", ""))
    context = {
        "campaign": campaign,
        "release": release,
        "releases": campaign.releases.all(),
        "board": board,
        "measures": [parse_measure(name) for name in board.measures],
        "order": request.GET.get("order") or next(iter(board.measures), ""),
        "profile": queries.PROFILE,
    }
    return render(request, "metrics/leaderboard.html", context)


@require_GET
def leaderboard_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """One line a run, one column a measure."""
    campaign, release = scored_release(request, slug, number)
    board = queries.leaderboard(release, request.user, campaign)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-scores-v{number}.csv"'
    rows = csv.writer(response)
    rows.writerow(["run", "group", "kind", *board.measures])
    rows.writerows(
        [line.run.tag, line.run.group, line.run.kind, *(cell.value for cell in line.cells)]
        for line in board.lines
    )
    return response


@require_GET
def topics_tsv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Every value: run, topic, measure, value; the topic `all` is the mean."""
    campaign, release = scored_release(request, slug, number)
    response = HttpResponse(content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-scores-v{number}-topics.tsv"'
    rows = csv.writer(response, delimiter="\t", lineterminator="\n")
    rows.writerow(["run", "topic", "measure", "value"])
    seen = runs_seen_by(request.user, campaign)
    for score in (
        Score.objects.filter(release=release, run__in=seen).select_related("run").order_by("run__tag", "pk")
    ):
        values = score.by_topic | {"all": score.value}
        rows.writerows([score.run.tag, topic, score.measure, value] for topic, value in values.items())
    return response


@require_GET
def run_scores(request: UserRequest, slug: str, number: int, tag: str) -> HttpResponse:
    campaign, release = scored_release(request, slug, number)
    run = get_object_or_404(runs_seen_by(request.user, campaign), tag=tag)
    measures, lines, means = queries.by_topic(release, run)
    context = {
        "campaign": campaign,
        "release": release,
        "run": run,
        "measures": [parse_measure(name) for name in measures],
        "lines": lines,
        "means": means,
        "profile": queries.PROFILE,
    }
    return render(request, "metrics/run_scores.html", context)


@require_GET
def quality(request: UserRequest, slug: str) -> HttpResponse:
    """What the judgments so far can carry: holes, contributions, what newcomers lose, a verdict."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    found = pool_quality(campaign)
    context: dict[str, Any] = {"campaign": campaign, "quality": found, "measure": QUALITY_MEASURE}
    if found:
        judged = len(found.curve) - 1
        marks = sorted({round(judged * step / 60) for step in range(61)})
        context["plot"] = {"judged": marks, "relevant": [found.curve[mark] for mark in marks]}
    return render(request, "metrics/quality.html", context)
