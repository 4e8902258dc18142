"""Comparisons of a few runs with a baseline."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics.forms import ComparisonForm
from metrics.queries.comparisons import Asked, comparison, every_test
from metrics.queries.scores import Field
from metrics.views.door import field_for, page_of, released, shared_by


@require_GET
def compare(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Two runs or more compared with a baseline, on one measure."""
    campaign, release = released(request, slug, number)
    form, table = compared_in(request, release)
    context = shared_by(campaign, release, form, table)
    if len(form.chosen) > 1:
        found = comparison(release, table, form.lead, asked(form, table))
        context |= {
            "found": found,
            "page": page_of(request, found.topics),
            "file_query": urlencode({"measures": form.lead.name}),
        }
    return render(request, "metrics/compare.html", context)


@require_GET
def other_tests(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """The same comparison by every test. A separate request, as some tests resample."""
    campaign, release = released(request, slug, number)
    form, table = compared_in(request, release)
    context = shared_by(campaign, release, form, table)
    if len(form.chosen) > 1:
        context["tests"] = every_test(table, form.lead, asked(form, table))
        context["others"] = [run for run in form.chosen if run.tag != form.baseline]
    return render(request, "metrics/_other_tests.html", context)


def compared_in(request: UserRequest, release: QrelsRelease) -> tuple[ComparisonForm, Field]:
    form = ComparisonForm(request.GET, release)
    table = field_for(request, release, form)
    form.choose(table.runs)
    return form, table


def asked(form: ComparisonForm, table: Field) -> Asked:
    tags, every = [run.tag for run in form.chosen], [run.tag for run in table.runs]
    return Asked(
        [every.index(tag) for tag in tags],
        tags.index(form.baseline),
        tags.index(form.against),
        form.chosen_test,
        form.chosen_correction,
        form.level,
    )
