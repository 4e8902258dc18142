"""Programs for matchings. Organisers make them, send their requests elsewhere and load the results."""

from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from assess.machines.batch import MOST_LINES
from assess.machines.views.program_pages import (
    list_page,
    load_from,
    program_page,
    requests_file,
    withdraw_page,
)
from assess.matching_programs.forms import MatchingProgramForm
from assess.matching_programs.queries.labels import loads_of, programs_of, progress_of, unreadable_labels
from assess.matching_programs.queries.requests import cells_of, request_lines
from assess.matching_programs.services import FILES, create_program
from assess.models import MatchingProgram
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@get_or_post
def matching_program_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the programs of a campaign. A POST makes one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = MatchingProgramForm(request.POST or None, campaign=campaign)
    context = {
        "campaign": campaign,
        "title": "Matching programs",
        "files": FILES,
        "programs": programs_of(campaign),
        "has_sets": campaign.matchings.exists(),
    }

    def create(key: str) -> MatchingProgram:
        return create_program(campaign, request.user, form.asked(), key)

    template = "assess/matching_programs/matching_program_list.html"
    return list_page(request, form, create, "assess:matching_program", template, context)


def program_or_404(request: UserRequest, slug: str, number: int) -> MatchingProgram:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    programs = campaign.matching_programs.select_related("matching__bank", "made_by")
    program = get_object_or_404(programs, number=number)
    program.campaign = campaign
    return program


@get_or_post
def matching_program(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a program, its files, and replies without a label. A POST loads a file of results."""
    program = program_or_404(request, slug, number)
    context = load_from(request, FILES, program, "assess:matching_program")
    if isinstance(context, HttpResponse):
        return context
    progress = progress_of(program, sum(cell.is_standing for cell in cells_of(program.matching)))
    context |= {"progress": progress, "loads": loads_of(program), "most_requests": MOST_LINES}
    page = "assess/matching_programs/matching_program.html"
    return program_page(request, page, unreadable_labels(progress), context)


@require_GET
def matching_program_requests(request: UserRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Send the requests that have no readable label yet, as JSON Lines."""
    program = program_or_404(request, slug, number)
    return requests_file(
        request_lines(program), f"{slug}-matching-program-{number}-prompt-{program.prompt_version}.jsonl"
    )


@post_from("assess:matching_program", "number")
def matching_program_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then withdraw a file of results."""
    program = program_or_404(request, slug, number)
    return withdraw_page(request, FILES, program, loads_of(program), pk, "assess:matching_program")
