"""Interleaving of two runs: lists for users, and what their clicks say. For organisers only."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, request_key
from metrics.interleaving.forms import ClicksForm, InterleavingForm
from metrics.interleaving.lists import as_csv
from metrics.interleaving.queries import (
    interleaving_plan_of,
    interleaving_result,
    interleavings_with_clicks,
    lists_of,
)
from metrics.interleaving.services import InterleavingRefused, create_interleaving, load_clicks
from metrics.models import Interleaving
from metrics.views.file_responses import file_response
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload
from pooling.spreadsheet import Table


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
    sessions = sum(counts[0] for counts in stored.counts.values())
    messages.success(request, f"{sessions:,} session{pluralize(sessions)} counted. The file is not stored.")
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
    text = as_csv(interleaving_plan_of(compared), lists_of(compared))
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
