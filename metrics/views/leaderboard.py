"""The leaderboard, and its files."""

from __future__ import annotations

import io

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.release_plans import latest_visible_release
from assess.queries.run_parts import runs_without_part
from metrics.leaderboard import UNJUDGED
from metrics.queries import leaderboard as board_queries
from metrics.queries.leaderboard import leaderboard_heads
from metrics.queries.scores import PROFILE, scoring_job
from metrics.significance.intervals import DRAWS, LEAST_TOPICS, MANY_TOPICS, SEED, TOO_EQUAL, TOO_NEAR
from metrics.views.access import release_or_404, requested_scores
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.spreadsheet import Table


@require_GET
def scores(request: UserRequest, slug: str) -> HttpResponse:
    """Redirect to the leaderboard of the chosen or the latest release, or explain what is missing."""
    campaign = campaign_or_404(request.user, slug, Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
    query, wanted = request.GET.copy(), request.GET.get("release", "")
    query.pop("release", None)
    chosen = (
        campaign.releases.visible_to(campaign).filter(number=wanted).first() if wanted.isdecimal() else None
    )
    if release := chosen or latest_visible_release(campaign):
        page = redirect("metrics:leaderboard", slug, release.number)
        page["Location"] += f"?{query.urlencode()}" if query else ""
        return page
    return render(request, "metrics/scores_empty.html", {"campaign": campaign})


@require_GET
def leaderboard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = release_or_404(request, slug, number)
    form, table = requested_scores(request, release, late=True)
    form.offer_figures(board_queries.offered_figures(table))
    board = board_queries.leaderboard(table, form.state)
    context = {
        "campaign": campaign,
        "release": release,
        "job": scoring_job(release),
        "releases": campaign.releases.visible_to(campaign),
        "form": form,
        "board": board,
        "without_part": runs_without_part(release, table.runs),
        "late": any(line.late for line in board.lines),
        "heads": leaderboard_heads(table, form.state),
        "profile": PROFILE,
        "least_topics": LEAST_TOPICS,
        "draws": DRAWS,
        "seed": SEED,
        "without_interval": [TOO_EQUAL, TOO_NEAR] if len(table.topics) < MANY_TOPICS else [TOO_EQUAL],
    }
    return render(request, "metrics/leaderboard.html", context)


@require_GET
def scoring(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """The progress of the scoring of a release; the page reloads when it has ended."""
    campaign, release = release_or_404(request, slug, number)
    job = scoring_job(release)
    context = {"campaign": campaign, "release": release, "job": job}
    response = render(request, "metrics/_scoring.html", context)
    return response if job else trigger_refresh(response)


def trigger_refresh(response: HttpResponse) -> HttpResponse:
    response["HX-Refresh"] = "true"
    return response


@require_GET
def leaderboard_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """One row per run, one column per measure and chosen figure, as on the page with the same query.

    Values have all digits; figures are in the unit that their key names.
    """
    _, release = release_or_404(request, slug, number)
    form, table = requested_scores(request, release, late=True)
    form.offer_figures(board_queries.offered_figures(table))
    board = board_queries.leaderboard(table, form.state)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-scores-v{number}.csv"'
    rows = Table(response)
    interval = [f"{board.lead} low", f"{board.lead} high"] if board.scale else []
    scores = *board.measures, UNJUDGED, "pools", *interval, "topics", "after_release"
    rows.writerow(["run", "group", "kind", *scores, *(column.key for column in board.figures)])
    for line in board.lines:
        values = [cell.value for cell in line.cells]
        ends = [line.span.low, line.span.high] if line.span else [""] * len(interval)
        about = [line.run.tag, line.run.group, line.run.kind]
        after = line.run.after_release if line.late else ""  # type: ignore[attr-defined]
        figures = ["" if cell.value is None else cell.value for cell in line.figures]
        rows.writerow([*about, *values, line.unjudged, line.pools, *ends, line.answered, after, *figures])
    return response


@require_GET
def topics_tsv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Every value: run, topic, measure, value; the topic `all` is the mean."""
    _, release = release_or_404(request, slug, number)
    _, table = requested_scores(request, release, late=True)
    text = io.StringIO(newline="")  # one write to the response instead of one per line
    rows = Table(text, delimiter="\t", lineterminator="\n")
    rows.writerow(["run", "topic", "measure", "value"])
    for index, run in enumerate(table.runs):
        for measure in table.measures:
            values, means = table.of(measure.name)
            pairs = zip([*table.topics, "all"], [*values[index].tolist(), means[index]], strict=True)
            rows.writerows([run.tag, topic, measure.name, value] for topic, value in pairs)
    response = HttpResponse(text.getvalue(), content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-scores-v{number}-topics.tsv"'
    return response
