"""Which measures rank the runs alike."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.comparison_plots import measures_plot
from metrics.forms import LookForm
from metrics.measure_correlation import MeasureCorrelation, measure_correlation
from metrics.queries.scores import Field
from metrics.views.door import asked_for, released, shared_by
from pooling.spreadsheet import Table


@require_GET
def measure_agreement(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Which measures rank the runs alike."""
    campaign, release = released(request, slug, number)
    form, table = asked_for(request, release)
    context = shared_by(campaign, release, form, table)
    if len(table.runs) > 1:
        found, names = correlation_of(form, table), [measure.name for measure in form.measures]
        tables = zip((found.tau_name, found.tau_ap_name), (found.tau, found.tau_ap), strict=True)
        context |= {
            "found": found,
            "names": names,
            "tables": [(name, list(zip(form.measures, rows, strict=True))) for name, rows in tables],
            "pair": pair_of(request, names),
        }
        if context["pair"]:
            first, second = (table.of(name)[1] for name in context["pair"])
            pair = table.measure(context["pair"][0]), table.measure(context["pair"][1])
            tags = [run.tag for run in table.runs]
            context["plot"] = measures_plot(pair, tags, first, second, len(table.topics))
    return render(request, "metrics/measure_agreement.html", context)


@require_GET
def measure_agreement_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """One row per pair of measures."""
    _, release = released(request, slug, number)
    form, table = asked_for(request, release)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-measures-v{number}.csv"'
    rows = Table(response)
    found, names = correlation_of(form, table), [measure.name for measure in form.measures]
    rows.writerow(
        ["measure", "other", found.tau_name, f"{found.tau_ap_name}, the first as reference", "runs"]
    )
    for one, (name, taus, tau_aps) in enumerate(zip(names, found.tau, found.tau_ap, strict=True)):
        pairs = zip(names, taus, tau_aps, strict=True)
        rows.writerows(
            [name, other, tau, ap, found.n] for at, (other, tau, ap) in enumerate(pairs) if at != one
        )
    return response


def correlation_of(form: LookForm, table: Field) -> MeasureCorrelation:
    """Return the rank correlation of the measures, undefined for those that rank no runs."""
    means = table.means[: len(form.measures)].T
    return measure_correlation(means, [measure.direction for measure in form.measures])


def pair_of(request: UserRequest, names: list[str]) -> tuple[str, str] | None:
    """Return the two measures of the scatter plot: the requested ones, else the first two."""
    pair = [request.GET.get(word, "") for word in ("across", "up")]
    if pair[0] in names and pair[1] in names:
        return pair[0], pair[1]
    return (names[0], names[1]) if len(names) > 1 else None
