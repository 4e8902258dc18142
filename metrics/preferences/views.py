"""The results of preferences, for organisers and adjudicators, and their files, for organisers."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import PreferenceSet
from assess.preferences.queries.sets import sets_of
from metrics.preferences.queries import preference_result as result_of
from metrics.preferences.queries import qrels_lines, runs_by_compat, vote_lines
from metrics.views.file_responses import text_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


def set_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> PreferenceSet:
    campaign = campaign_or_404(request.user, slug, *roles)
    preference_set = get_object_or_404(campaign.preference_sets.select_related("release"), number=number)
    preference_set.campaign = preference_set.release.campaign = campaign
    return preference_set


@require_GET
def preference_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of preferences with how far they are."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    context = {
        "campaign": campaign,
        "sets": sets_of(campaign),
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/preferences/preference_result_list.html", context)


@require_GET
def preference_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the best documents of each finished topic, checks of the votes, and the runs by Compat."""
    preference_set = set_or_404(request, slug, number, Role.ADJUDICATOR)
    result = result_of(preference_set)
    context = {
        "campaign": preference_set.campaign,
        "set": preference_set,
        "result": result,
        "runs": runs_by_compat(request.user, preference_set, result),
        "is_organiser": Role.ORGANISER in preference_set.campaign.my_roles,
    }
    return render(request, "metrics/preferences/preference_result.html", context)


@require_GET
def preference_qrels(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the preference qrels of the finished topics."""
    preference_set = set_or_404(request, slug, number, Role.ORGANISER)
    return text_file("".join(qrels_lines(result_of(preference_set))), f"{slug}-preferences-{number}.qrels")


@require_GET
def preference_votes_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the votes, a line each."""
    preference_set = set_or_404(request, slug, number, Role.ORGANISER)
    return text_file("".join(vote_lines(preference_set)), f"{slug}-preferences-{number}-votes.txt")
