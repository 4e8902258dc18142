"""The results of matchings, for organisers and adjudicators, and their files, for organisers."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.matchings.queries.tasks import matchings_of
from assess.matchings.words import LABELS
from assess.models import Matching
from assess.nuggets.assignments import write_assignments
from metrics.matchings.queries import (
    LABEL_COLUMNS,
    assigned_answers,
    found_result,
    label_rows,
    score_columns,
    score_rows,
)
from metrics.views.file_responses import text_file, tsv_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


def matching_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> Matching:
    campaign = campaign_or_404(request.user, slug, *roles)
    matching = get_object_or_404(campaign.matchings.select_related("bank"), number=number)
    matching.campaign = campaign
    return matching


@require_GET
def matching_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the matchings."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    context = {
        "campaign": campaign,
        "matchings": matchings_of(campaign),
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/matchings/matching_result_list.html", context)


@require_GET
def matching_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the scores of the runs, agreement of two judges, and which nuggets separate answers."""
    matching = matching_or_404(request, slug, number, Role.ADJUDICATOR)
    result = found_result(matching)
    context = {
        "campaign": matching.campaign,
        "set": matching,
        "title": "Nugget scores",
        "noun": "score",
        "result": result,
        "values": [LABELS[value] for value in result.agreement.values],
        "matrix": [(LABELS[value], cells, total) for value, cells, total in result.agreement.rows],
        "is_organiser": Role.ORGANISER in matching.campaign.my_roles,
    }
    return render(request, "metrics/matchings/matching_result.html", context)


@require_GET
def matching_assignments_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the labels in the form of AutoNuggetizer, an answer a line."""
    matching = matching_or_404(request, slug, number, Role.ORGANISER)
    content = write_assignments(assigned_answers(matching)).decode()
    return text_file(content, f"{slug}-matching-{number}-assignments.jsonl", "application/jsonl")


@require_GET
def matching_scores_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the scores, a line for each answer."""
    matching = matching_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(score_columns(matching), score_rows(matching), f"{slug}-matching-{number}-scores.tsv")


@require_GET
def matching_labels_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the labels of all judges, a line for each."""
    matching = matching_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(LABEL_COLUMNS, label_rows(matching), f"{slug}-matching-{number}-labels.tsv")
