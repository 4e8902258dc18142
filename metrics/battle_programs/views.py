"""The results of programs on battles, for organisers and adjudicators."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.battle_programs.queries.votes import programs_of
from assess.battle_programs.services import FILES
from metrics.battle_programs.queries import result_of
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@require_GET
def battle_program_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the programs of a campaign with their votes."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    context = {
        "campaign": campaign,
        "title": "Program results",
        "files": FILES,
        "programs": programs_of(campaign),
        "page_url": "metrics:battle_program_result",
        "setup_url": "assess:battle_program_list",
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/battle_programs/battle_program_result_list.html", context)


@require_GET
def battle_program_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a program beside people. With `prior=on`, strengths have a prior."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    programs = campaign.battle_programs.select_related("battle_set")
    program = get_object_or_404(programs, number=number)
    program.campaign = campaign
    prior = request.GET.get("prior") == "on"
    context = {
        "campaign": campaign,
        "program": program,
        "result": result_of(program, prior),
        "prior": prior,
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/battle_programs/battle_program_result.html", context)
