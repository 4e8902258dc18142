"""Change a submitted run: describe, replace, hide, withdraw and restore it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.requests import UserRequest, get_or_post, post_from
from assess.forms.runs import ReplacementForm, RunForm, WithdrawalForm
from assess.services.runs import change_run, reorder_run, replace_run, why_not_renamed
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.forms.runs import OrderForm
from pooling.models import Campaign, Role, Run
from pooling.queries.campaigns import campaign_or_404, own_runs
from pooling.queries.schedule import why_runs_are_fixed
from pooling.services.files import read_upload
from pooling.services.run_changes import RunLocked, hide_run, restore_run, withdraw_run
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time


def run_or_404(request: UserRequest, slug: str, tag: str) -> tuple[Campaign, Run]:
    """Return a run that this person may change; raise Http404 otherwise."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    run = get_object_or_404(own_runs(request.user, campaign).annotate_pooled(), tag=tag)
    run.campaign = campaign
    return campaign, run


def changeable_run(request: UserRequest, slug: str, tag: str) -> tuple[Campaign, Run]:
    """Return a run as `run_or_404`. Raises StateRefused after the deadline."""
    campaign, run = run_or_404(request, slug, tag)
    if why := why_runs_are_fixed(campaign, request.user):
        raise StateRefused(why)
    return campaign, run


def organisers_run(request: UserRequest, slug: str, tag: str) -> Run:
    """Return a run for an action of organisers. Raises PermissionDenied for others."""
    campaign, run = run_or_404(request, slug, tag)
    if Role.ORGANISER not in campaign.my_roles:
        raise PermissionDenied("Only an organiser can do this.")
    return run


def values_of(run: Run) -> dict[str, Any]:
    return {name: getattr(run, name) for name in RunForm.base_fields}


def edit_page(request: UserRequest, run: Run, **context: Any) -> HttpResponse:
    campaign = run.campaign
    organises = Role.ORGANISER in campaign.my_roles
    forms = {
        "form": RunForm(initial=values_of(run), why_fixed=why_not_renamed(run)),
        "replacement": ReplacementForm(initial={"order": run.order}),
        "withdrawal": WithdrawalForm(is_organiser=organises),
    }
    about = {"campaign": campaign, "run": run, "fixed": why_runs_are_fixed(campaign, request.user)}
    return render(request, "assess/run_edit.html", forms | about | {"organises": organises} | context)


@get_or_post
@one_at_a_time
def run_edit(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Show what can be changed of a run. A POST changes tag, description, kind and priority."""
    if request.method != "POST":
        return edit_page(request, run_or_404(request, slug, tag)[1])
    campaign, run = changeable_run(request, slug, tag)
    form = RunForm(request.POST, initial=values_of(run), why_fixed=why_not_renamed(run))
    if form.is_valid():
        try:
            change_run(run, request.user, **form.cleaned_data)
        except RunLocked as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"The changes of {run.tag} are saved.")
            return redirect("pooling:run", slug, run.tag)
    return edit_page(request, run, form=form)


@post_from("pooling:run", "tag")
def run_replace(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Store a newer file under the tag of the run, and withdraw the older one."""
    campaign, run = changeable_run(request, slug, tag)
    form = ReplacementForm(request.POST, request.FILES)
    report: list[dict[str, Any]] = []
    if form.is_valid():
        data = form.cleaned_data
        file, order, fields = data["file"], data["order"], data["map"]
        try:
            newer = replace_run(run, request.user, read_upload(file), file.name or "", order, fields)
        except BadFile as error:
            report.append({"name": file.name, "refused": error})
        except RunLocked as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"The newer file is stored as {newer.tag}; the older one is withdrawn.")
            return redirect("pooling:run", slug, newer.tag)
    return edit_page(request, run, replacement=form, report=report)


@require_POST
def run_order(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Order the documents of a run in another way: the same file becomes a newer version of the run."""
    campaign, run = changeable_run(request, slug, tag)
    form = OrderForm(request.POST)
    if not form.is_valid() or not form.cleaned_data["order"]:
        messages.warning(request, "Choose one of the orders.")
        return redirect("pooling:run", slug, run.tag)
    try:
        newer = reorder_run(run, request.user, form.cleaned_data["order"])
    except (BadFile, RunLocked) as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The documents of {newer.tag} are ordered {newer.get_order_display()}.")
    return redirect("pooling:run", slug, run.tag)


@post_from("pooling:run", "tag")
def run_withdraw(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Ask, then withdraw a run."""
    campaign, run = changeable_run(request, slug, tag)
    form = WithdrawalForm(request.POST, is_organiser=Role.ORGANISER in campaign.my_roles)
    if not form.is_valid():
        return edit_page(request, run, withdrawal=form)
    if not is_confirmed(request):
        page, pools = "assess/confirm/run_withdraw.html", run.pools.count()
        return confirmation_page(request, campaign, page, run=run, pools=pools)
    try:
        withdraw_run(run, request.user, form.cleaned_data["reason"])
    except RunLocked as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The run {run.tag} is withdrawn.")
    return redirect("pooling:run", slug, run.tag)


@require_POST
def run_restore(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    run = organisers_run(request, slug, tag)
    try:
        restore_run(run, request.user)
    except RunLocked as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The run {run.tag} is part of the campaign again.")
    return redirect("pooling:run", slug, run.tag)


@require_POST
def run_hide(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Hide a run from leaderboards and public pages, or show it there again (hidden=no)."""
    run = organisers_run(request, slug, tag)
    hide_run(run, request.user, request.POST.get("hidden", "yes") != "no")
    where = "hidden from" if run.is_hidden else "shown on"
    messages.success(request, f"The run {run.tag} is {where} leaderboards and public pages.")
    return redirect("pooling:run", slug, run.tag)
