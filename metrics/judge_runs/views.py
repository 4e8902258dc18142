"""Runs of machine judges, ranked by agreement with people and by the order of runs that they induce."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics.judge_runs.queries import KAPPA, ORDERS, JudgeRunRanking, JudgeRunRow, judge_run_ranking
from metrics.measures.base import Measure
from metrics.measures.names import usual_measures
from metrics.views.access import release_or_404
from pooling.spreadsheet import Table

LABEL_COLUMNS = (
    "tag", "group", "kind", "model", "after_release", "documents", "labelled", "kappa", "kappa_quadratic",
    "kappa_binary", "precision", "recall", "f1", "relevant_share", "relevant_share_of_people", "over_rating",
    "calibration_error",
)  # fmt: skip
ORDER_COLUMNS = ("tau", "tau_ap", "largest_drop", "dropped_run", "own_runs", "own_rank_change")


def requested_ranking(request: UserRequest, release: QrelsRelease) -> tuple[Measure, JudgeRunRanking]:
    """Return the measure that orders the runs, and the ranking in the requested order."""
    offered = {measure.name: measure for measure in usual_measures(len(release.campaign.scale))}
    measure = offered.get(request.GET.get("measure", ""), next(iter(offered.values())))
    order = request.GET.get("order", "")
    return measure, judge_run_ranking(request.user, release, measure, order if order in ORDERS else KAPPA)


@require_GET
def judge_runs(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = release_or_404(request, slug, number)
    wanted = request.GET.get("release", "")
    if wanted.isdecimal() and wanted != f"{number}":
        chosen = campaign.releases.visible_to(campaign).filter(number=wanted[:5]).first()
        if chosen:
            return redirect("metrics:judge_runs", slug, chosen.number)
    measure, ranking = requested_ranking(request, release)
    context = {
        "campaign": campaign,
        "release": release,
        "releases": campaign.releases.visible_to(campaign),
        "measure": measure,
        "measures": usual_measures(len(campaign.scale)),
        "ranking": ranking,
        "orders": {name: text for name, text in ORDERS.items() if ranking.sees_orders or name != "tau"},
        "query": urlencode({"measure": measure.name, "order": ranking.order}),
    }
    return render(request, "metrics/judge_runs/judge_runs.html", context)


@require_GET
def judge_runs_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """One row for each run of a machine judge, as on the page with the same query, with all digits."""
    _, release = release_or_404(request, slug, number)
    measure, ranking = requested_ranking(request, release)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-judge-runs-v{number}.csv"'
    rows = Table(response)
    orders = [f"{name}_{measure.name}" for name in ORDER_COLUMNS] if ranking.sees_orders else []
    rows.writerow([*LABEL_COLUMNS, *orders])
    for row in ranking.rows:
        rows.writerow([*_label_cells(row), *(_order_cells(row) if orders else ())])
    return response


def _label_cells(row: JudgeRunRow) -> Iterator[Any]:
    about, figures = row.judge_run, row.figures
    yield from (about.tag, about.group, about.kind, about.model, row.late or "")
    if figures is None:
        yield from ("",) * (len(LABEL_COLUMNS) - 5)
        return
    agreement = figures.agreement
    values = (
        agreement.documents, agreement.labelled,
        agreement.kappa.value, agreement.weighted.value, agreement.binary.value,
        agreement.table.precision, agreement.table.recall, agreement.table.f(),
        agreement.relevant_share, agreement.relevant_share_of_people,
        agreement.over_rating, agreement.calibration_error,
    )  # fmt: skip
    yield from ("" if value is None else value for value in values)


def _order_cells(row: JudgeRunRow) -> Iterator[Any]:
    if row.figures is None or row.figures.order is None:
        yield from ("",) * len(ORDER_COLUMNS)
        return
    order = row.figures.order
    values = order.tau.value, order.tau_ap.value, order.drop, row.dropped, order.own, order.own_change
    yield from ("" if value is None else value for value in values)
