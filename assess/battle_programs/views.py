"""Programs for battles. Organisers make them, send their requests elsewhere and load the results."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.battle_programs.forms import BattleProgramForm
from assess.battle_programs.queries.requests import orders_of, request_lines
from assess.battle_programs.queries.votes import loads_of, programs_of, progress_of, unreadable_votes
from assess.battle_programs.services import create_program, load_results, withdraw_load
from assess.models import BattleProgram
from pooling.formats.files import BadFile
from pooling.forms.files import FileForm
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed

REPLIES_A_PAGE = 50


@get_or_post
def battle_program_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the programs of a campaign. A POST makes one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = BattleProgramForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            stored = create_program(campaign, request.user, form.asked(), request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("assess:battle_program", slug, stored.number)
    context = {
        "campaign": campaign,
        "form": form,
        "programs": programs_of(campaign),
        "has_battles": campaign.battle_sets.exists(),
    }
    return render(request, "assess/battle_programs/battle_program_list.html", context)


def program_or_404(request: UserRequest, slug: str, number: int) -> BattleProgram:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    programs = campaign.battle_programs.select_related("battle_set", "made_by")
    found = get_object_or_404(programs, number=number)
    found.campaign = campaign
    return found


@get_or_post
def battle_program(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a program, its files, and replies without a choice. A POST loads a file of results."""
    found = program_or_404(request, slug, number)
    form, refused = FileForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            loaded = load_results(found, request.user, read_upload(file), file.name)
        except BadFile as error:
            refused = error
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, str(loaded))
            return redirect("assess:battle_program", slug, number)
    progress = progress_of(found, sum(order.is_standing for order in orders_of(found).values()))
    replies = Paginator(unreadable_votes(progress), REPLIES_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": found.campaign,
        "program": found,
        "form": form,
        "refused": refused,
        "progress": progress,
        "replies": replies,
        "loads": loads_of(found),
    }
    return render(request, "assess/battle_programs/battle_program.html", context)


@require_GET
def battle_program_requests(request: UserRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Send the requests that have no readable vote yet, as JSON Lines."""
    found = program_or_404(request, slug, number)
    name = f"{slug}-battle-program-{number}.jsonl"
    return StreamingHttpResponse(
        request_lines(found),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@post_from("assess:battle_program", "number")
def battle_program_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then withdraw a file of results."""
    found = program_or_404(request, slug, number)
    load = get_object_or_404(loads_of(found), pk=pk)
    if not is_confirmed(request):
        page = "assess/battle_programs/confirm/battle_program_withdraw.html"
        return confirmation_page(request, found.campaign, page, program=found, load=load)
    try:
        withdraw_load(load, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{load} is withdrawn. Its votes count nowhere.")
    return redirect("assess:battle_program", slug, number)
