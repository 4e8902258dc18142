"""Generalisability of a release: its G and D study on a measure, as a page and as a file."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.generalisability.queries import COLUMNS, collection_study
from metrics.queries.comparisons import caution_of
from metrics.views.access import release_or_404, requested_scores, shared_context
from metrics.views.file_responses import tsv_file

LEFT_OUT = {"0": "all", "0.25": "without the lowest quarter"}


def asked_of(request: UserRequest, slug: str, number: int) -> dict[str, Any]:
    """Return the context of what the address asks for; `found` only with two runs or more."""
    campaign, release = release_or_404(request, slug, number)
    form, table = requested_scores(request, release)
    leave_out = request.GET.get("leave_out", "0")
    leave_out = leave_out if leave_out in LEFT_OUT else "0"
    context = shared_context(campaign, release, form, table)
    context |= {"leave_out": leave_out, "choices": LEFT_OUT, "caution": caution_of(form.lead)}
    if len(table.runs) > 1:
        context["found"] = collection_study(table, form.lead, float(leave_out))
    return context


@require_GET
def generalisability(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show how many topics a stable order of the runs needs."""
    context = asked_of(request, slug, number)
    return render(request, "metrics/generalisability/generalisability.html", context)


@require_GET
def generalisability_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the stability by number of topics, with all digits."""
    study = asked_of(request, slug, number).get("found")
    return tsv_file(COLUMNS, study.rows if study else [], f"{slug}-generalisability-v{number}.tsv")
