from __future__ import annotations

import io
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.clicks import tasks
from assess.clicks.forms import MODEL_NAMES, SHARES, ClickJudgeForm, ClickLogForm
from assess.clicks.queries import (
    LEAST_COMMON,
    LEAST_IMPRESSIONS,
    click_agreement,
    clicked_documents,
    documents_by_value,
    labels_made,
    log_warnings,
    rank_rates,
)
from assess.clicks.services.labels import ClickGrades, create_click_judge, thresholds_like_people
from assess.clicks.services.loading import bundle, load_click_log, log_details, unpacked_files
from assess.clicks.services.withdrawals import (
    ClickLogRefused,
    check_standing,
    describe_click_log,
    restore_click_log,
    withdraw_click_log,
)
from assess.forms.sources import DescriptionForm, SourceWithdrawalForm
from assess.models import ClickLog
from assess.queries.sources import releases_with
from assess.services.sources import SourceRefused
from pooling.formats.files import BadFile
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404, unfinished_jobs
from pooling.services.files import read_upload
from pooling.services.jobs import start_job
from pooling.spreadsheet import Table
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time

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


def load_or_start(
    request: UserRequest, campaign: Campaign, data: dict[str, Any], replaces: int | None = None
) -> ClickLog | Job:
    """Load the files of a form, or start the job that loads large ones. Raises what `load_click_log` does."""
    files = [(file.name or "", file) for file in data["file"]]
    mapping = read_upload(data["mapping"]) if data["mapping"] else b""
    details, key = log_details(files, data["least_people"], replaces), request_key(request)
    if sum(file.size for _, file in files) > settings.BACKGROUND_BYTES:
        title = f"Load the click log {files[0][0]}"
        with bundle(files, mapping) as packed:
            return start_job(campaign, request.user, tasks.load_clicks, title, details._asdict(), packed, key)
    return load_click_log(campaign, request.user, unpacked_files(files), mapping, details, key=key)


def log_or_404(request: UserRequest, slug: str, number: int) -> ClickLog:
    """Return a click log for an organiser; raise Http404 otherwise."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    logs = campaign.click_logs.select_related("loaded_by", "withdrawn_by")
    log = get_object_or_404(logs, number=number)
    log.campaign = campaign
    return log


def click_log_page(request: UserRequest, log: ClickLog, **context: Any) -> HttpResponse:
    order = request.GET.get("by", "")
    order = order if order in MODEL_NAMES else "coec"
    pages = Paginator(documents_by_value(log, order), DOCUMENTS_A_PAGE)
    about = {
        "campaign": log.campaign,
        "log": log,
        "labels": labels_made(log),
        "form": ClickJudgeForm(grades=len(log.campaign.grades)),
        "description": DescriptionForm(initial={"name": log.name, "note": log.note}),
        "withdrawal": SourceWithdrawalForm(),
        "replacement": ClickLogForm(initial={"least_people": log.parameters["least_people"]}),
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
    return render(request, "assess/clicks/click_log.html", about | context)


@get_or_post
def click_log(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show what was read of a click log. A POST stores a machine judge with labels from it."""
    log = log_or_404(request, slug, number)
    if request.method != "POST":
        return click_log_page(request, log)
    form, refused = ClickJudgeForm(request.POST, grades=len(log.campaign.grades)), None
    if form.is_valid():
        try:
            create_judge(request, log, form.cleaned_data)
        except BadFile as error:
            refused = error
        except ClickLogRefused as error:
            messages.warning(request, str(error))
            return redirect("assess:click_log", slug, number)
        else:
            return redirect("assess:machine_list", slug)
    return click_log_page(request, log, form=form, refused=refused)


def create_judge(request: UserRequest, log: ClickLog, data: dict[str, Any]) -> None:
    """Store the machine judge of a form. Raises what `create_click_judge` and `thresholds_like_people` do."""
    model, least = data["model"], data["least_impressions"]
    thresholds = thresholds_like_people(log, model, least) if data["cut"] == SHARES else data["thresholds"]
    machine = create_click_judge(log, request.user, ClickGrades(data["name"], model, least, thresholds))
    labels = machine.user.judgments.count()
    messages.success(request, f"{labels:,} label{pluralize(labels)} of {machine} stored.")


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


@post_from("assess:click_log", "number")
@one_at_a_time
def click_log_describe(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Save the name and the note of a click log."""
    log = log_or_404(request, slug, number)
    form = DescriptionForm(request.POST, initial={"name": log.name, "note": log.note})
    if not form.is_valid():
        return click_log_page(request, log, description=form)
    describe_click_log(log, request.user, **form.cleaned_data)
    messages.success(request, "The description is saved.")
    return redirect("assess:click_log", slug, number)


@post_from("assess:click_log", "number")
def click_log_withdraw(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then withdraw a click log and the labels that were made from it."""
    log = log_or_404(request, slug, number)
    form = SourceWithdrawalForm(request.POST)
    if not form.is_valid():
        return click_log_page(request, log, withdrawal=form)
    if not is_confirmed(request):
        made = [each for each in labels_made(log) if not each.source.withdrawn_at]
        releases = {release for each in made for release in releases_with(each.source)}
        return confirmation_page(
            request,
            log.campaign,
            "Judging",
            "assess/clicks/confirm/click_log_withdraw.html",
            log=log,
            labels=made,
            releases=sorted(releases, key=lambda release: release.number),
        )
    try:
        count = withdraw_click_log(log, request.user, form.cleaned_data["reason"])
    except (ClickLogRefused, SourceRefused) as error:
        messages.warning(request, str(error))
    else:
        text = (
            f"{log} is withdrawn, with {count:,} label{pluralize(count)} that {pluralize(count, 'was,were')}"
        )
        messages.success(request, f"{text} made from it.")
    return redirect("assess:click_log", slug, number)


@require_POST
def click_log_restore(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Restore a withdrawn click log and the labels that were withdrawn with it."""
    log = log_or_404(request, slug, number)
    try:
        count = restore_click_log(log, request.user)
    except (ClickLogRefused, SourceRefused) as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{log} is restored, with {count:,} label{pluralize(count)}.")
    return redirect("assess:click_log", slug, number)


@post_from("assess:click_log", "number")
def click_log_replace(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Load a newer click log under the name of a log, and withdraw the older one."""
    log = log_or_404(request, slug, number)
    form, refused = ClickLogForm(request.POST, request.FILES), None
    if form.is_valid():
        try:
            check_standing(log)
            loaded = load_or_start(request, log.campaign, form.cleaned_data, log.number)
        except BadFile as error:
            refused = error
        except (ClickLogRefused, SourceRefused) as error:
            messages.warning(request, str(error))
            return redirect("assess:click_log", slug, number)
        else:
            if isinstance(loaded, ClickLog):
                messages.success(request, f"{loaded} is loaded; {log} is withdrawn.")
                return redirect("assess:click_log", slug, loaded.number)
            return redirect("assess:click_log_list", slug)
    return click_log_page(request, log, replacement=form, refused=refused)
