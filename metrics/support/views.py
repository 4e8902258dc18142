"""The results of citation support, for organisers and adjudicators, and their files, for organisers."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import SupportSet
from assess.support.labels import LABELS, SupportWord
from assess.support.queries.tasks import sets_of
from metrics.support.queries import LABEL_COLUMNS, found_result, label_rows, score_columns, score_rows
from metrics.views.file_responses import tsv_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


def set_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> SupportSet:
    campaign = campaign_or_404(request.user, slug, *roles)
    support_set = get_object_or_404(campaign.support_sets.all(), number=number)
    support_set.campaign = campaign
    return support_set


@require_GET
def support_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of citations."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    is_organiser = Role.ORGANISER in campaign.my_roles
    context = {"campaign": campaign, "sets": sets_of(campaign), "is_organiser": is_organiser}
    return render(request, "metrics/support/support_result_list.html", context)


@require_GET
def support_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show precision and recall of the runs, and agreement of two judges."""
    support_set = set_or_404(request, slug, number, Role.ADJUDICATOR)
    result = found_result(support_set)
    words = {value: LABELS[SupportWord(value.value)] for value in result.agreement.values}
    context = {
        "campaign": support_set.campaign,
        "set": support_set,
        "title": "Support scores",
        "result": result,
        "values": list(words.values()),
        "matrix": [(words[value], cells, total) for value, cells, total in result.agreement.rows],
        "is_organiser": Role.ORGANISER in support_set.campaign.my_roles,
    }
    return render(request, "metrics/support/support_result.html", context)


@require_GET
def support_scores_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the scores, a line for each answer."""
    support_set = set_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(
        score_columns(support_set), score_rows(support_set), f"{slug}-support-{number}-scores.tsv"
    )


@require_GET
def support_labels_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the labels of all judges, a line for each."""
    support_set = set_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(LABEL_COLUMNS, label_rows(support_set), f"{slug}-support-{number}-labels.tsv")
