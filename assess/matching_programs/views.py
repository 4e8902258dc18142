"""Programs for matchings. Organisers make them, send their requests elsewhere and load the results."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.machines.batch import MOST_LINES
from assess.matching_programs.forms import MatchingProgramForm
from assess.matching_programs.queries.labels import loads_of, programs_of, progress_of, unreadable_labels
from assess.matching_programs.queries.requests import cells_of, request_lines
from assess.matching_programs.services import create_program, load_results, withdraw_load
from assess.models import MatchingProgram
from pooling.formats.files import BadFile
from pooling.forms.files import FileForm
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed

REPLIES_A_PAGE = 50


@get_or_post
def matching_program_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the programs of a campaign. A POST makes one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = MatchingProgramForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            stored = create_program(campaign, request.user, form.asked(), request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("assess:matching_program", slug, stored.number)
    context = {
        "campaign": campaign,
        "form": form,
        "programs": programs_of(campaign),
        "has_matchings": campaign.matchings.exists(),
    }
    return render(request, "assess/matching_programs/matching_program_list.html", context)


def program_or_404(request: UserRequest, slug: str, number: int) -> MatchingProgram:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    programs = campaign.matching_programs.select_related("matching__bank", "made_by")
    found = get_object_or_404(programs, number=number)
    found.campaign = campaign
    return found


@get_or_post
def matching_program(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a program, its files, and replies without a label. A POST loads a file of results."""
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
            return redirect("assess:matching_program", slug, number)
    progress = progress_of(found, sum(cell.is_standing for cell in cells_of(found.matching)))
    replies = Paginator(unreadable_labels(progress), REPLIES_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": found.campaign,
        "program": found,
        "form": form,
        "refused": refused,
        "progress": progress,
        "replies": replies,
        "loads": loads_of(found),
        "most_requests": MOST_LINES,
    }
    return render(request, "assess/matching_programs/matching_program.html", context)


@require_GET
def matching_program_requests(request: UserRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Send the requests that have no readable label yet, as JSON Lines."""
    found = program_or_404(request, slug, number)
    name = f"{slug}-matching-program-{number}-prompt-{found.prompt_version}.jsonl"
    return StreamingHttpResponse(
        request_lines(found),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@post_from("assess:matching_program", "number")
def matching_program_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then withdraw a file of results."""
    found = program_or_404(request, slug, number)
    load = get_object_or_404(loads_of(found), pk=pk)
    if not is_confirmed(request):
        page = "assess/matching_programs/confirm/matching_program_withdraw.html"
        return confirmation_page(request, found.campaign, page, program=found, load=load)
    try:
        withdraw_load(load, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{load} is withdrawn. Its labels count nowhere.")
    return redirect("assess:matching_program", slug, number)
