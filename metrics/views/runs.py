"""The page of a run, and of its documents for one topic."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.forms import ScoresForm
from metrics.queries.runs import run_report, tie_report_of, topic_report
from metrics.queries.scores import PROFILE, runs_with_visible_scores
from metrics.queries.topic_statistics import shows_statistics, topic_statistics
from metrics.views.access import release_or_404, requested_scores, topic_page
from pooling.queries.campaigns import visible_runs
from pooling.spreadsheet import Table

PAGE = 100  # documents


@require_GET
def run_scores(request: UserRequest, slug: str, number: int, tag: str) -> HttpResponse:
    campaign, release = release_or_404(request, slug, number)
    run = get_object_or_404(
        runs_with_visible_scores(request.user, release).select_related("columns"), tag=tag
    )
    form, table = requested_scores(request, release, run)
    cutoff = form.cleaned_data.get("k") if "k" in request.GET else 10
    report = run_report(release, run, table, form.lead, cutoff, campaign.collection_size)
    bounds = report.bounds
    context = {
        "campaign": campaign,
        "release": release,
        "run": run,
        "mine": visible_runs(request.user, campaign).filter(pk=run.pk).exists(),
        "form": form,
        "score_table": table,
        "report": report,
        "page": topic_page(request, report.lines),
        "bounds": zip(bounds.measures, bounds.irrelevant, bounds.scored, bounds.relevant, strict=True),
        "profile": PROFILE,
        "statistics": topic_statistics(release, run, form.lead) if shows_statistics(release) else None,
    }
    return render(request, "metrics/run_scores.html", context)


@require_GET
def topic_statistics_csv(request: UserRequest, slug: str, number: int, tag: str) -> HttpResponse:
    """Send the run's scores by topic, with minimum, median and maximum of all ranked runs, as CSV."""
    campaign, release = release_or_404(request, slug, number)
    run = get_object_or_404(runs_with_visible_scores(request.user, release), tag=tag)
    if not shows_statistics(release):
        raise Http404("The organisers of the campaign do not show statistics of all runs.")
    statistics = topic_statistics(release, run, ScoresForm(request.GET, release).lead)
    if statistics.refusal:
        raise Http404(statistics.refusal)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{slug}-{tag}-statistics-v{number}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    rows = Table(response)
    rows.writerow(("topic", "measure", "run", "minimum", "median", "maximum", "better"))
    for line in statistics.lines:
        figures = line.own, line.minimum, line.median, line.maximum
        rows.writerow((line.topic.number, statistics.measure.name, *figures, statistics.measure.direction))
    return response


@require_GET
def ties(request: UserRequest, slug: str, number: int, tag: str) -> HttpResponse:
    """The scores under other orders of tied documents: 200 orders, so in a separate request."""
    campaign, release = release_or_404(request, slug, number)
    run = get_object_or_404(
        runs_with_visible_scores(request.user, release).select_related("columns"), tag=tag
    )
    form, _ = requested_scores(request, release, run)
    report = tie_report_of(release, run, form.measures)
    rows = zip(
        report.measures,
        report.scored,
        report.worst,
        report.best,
        report.expected,
        report.standard_error,
        strict=True,
    )
    context = {"campaign": campaign, "release": release, "run": run, "report": report, "rows": list(rows)}
    return render(request, "metrics/_ties.html", context)


@require_GET
def run_topic(request: UserRequest, slug: str, number: int, tag: str, topic: str) -> HttpResponse:
    campaign, release = release_or_404(request, slug, number)
    run = get_object_or_404(
        runs_with_visible_scores(request.user, release).select_related("columns"), tag=tag
    )
    form, table = requested_scores(request, release, run)
    if topic not in table.topics:
        raise Http404("The release has no such topic.")
    report = topic_report(release, run, table, topic)
    context = {
        "campaign": campaign,
        "release": release,
        "run": run,
        "topic": get_object_or_404(campaign.topics, number=topic),
        "form": form,
        "score_table": table,
        "report": report,
        "page": Paginator(report.documents, PAGE).get_page(request.GET.get("page")),
        "profile": PROFILE,
    }
    return render(request, "metrics/run_topic.html", context)
