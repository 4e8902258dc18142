"""The results of gradings, for organisers and adjudicators, and their files, for organisers."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.gradings.queries.tasks import gradings_of
from assess.models import Grading
from metrics.gradings.queries import COLUMNS, found_grades, grade_rows
from metrics.views.file_responses import tsv_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


def grading_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> Grading:
    campaign = campaign_or_404(request.user, slug, *roles)
    grading = get_object_or_404(campaign.gradings.prefetch_related("criteria"), number=number)
    grading.campaign = campaign
    return grading


@require_GET
def grading_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the gradings with how far they are."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    context = {
        "campaign": campaign,
        "gradings": gradings_of(campaign),
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/gradings/grading_result_list.html", context)


@require_GET
def grading_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the means of the runs by each criterion, agreement, and how alike the criteria order runs."""
    grading = grading_or_404(request, slug, number, Role.ADJUDICATOR)
    context = {
        "campaign": grading.campaign,
        "grading": grading,
        "found": found_grades(grading),
        "is_organiser": Role.ORGANISER in grading.campaign.my_roles,
    }
    return render(request, "metrics/gradings/grading_result.html", context)


@require_GET
def grading_grades_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the grades, a line for each criterion of each answer."""
    grading = grading_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(COLUMNS, grade_rows(grading), f"{slug}-grading-{number}-grades.tsv")
