from __future__ import annotations

import io
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, request_key
from assess.clicks import tasks
from assess.clicks.forms import MODEL_NAMES, SHARES, ClickJudgeForm, ClickLogForm
from assess.clicks.queries import (
    LEAST_COMMON,
    LEAST_IMPRESSIONS,
    click_agreement,
    clicked_documents,
    documents_by_value,
    log_warnings,
    rank_rates,
)
from assess.clicks.services import (
    ClickGrades,
    bundle,
    create_click_judge,
    load_click_log,
    log_details,
    thresholds_like_people,
    unpacked_files,
)
from assess.models import ClickLog
from pooling.formats.files import BadFile
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404, unfinished_jobs
from pooling.services.files import read_upload
from pooling.services.jobs import start_job
from pooling.spreadsheet import Table

DOCUMENTS_A_PAGE = 50
RANKS_SHOWN = 20
COLUMNS = "topic", "docno", "impressions", "clicks", "coec", "sdbn", "pbm"


@get_or_post
def click_log_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the click logs. A POST loads another one, or begins a job that loads a large one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = ClickLogForm(request.POST or None, request.FILES or None)
    refused = None
    if request.method == "POST" and form.is_valid():
        try:
            loaded = load_or_start(request, campaign, form.cleaned_data)
        except BadFile as error:
            refused = error
        else:
            if isinstance(loaded, ClickLog):
                messages.success(request, f"{loaded} is loaded.")
                return redirect("assess:click_log", slug, loaded.number)
            return redirect("assess:click_log_list", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refused,
        "logs": campaign.click_logs.select_related("loaded_by"),
        "jobs": unfinished_jobs(campaign, tasks.load_clicks),
    }
    return render(request, "assess/clicks/click_log_list.html", context)


def load_or_start(request: UserRequest, campaign: Campaign, data: dict[str, Any]) -> ClickLog | Job:
    """Load the files of a form, or start the job that loads large ones. Raises BadFile."""
    files = [(file.name or "", file) for file in data["file"]]
    mapping = read_upload(data["mapping"]) if data["mapping"] else b""
    details, key = log_details(files, data["least_people"]), request_key(request)
    if sum(file.size for _, file in files) > settings.BACKGROUND_BYTES:
        title = f"Load the click log {files[0][0]}"
        with bundle(files, mapping) as packed:
            return start_job(campaign, request.user, tasks.load_clicks, title, details._asdict(), packed, key)
    return load_click_log(campaign, request.user, unpacked_files(files), mapping, details, key=key)


@get_or_post
def click_log(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show what was read of a click log. A POST stores a machine judge with labels from it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    log = get_object_or_404(campaign.click_logs.select_related("campaign", "loaded_by"), number=number)
    form = ClickJudgeForm(request.POST or None, grades=len(campaign.grades))
    refused = None
    if request.method == "POST" and form.is_valid():
        refused = create_judge(request, log, form.cleaned_data)
        if refused is None:
            return redirect("assess:machine_list", slug)
    order = request.GET.get("by", "")
    order = order if order in MODEL_NAMES else "coec"
    pages = Paginator(documents_by_value(log, order), DOCUMENTS_A_PAGE)
    context = {
        "campaign": campaign,
        "log": log,
        "form": form,
        "refused": refused,
        "models": MODEL_NAMES,
        "order": order,
        "page": pages.get_page(request.GET.get("page")),
        "rates": rank_rates(log)[:RANKS_SHOWN],
        "more_ranks": max(0, len(log.rates) - RANKS_SHOWN),
        "warnings": log_warnings(log),
        "agreement": click_agreement(log),
        "least_common": LEAST_COMMON,
        "least_impressions": LEAST_IMPRESSIONS,
    }
    return render(request, "assess/clicks/click_log.html", context)


def create_judge(request: UserRequest, log: ClickLog, data: dict[str, Any]) -> BadFile | None:
    model, least = data["model"], data["least_impressions"]
    try:
        thresholds = (
            thresholds_like_people(log, model, least) if data["cut"] == SHARES else data["thresholds"]
        )
        machine = create_click_judge(log, request.user, ClickGrades(data["name"], model, least, thresholds))
    except BadFile as error:
        return error
    labels = machine.user.judgments.count()
    messages.success(request, f"{labels:,} label{pluralize(labels)} of {machine} stored.")
    return None


@require_GET
def click_log_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send impressions, clicks and values of every document of a log."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    log = get_object_or_404(campaign.click_logs, number=number)
    content = io.StringIO()
    rows = Table(content)
    rows.writerow(COLUMNS)
    fields = "pooled__topic__number", "pooled__docno", *COLUMNS[2:]
    rows.writerows(clicked_documents(log).values_list(*fields))
    name = f"{slug}-click-log-{log.number}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content.getvalue(), "text/csv; charset=utf-8", headers=headers)
