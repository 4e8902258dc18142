"""Comparisons of runs: a few runs with a baseline, and all runs at once."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics.comparison_plots import power_plot
from metrics.forms import ComparisonForm, SignificanceForm
from metrics.queries.comparisons import ComparisonRequest, caution_of, every_test, run_comparison
from metrics.queries.scores import ScoreTable
from metrics.queries.significance import (
    anova_of,
    discriminative_powers,
    groups_by_randomisation,
    groups_by_tukey,
)
from metrics.views.access import release_or_404, score_table_for, shared_context, topic_page
from pooling.spreadsheet import Table


@require_GET
def compare(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Two runs or more compared with a baseline, on one measure."""
    campaign, release = release_or_404(request, slug, number)
    form, table = requested_comparison(request, release)
    context = shared_context(campaign, release, form, table)
    if len(form.chosen) > 1:
        comparison = run_comparison(release, table, form.lead, comparison_request(form, table))
        context |= {
            "comparison": comparison,
            "page": topic_page(request, comparison.topics),
            "file_query": urlencode({"measures": form.lead.name}),
        }
    return render(request, "metrics/compare.html", context)


@require_GET
def other_tests(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """The same comparison by every test. A separate request, as some tests resample."""
    campaign, release = release_or_404(request, slug, number)
    form, table = requested_comparison(request, release)
    context = shared_context(campaign, release, form, table)
    if len(form.chosen) > 1:
        context["tests"] = every_test(table, form.lead, comparison_request(form, table))
        context["others"] = [run for run in form.chosen if run.tag != form.baseline]
    return render(request, "metrics/_other_tests.html", context)


def requested_comparison(request: UserRequest, release: QrelsRelease) -> tuple[ComparisonForm, ScoreTable]:
    form = ComparisonForm(request.GET, release)
    table = score_table_for(request, release, form, late=True)
    form.choose(table.runs)
    return form, table


def comparison_request(form: ComparisonForm, table: ScoreTable) -> ComparisonRequest:
    tags, every = [run.tag for run in form.chosen], [run.tag for run in table.runs]
    return ComparisonRequest(
        [every.index(tag) for tag in tags],
        tags.index(form.baseline),
        tags.index(form.against),
        form.chosen_test,
        form.chosen_correction,
        form.level,
    )


@require_GET
def significance(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """All runs at once on one measure, and the discriminative power of the measures."""
    campaign, release = release_or_404(request, slug, number)
    form = SignificanceForm(request.GET, release)
    table = score_table_for(request, release, form)
    context = shared_context(campaign, release, form, table)
    if len(table.runs) > 1:
        powers = discriminative_powers(table, form.measures, form.level)
        context |= {
            "anova": anova_of(table, form.lead),
            "groups": groups_by_tukey(table, form.lead, form.level),
            "powers": powers,
            "plot": power_plot(powers),
            "caution": caution_of(form.lead),
        }
    return render(request, "metrics/significance.html", context)


@require_GET
def randomised_groups(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """All runs at once by ten thousand random draws, in a separate request."""
    campaign, release = release_or_404(request, slug, number)
    form = SignificanceForm(request.GET, release)
    table = score_table_for(request, release, form)
    context = shared_context(campaign, release, form, table)
    if len(table.runs) > 1:
        context["groups"] = groups_by_randomisation(table, form.lead, form.level)
    return render(request, "metrics/_randomised_groups.html", context)


@require_GET
def groups_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """One row per run by Tukey's HSD: mean, letters, number of runs that are worse and better."""
    _, release = release_or_404(request, slug, number)
    form = SignificanceForm(request.GET, release)
    table = score_table_for(request, release, form)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-groups-v{number}.csv"'
    rows = Table(response)
    rows.writerow(["run", form.lead.name, "letters", "beats", "beaten_by"])
    if len(table.runs) > 1:
        for line in groups_by_tukey(table, form.lead, form.level).lines:
            letters = " ".join(filter(None, line.letters))
            rows.writerow([line.run.tag, line.mean, letters, line.beats, line.beaten_by])
    return response
