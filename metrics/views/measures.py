"""The measures: what each one is, and which of them rank the runs alike."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.comparison_plots import measures_plot
from metrics.forms import ScoresForm
from metrics.measures.base import SYMBOLS, BadMeasure, Measure, MeasureKind
from metrics.measures.names import parse_measure
from metrics.measures.registry import FAMILIES, KINDS
from metrics.queries.scores import ScoreTable
from metrics.rankings.rank_correlation import MeasureCorrelation, measure_correlation
from metrics.views.access import release_or_404, requested_scores, shared_context
from metrics.worked_example import (
    COLLECTION,
    MISSED,
    RANKING,
    read_example,
    usual_measure,
    worked_example,
)
from pooling.refusals import Refused
from pooling.spreadsheet import Table

NEEDS = {
    "qrels": "",
    "judges": "qrels that keep the judges apart",
    "subtopics": "qrels with subtopics",
    "strata": "sampled judgments with strata (prels)",
    "preferences": "preferences between documents",
}


@require_GET
def measure_list(request: UserRequest) -> HttpResponse:
    families = [(family.title, [KINDS[kind.name] for kind in family.kinds]) for family in FAMILIES]
    return render(request, "metrics/measure_list.html", {"families": families, "count": len(KINDS)})


@require_GET
def measure(request: UserRequest, name: str) -> HttpResponse:
    """Explain one kind of measure, with an example whose grades and parameters are those of the request."""
    if name not in KINDS:
        raise Http404(f"There is no measure {name}.")
    kind = KINDS[name]
    ranking, missed = request.GET.get("ranking", RANKING), request.GET.get("missed", MISSED)
    refused, chosen, documents = "", usual_measure(kind), read_example(RANKING, MISSED)
    try:
        chosen = chosen_measure(kind, request.GET.get("measure", ""))
        documents = read_example(ranking, missed)
    except Refused as error:
        refused = f"{error}"
    worked = worked_example(chosen, documents)
    context = {
        "kind": kind,
        "signs": signs_of(kind),
        "needs": NEEDS[kind.needs],
        "ranking": ranking,
        "missed": missed,
        "refused": refused,
        "worked": worked,
        "rows": [
            (
                document,
                worked.steps[document.rank - 1] if document.rank else None,
                bool(document.grade and document.grade >= 1),
            )
            for document in worked.documents
        ],
        "collection": COLLECTION if "N" in kind.parameters else None,
    }
    return render(request, "metrics/measure.html", context)


def chosen_measure(kind: MeasureKind, name: str) -> Measure:
    """Return the measure of a name, which must be of the kind; the usual one for "". Raises BadMeasure."""
    if not name.strip():
        return usual_measure(kind)
    measure = parse_measure(name)
    if measure.kind is not kind:
        raise BadMeasure(f"expected {kind.name} with a cut-off or parameters, found {measure.name}")
    return measure


def signs_of(kind: MeasureKind) -> list[tuple[str, str]]:
    """Return the symbols of a formula with their meanings."""
    return [(sign, meaning) for sign, meaning in SYMBOLS.items() if _uses(kind.formula, sign)]


def _uses(text: str, sign: str) -> bool:
    """Tell whether a formula contains one of the symbols of `sign`, which are separated by commas."""
    return any(
        word in text.replace("(", " ( ").split() if word.isalnum() else word in text
        for word in sign.split(", ")
    )


@require_GET
def measure_agreement(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Which measures rank the runs alike."""
    campaign, release = release_or_404(request, slug, number)
    form, table = requested_scores(request, release)
    context = shared_context(campaign, release, form, table)
    if len(table.runs) > 1:
        correlation, names = correlation_of(form, table), [measure.name for measure in form.measures]
        tables = zip(
            (correlation.tau_name, correlation.tau_ap_name),
            (correlation.tau, correlation.tau_ap),
            strict=True,
        )
        context |= {
            "correlation": correlation,
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
    _, release = release_or_404(request, slug, number)
    form, table = requested_scores(request, release)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-measures-v{number}.csv"'
    rows = Table(response)
    correlation, names = correlation_of(form, table), [measure.name for measure in form.measures]
    rows.writerow(
        [
            "measure",
            "other",
            correlation.tau_name,
            f"{correlation.tau_ap_name}, the first as reference",
            "runs",
        ]
    )
    for one, (name, taus, tau_aps) in enumerate(zip(names, correlation.tau, correlation.tau_ap, strict=True)):
        pairs = zip(names, taus, tau_aps, strict=True)
        rows.writerows(
            [name, other, tau, ap, correlation.n] for at, (other, tau, ap) in enumerate(pairs) if at != one
        )
    return response


def correlation_of(form: ScoresForm, table: ScoreTable) -> MeasureCorrelation:
    """Return the rank correlation of the measures, undefined for those that rank no runs."""
    means = table.means[: len(form.measures)].T
    return measure_correlation(means, [measure.direction for measure in form.measures])


def pair_of(request: UserRequest, names: list[str]) -> tuple[str, str] | None:
    """Return the two measures of the scatter plot: the requested ones, else the first two."""
    pair = [request.GET.get(word, "") for word in ("across", "up")]
    if pair[0] in names and pair[1] in names:
        return pair[0], pair[1]
    return (names[0], names[1]) if len(names) > 1 else None
