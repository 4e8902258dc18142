from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import pluralize

from accounts.requests import UserRequest, get_or_post, redirect_to_top
from assess.forms.imports import MachineForm
from assess.models import Source
from assess.models.sources import SourceQuerySet
from assess.queries.labels import machines_with_labels
from assess.services.imports import load_machine_labels
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload


@get_or_post
def machine_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the machine judges. A POST loads the labels of another one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = MachineForm(request.POST or None, request.FILES or None)
    refused = named = None
    if request.method == "POST" and form.is_valid():
        refused = load_machine(request, campaign, form)
        if refused is None:
            return redirect_to_top("assess:machine_list", slug)
        named = files_of(campaign).filter(user__name=form.cleaned_data["name"]).first()
    context = {"campaign": campaign, "form": form, "refused": refused, "named": named}
    return render(request, "assess/machine_list.html", context | {"machines": machines_with_labels(campaign)})


def files_of(campaign: Campaign) -> SourceQuerySet:
    """Return the sources whose page takes a newer file."""
    return campaign.sources.standing().filter(kind__in=[Source.Kind.FILE, Source.Kind.ELSEWHERE])


def load_machine(request: UserRequest, campaign: Campaign, form: MachineForm) -> BadFile | None:
    data = form.cleaned_data
    try:
        machine = load_machine_labels(
            campaign,
            request.user,
            read_upload(data["file"]),
            data["file"].name,
            form.machine(),
            data["grades"],
            reading=form.reading(),
        )
    except BadFile as error:
        return error
    labels = machine.user.judgments.count()
    messages.success(request, f"{labels:,} label{pluralize(labels)} of {machine} loaded.")
    if machine.left_out:
        skipped = f"{machine.left_out:,} label{pluralize(machine.left_out)} skipped"
        messages.warning(request, f"{skipped}, because the documents are in no pool.")
    return None
