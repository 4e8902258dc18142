"""Runs of machine judges: the list, the submission with its report, the pooled documents to judge."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from assess.judge_runs.forms import JudgeRunForm
from assess.judge_runs.queries import pool_list, submitted_judge_runs, why_no_judge_runs
from assess.judge_runs.services import JudgeRunRefused, submit_judge_run, withdraw_judge_run
from assess.models import JudgeRun
from assess.queries.release_plans import latest_visible_release
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import pooled_in
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.runs import own_group
from pooling.words import counted


@get_or_post
def judge_run_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the runs of machine judges that this person may see. A POST submits one."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    group = own_group(request, campaign)
    form = JudgeRunForm(request.POST or None, request.FILES or None, group=group)
    refused = None
    if request.method == "POST" and form.is_valid():
        refused = submit(request, campaign, form)
        if refused is None:
            return redirect("assess:judge_run_list", slug)
    return list_page(request, campaign, form=form, refused=refused)


def list_page(request: UserRequest, campaign: Campaign, **context: Any) -> HttpResponse:
    own = submitted_judge_runs(request.user, campaign)
    about = {
        "campaign": campaign,
        "judge_runs": own.active(),
        "withdrawn": own.exclude(withdrawn_at=None),
        "closed": why_no_judge_runs(campaign, request.user),
        "pooled": pooled_in(campaign).count(),
        "release": latest_visible_release(campaign),
    }
    return render(request, "assess/judge_runs/judge_run_list.html", about | context)


def submit(request: UserRequest, campaign: Campaign, form: JudgeRunForm) -> BadFile | None:
    """Store the file; return why it is refused. Raises StateRefused."""
    file = form.cleaned_data["file"]
    try:
        content = read_upload(file)
        stored = submit_judge_run(campaign, request.user, content, file.name or "", form.details())
    except BadFile as error:
        return error
    messages.success(request, f"{stored.tag} stored, {counted(stored.line_count, 'line')}.")
    for warning in stored.warnings:
        messages.warning(request, f"{warning['what']}. {warning['wish']}.")
    return None


def judge_run_or_404(request: UserRequest, slug: str, pk: int) -> JudgeRun:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    run = get_object_or_404(submitted_judge_runs(request.user, campaign), pk=pk)
    run.campaign = campaign
    return run


@require_GET
def judge_run_file(request: UserRequest, slug: str, pk: int) -> HttpResponseBase:
    """Send the submitted file, gzip."""
    run = judge_run_or_404(request, slug, pk)
    return FileResponse(run.original.open("rb"), as_attachment=True, filename=f"{run.tag}.gz")


@require_GET
def judge_run_pool(request: UserRequest, slug: str) -> HttpResponse:
    """Send the pooled documents, a line each: no ranks, runs, texts and labels."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    if not campaign.accepts_judge_runs and Role.ORGANISER not in campaign.my_roles:
        raise PermissionDenied(why_no_judge_runs(campaign, request.user))
    response = HttpResponse(pool_list(campaign), "text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-pooled-documents.txt"'
    return response


@post_from("assess:judge_run_list")
def judge_run_withdraw(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Ask, then withdraw a run of a machine judge."""
    run = judge_run_or_404(request, slug, pk)
    campaign = run.campaign
    if Role.ORGANISER not in campaign.my_roles and (why := why_no_judge_runs(campaign, request.user)):
        raise StateRefused(why)
    if not is_confirmed(request):
        page = "assess/judge_runs/confirm/judge_run_withdraw.html"
        return confirmation_page(request, campaign, page, run=run)
    try:
        withdraw_judge_run(run, request.user)
    except JudgeRunRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{run.tag} is withdrawn. Its tag is free again.")
    return redirect("assess:judge_run_list", slug)
