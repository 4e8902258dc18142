"""All runs at once."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.comparison_plots import power_plot
from metrics.forms import SignificanceForm
from metrics.queries.comparisons import caution_of
from metrics.queries.groups import anova_of, groups_by_randomisation, groups_by_tukey, powers
from metrics.views.door import field_for, released, shared_by
from pooling.spreadsheet import Table


@require_GET
def significance(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """All runs at once on one measure, and the discriminative power of the measures."""
    campaign, release = released(request, slug, number)
    form = SignificanceForm(request.GET, release)
    table = field_for(request, release, form)
    context = shared_by(campaign, release, form, table)
    if len(table.runs) > 1:
        found = powers(table, form.measures, form.level)
        context |= {
            "anova": anova_of(table, form.lead),
            "groups": groups_by_tukey(table, form.lead, form.level),
            "powers": found,
            "plot": power_plot(found),
            "caution": caution_of(form.lead),
        }
    return render(request, "metrics/significance.html", context)


@require_GET
def randomised_groups(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """All runs at once by ten thousand random draws, in a separate request."""
    campaign, release = released(request, slug, number)
    form = SignificanceForm(request.GET, release)
    table = field_for(request, release, form)
    context = shared_by(campaign, release, form, table)
    if len(table.runs) > 1:
        context["groups"] = groups_by_randomisation(table, form.lead, form.level)
    return render(request, "metrics/_randomised_groups.html", context)


@require_GET
def groups_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """One row per run by Tukey's HSD: mean, letters, number of runs that are worse and better."""
    _, release = released(request, slug, number)
    form = SignificanceForm(request.GET, release)
    table = field_for(request, release, form)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-groups-v{number}.csv"'
    rows = Table(response)
    rows.writerow(["run", form.lead.name, "letters", "beats", "beaten_by"])
    if len(table.runs) > 1:
        for line in groups_by_tukey(table, form.lead, form.level).lines:
            letters = " ".join(filter(None, line.letters))
            rows.writerow([line.run.tag, line.mean, letters, line.beats, line.beaten_by])
    return response
