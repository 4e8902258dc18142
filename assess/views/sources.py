"""Sources of labels: list, describe, withdraw, restore, and replace the file of one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import UserRequest, get_or_post, post_from
from assess import tasks
from assess.forms.imports import JudgmentsForm
from assess.forms.sources import SourceFileForm, SourceForm, SourceWithdrawalForm
from assess.models import Source
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import source_facts
from assess.queries.sources import labels_of, releases_with, sources_with_labels
from assess.services.imports import replace_file
from assess.services.sources import SourceRefused, describe_source, restore_source, withdraw_source
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404, unfinished_jobs
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time


@require_safe
def source_list(request: UserRequest, slug: str) -> HttpResponse:
    """List whose labels the campaign has, with the form that loads those of people elsewhere."""
    return source_list_page(request, campaign_or_404(request.user, slug, Role.ORGANISER))


def source_list_page(request: UserRequest, campaign: Campaign, **context: Any) -> HttpResponse:
    about = {
        "campaign": campaign,
        "sources": sources_with_labels(campaign),
        "jobs": unfinished_jobs(campaign, tasks.load_judgments),
        "load_form": JudgmentsForm(),
    }
    return render(request, "assess/source_list.html", about | context)


def source_or_404(request: UserRequest, slug: str, pk: int) -> Source:
    """Return a source with its user and load, for an organiser; raise Http404 otherwise."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    source = get_object_or_404(sources_with_labels(campaign), pk=pk)
    source.campaign = campaign
    return source


def source_page(request: UserRequest, source: Source, **context: Any) -> HttpResponse:
    reads = CampaignReads(source.campaign)
    about = {
        "campaign": source.campaign,
        "reads": reads,
        "source": source,
        "releases": releases_with(source),
        "agreement_url": reverse("assess:agreement", args=[source.campaign.slug])
        + ("?machines=on" if source.is_program else ""),
        "facts": [fact for facts_of in source_facts for fact in facts_of(reads, source)],
        "form": SourceForm(source=source),
        "withdrawal": SourceWithdrawalForm(),
        "replacement": SourceFileForm(),
    }
    return render(request, "assess/source.html", about | context)


@get_or_post
@one_at_a_time
def source(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show a source of labels. A POST renames it or describes it again."""
    source = source_or_404(request, slug, pk)
    if request.method != "POST":
        return source_page(request, source)
    form = SourceForm(request.POST, source=source)
    if form.is_valid():
        try:
            describe_source(source, request.user, **form.cleaned_data)
        except SourceRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The description is saved.")
            return redirect("assess:source", slug, pk)
    return source_page(request, source, form=form)


@post_from("assess:source", "pk")
def source_withdraw(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Ask, then withdraw the labels of a source."""
    source = source_or_404(request, slug, pk)
    form = SourceWithdrawalForm(request.POST)
    if not form.is_valid():
        return source_page(request, source, withdrawal=form)
    if not is_confirmed(request):
        return withdrawal_confirmation(request, source, form.cleaned_data["reason"])
    try:
        count = withdraw_source(source, request.user, form.cleaned_data["reason"])
    except SourceRefused as error:
        messages.warning(request, str(error))
    else:
        text = f"{count:,} label{pluralize(count)} of {source.user} {pluralize(count, 'is,are')} withdrawn."
        messages.success(request, text)
    return redirect("assess:source", slug, pk)


def withdrawal_confirmation(request: UserRequest, source: Source, reason: str) -> HttpResponse:
    """Ask before the labels of a source stop counting."""
    labels = labels_of(source)
    return confirmation_page(
        request,
        source.campaign,
        "assess/confirm/source_withdraw.html",
        source=source,
        reason=reason,
        labels=labels.count(),
        topics=labels.order_by().values("pooled__topic").distinct().count(),
        releases=releases_with(source),
    )


@require_POST
def source_restore(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Let the labels of a withdrawn source count again."""
    source = source_or_404(request, slug, pk)
    try:
        count = restore_source(source, request.user)
    except SourceRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{count:,} label{pluralize(count)} of {source.user} count again.")
    return redirect("assess:source", slug, pk)


@post_from("assess:source", "pk")
def source_replace(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Store a newer file of labels under the name of a source, and withdraw the older labels."""
    source = source_or_404(request, slug, pk)
    form, refused = SourceFileForm(request.POST, request.FILES), None
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            newer = replace_file(
                source,
                request.user,
                read_upload(file),
                file.name or "",
                form.cleaned_data["grades"],
                form.reading(),
            )
        except BadFile as error:
            refused = error
        except SourceRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, f"The newer labels of {newer.user} are stored; the older are withdrawn."
            )
            return redirect("assess:source", slug, newer.pk)
    return source_page(request, source, replacement=form, refused=refused)
