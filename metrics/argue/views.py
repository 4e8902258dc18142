"""ARGUE scores of a matching with a set of citations, for organisers and adjudicators, and their file."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import Matching, SupportSet
from metrics.argue.queries import found_argue, usable_sets
from metrics.nuggets.argue import COLUMNS
from metrics.views.file_responses import tsv_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


def sets_or_404(
    request: UserRequest, slug: str, number: int, *roles: Role
) -> tuple[Matching, list[SupportSet], SupportSet | None]:
    """Return a matching, the sets of citations to choose from, and the chosen one: the newest by default."""
    campaign = campaign_or_404(request.user, slug, *roles)
    matching = get_object_or_404(campaign.matchings.select_related("bank"), number=number)
    matching.campaign = campaign
    sets, asked = list(usable_sets(campaign)), request.GET.get("support", "")
    for each in sets:
        each.campaign = campaign
    chosen = next((each for each in sets if str(each.number) == asked), None)
    if asked and chosen is None:
        raise Http404("There is no such set with all citations.")
    return matching, sets, chosen or next(iter(sets), None)


@require_GET
def argue_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show sentence support, nugget coverage and F1 of the runs. ?support=: number of a set of citations."""
    matching, sets, chosen = sets_or_404(request, slug, number, Role.ADJUDICATOR)
    context = {
        "campaign": matching.campaign,
        "matching": matching,
        "sets": sets,
        "chosen": chosen,
        "result": found_argue(matching, chosen) if chosen else None,
        "is_organiser": Role.ORGANISER in matching.campaign.my_roles,
    }
    return render(request, "metrics/argue/argue_result.html", context)


@require_GET
def argue_scores_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the scores of topics with micro and macro averages, in the form of Auto-ARGUE."""
    matching, _, chosen = sets_or_404(request, slug, number, Role.ORGANISER)
    if chosen is None:
        raise Http404("There is no set with all citations.")
    name = f"{slug}-matching-{number}-support-{chosen.number}-argue.tsv"
    return tsv_file(COLUMNS, found_argue(matching, chosen).rows(), name)
