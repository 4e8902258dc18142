"""Interleaving of two runs: lists for users, and what their clicks say. For organisers only."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.forms.sources import DescriptionForm, SourceWithdrawalForm
from metrics.interleaving.forms import ClicksForm, InterleavingForm
from metrics.interleaving.lists import as_csv
from metrics.interleaving.queries import interleaving_result, interleavings_with_clicks, lists_of, plan_of
from metrics.interleaving.services import (
    ClicksRefused,
    InterleavingRefused,
    create_interleaving,
    describe_clicks,
    load_clicks,
    restore_clicks,
    withdraw_clicks,
)
from metrics.models import Interleaving, InterleavingClicks
from metrics.views.file_responses import file_response
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload
from pooling.spreadsheet import Table
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time


@get_or_post
def interleaving_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the comparisons by interleaving. A POST merges the lists of another one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = InterleavingForm(request.POST or None, campaign=campaign, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            stored = create_interleaving(campaign, request.user, form.asked(), request_key(request))
        except InterleavingRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, f"{stored.list_count:,} list{pluralize(stored.list_count)} can be downloaded."
            )
            if left_out := len(stored.parameters["left_out"]):
                text = f"{left_out:,} topic{pluralize(left_out)} skipped"
                messages.warning(request, f"{text}: no list could show a difference between the runs.")
            return redirect("metrics:interleaving", slug, stored.number)
    context = {"campaign": campaign, "form": form, "interleavings": interleavings_with_clicks(campaign)}
    return render(request, "metrics/interleaving/interleaving_list.html", context)


@get_or_post
def interleaving(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show one comparison. A POST loads a file of clicks."""
    campaign, compared = interleaving_or_404(request, slug, number)
    form, refused = ClicksForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        refused = submit_clicks(request, compared, form)
        if refused is None:
            return redirect("metrics:interleaving", slug, number)
    result = interleaving_result(compared, campaign)
    context = {"campaign": campaign, "compared": compared, "form": form, "refused": refused, "result": result}
    return render(request, "metrics/interleaving/interleaving.html", context)


def submit_clicks(request: UserRequest, compared: Interleaving, form: ClicksForm) -> BadFile | None:
    file = form.cleaned_data["file"]
    try:
        stored = load_clicks(compared, request.user, read_upload(file), file.name)
    except BadFile as error:
        return error
    count = stored.sessions
    messages.success(request, f"{count:,} session{pluralize(count)} counted. The file is not stored.")
    return None


@require_GET
def interleaving_lists(request: UserRequest, slug: str, number: int, form: str) -> HttpResponseBase:
    """Send the merged lists, as JSON Lines or CSV."""
    _, compared = interleaving_or_404(request, slug, number)
    name = f"{slug}-interleaving-{number}.{form}"
    if form == "jsonl":
        with compared.file.open("rb") as file:
            content = file.read()
        return file_response(request, [content], name, "application/jsonl; charset=utf-8", compared.sha256)
    if form != "csv":
        raise Http404("There is no such file format of lists.")
    text = as_csv(plan_of(compared), lists_of(compared))
    return file_response(request, [text.encode()], name, "text/csv; charset=utf-8", f"csv {compared.sha256}")


@require_GET
def interleaving_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the outcomes by topic as CSV."""
    campaign, compared = interleaving_or_404(request, slug, number)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{slug}-interleaving-{number}-results.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    rows = Table(response)
    rows.writerow(
        ["topic", "run_a", "run_b", "sessions", "sessions_with_clicks", "wins_a", "wins_b", "ties", "delta"]
    )
    tags = compared.run_a.tag, compared.run_b.tag
    for line in interleaving_result(compared, campaign).lines:
        rows.writerow([line.topic.number, *tags, *line.counts[:5], line.delta])
    return response


def interleaving_or_404(request: UserRequest, slug: str, number: int) -> tuple[Campaign, Interleaving]:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    known = campaign.interleavings.select_related("run_a", "run_b")
    compared = get_object_or_404(known, number=number)
    compared.campaign = compared.run_a.campaign = compared.run_b.campaign = campaign
    return campaign, compared


def clicks_or_404(request: UserRequest, slug: str, number: int, pk: int) -> InterleavingClicks:
    """Return a file of clicks for an organiser; raise Http404 otherwise."""
    _, compared = interleaving_or_404(request, slug, number)
    known = compared.clicks.select_related("loaded_by", "withdrawn_by")
    clicks = get_object_or_404(known, pk=pk)
    clicks.interleaving = compared
    return clicks


def clicks_page(request: UserRequest, clicks: InterleavingClicks, **context: Any) -> HttpResponse:
    about = {
        "campaign": clicks.interleaving.campaign,
        "compared": clicks.interleaving,
        "clicks": clicks,
        "form": DescriptionForm(initial={"name": clicks.name, "note": clicks.note}),
        "withdrawal": SourceWithdrawalForm(),
        "replacement": ClicksForm(),
    }
    return render(request, "metrics/interleaving/interleaving_clicks.html", about | context)


@get_or_post
@one_at_a_time
def interleaving_clicks(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Show a file of clicks. A POST renames it or describes it again."""
    clicks = clicks_or_404(request, slug, number, pk)
    if request.method != "POST":
        return clicks_page(request, clicks)
    form = DescriptionForm(request.POST, initial={"name": clicks.name, "note": clicks.note})
    if not form.is_valid():
        return clicks_page(request, clicks, form=form)
    describe_clicks(clicks, request.user, **form.cleaned_data)
    messages.success(request, "The description is saved.")
    return redirect("metrics:interleaving_clicks", slug, number, pk)


@post_from("metrics:interleaving_clicks", "number", "pk")
def interleaving_clicks_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then take the sessions of a file out of the figures of its comparison."""
    clicks = clicks_or_404(request, slug, number, pk)
    form = SourceWithdrawalForm(request.POST)
    if not form.is_valid():
        return clicks_page(request, clicks, withdrawal=form)
    if not is_confirmed(request):
        template = "metrics/interleaving/confirm/interleaving_clicks_withdraw.html"
        return confirmation_page(request, clicks.interleaving.campaign, "Scores", template, clicks=clicks)
    try:
        withdraw_clicks(clicks, request.user, form.cleaned_data["reason"])
    except ClicksRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{clicks} are withdrawn.")
    return redirect("metrics:interleaving_clicks", slug, number, pk)


@require_POST
def interleaving_clicks_restore(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Let the sessions of a withdrawn file count again."""
    clicks = clicks_or_404(request, slug, number, pk)
    try:
        restore_clicks(clicks, request.user)
    except ClicksRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{clicks} count again.")
    return redirect("metrics:interleaving_clicks", slug, number, pk)


@post_from("metrics:interleaving_clicks", "number", "pk")
def interleaving_clicks_replace(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Load a newer file of clicks, and withdraw the older one."""
    clicks = clicks_or_404(request, slug, number, pk)
    form, refused = ClicksForm(request.POST, request.FILES), None
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            newer = load_clicks(
                clicks.interleaving, request.user, read_upload(file), file.name or "", replaces=clicks
            )
        except BadFile as error:
            refused = error
        except ClicksRefused as error:
            messages.warning(request, str(error))
            return redirect("metrics:interleaving_clicks", slug, number, pk)
        else:
            messages.success(request, "The newer file is counted; the older is withdrawn.")
            return redirect("metrics:interleaving_clicks", slug, number, newer.pk)
    return clicks_page(request, clicks, replacement=form, refused=refused)
