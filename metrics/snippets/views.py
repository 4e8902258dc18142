"""The results of snippets, for organisers and adjudicators, and their file, for organisers."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import SnippetSet
from metrics.snippets.queries import (
    GRADE_COLUMNS,
    agreement_rows,
    found_result,
    grade_rows,
    named_coefficients,
    set_lines,
    table_rows,
)
from metrics.views.file_responses import tsv_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404

RESULTS_A_PAGE = 50


def set_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> SnippetSet:
    campaign = campaign_or_404(request.user, slug, *roles)
    snippet_set = get_object_or_404(campaign.snippet_sets.select_related("run"), number=number)
    snippet_set.campaign = campaign
    return snippet_set


@require_GET
def snippet_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of snippets, with what they say of their runs."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    is_organiser = Role.ORGANISER in campaign.my_roles
    context = {"campaign": campaign, "lines": set_lines(campaign), "is_organiser": is_organiser}
    return render(request, "metrics/snippets/snippet_result_list.html", context)


@require_GET
def snippet_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show how grades of snippets and of documents agree, and what a user would miss or click in vain."""
    about = set_or_404(request, slug, number, Role.ADJUDICATOR)
    result = found_result(about)
    totals = [sum(column) for column in zip(*result.figures.table, strict=True)]
    results = [each for each in result.results if each.snippet is not None]
    doubled, no_interval = agreement_rows(result.figures)
    context = {
        "campaign": about.campaign,
        "set": about,
        "doubled": doubled,
        "no_interval": no_interval,
        "figures": result.figures,
        "rows": table_rows(about, result.figures),
        "totals": totals,
        "coefficients": named_coefficients(result.figures),
        "page": Paginator(results, RESULTS_A_PAGE).get_page(request.GET.get("page")),
        "is_organiser": Role.ORGANISER in about.campaign.my_roles,
    }
    return render(request, "metrics/snippets/snippet_result.html", context)


@require_GET
def snippet_grades_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the grades of all judges, a line for each."""
    about = set_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(GRADE_COLUMNS, grade_rows(about), f"{slug}-snippets-{number}-grades.tsv")
