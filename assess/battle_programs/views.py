"""Programs for battles. Organisers make them, send their requests elsewhere and load the results."""

from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from assess.battle_programs.forms import BattleProgramForm
from assess.battle_programs.queries.requests import orders_of, request_lines
from assess.battle_programs.queries.votes import loads_of, programs_of, progress_of, unreadable_votes
from assess.battle_programs.services import FILES, create_program
from assess.machines.views.program_pages import (
    list_page,
    load_from,
    program_page,
    requests_file,
    withdraw_page,
)
from assess.models import BattleProgram
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@get_or_post
def battle_program_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the programs of a campaign. A POST makes one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = BattleProgramForm(request.POST or None, campaign=campaign)
    context = {
        "campaign": campaign,
        "title": "Battle programs",
        "files": FILES,
        "programs": programs_of(campaign),
        "has_sets": campaign.battle_sets.exists(),
    }

    def create(key: str) -> BattleProgram:
        return create_program(campaign, request.user, form.asked(), key)

    template = "assess/battle_programs/battle_program_list.html"
    return list_page(request, form, create, "assess:battle_program", template, context)


def program_or_404(request: UserRequest, slug: str, number: int) -> BattleProgram:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    programs = campaign.battle_programs.select_related("battle_set", "made_by")
    program = get_object_or_404(programs, number=number)
    program.campaign = campaign
    return program


@get_or_post
def battle_program(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a program, its files, and replies without a choice. A POST loads a file of results."""
    program = program_or_404(request, slug, number)
    context = load_from(request, FILES, program, "assess:battle_program")
    if isinstance(context, HttpResponse):
        return context
    progress = progress_of(program, sum(order.is_standing for order in orders_of(program).values()))
    context |= {"progress": progress, "loads": loads_of(program)}
    page = "assess/battle_programs/battle_program.html"
    return program_page(request, page, unreadable_votes(progress), context)


@require_GET
def battle_program_requests(request: UserRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Send the requests that have no readable vote yet, as JSON Lines."""
    program = program_or_404(request, slug, number)
    return requests_file(request_lines(program), f"{slug}-battle-program-{number}.jsonl")


@post_from("assess:battle_program", "number")
def battle_program_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then withdraw a file of results."""
    program = program_or_404(request, slug, number)
    return withdraw_page(request, FILES, program, loads_of(program), pk, "assess:battle_program")
