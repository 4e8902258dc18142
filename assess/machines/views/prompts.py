"""The prompts of machine judges: the list of versions, and one version filled in for a document."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from assess.machines.forms import PreviewForm, PromptForm
from assess.machines.queries.labellings import first_document, preview_messages
from assess.machines.services.prompts import create_prompt
from pooling.models import PooledDocument, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import pooled_in
from pooling.refusals import Refused


@get_or_post
def prompt_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the versions of the prompt. A POST stores a new one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    template = request.GET.get("template", "")
    form = PromptForm(request.POST or None, campaign=campaign, template=template)
    if request.method == "POST" and form.is_valid():
        try:
            prompt = create_prompt(campaign, request.user, form.details())
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{prompt} is stored.")
            return redirect("assess:prompt", slug, prompt.number)
    context = {"campaign": campaign, "form": form, "prompts": campaign.prompts.select_related("created_by")}
    return render(request, "assess/machines/prompt_list.html", context)


@require_GET
def prompt(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a version of the prompt, filled in for a document."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    version = get_object_or_404(campaign.prompts.select_related("created_by"), number=number)
    form = PreviewForm(request.GET or None)
    pooled: PooledDocument | None = None
    if form.is_valid():
        chosen = pooled_in(campaign).filter(topic__number=form.cleaned_data["topic"])
        pooled = chosen.filter(docno=form.cleaned_data["docno"]).select_related("topic").first()
        if pooled is None:
            form.add_error(None, "This document is in no pool of the topic.")
    elif not form.is_bound and (pooled := first_document(campaign)):
        form.initial = {"topic": pooled.topic.number, "docno": pooled.docno}
    context = {
        "campaign": campaign,
        "prompt": version,
        "form": form,
        "pooled": pooled,
        "filled": preview_messages(version, pooled) if pooled else [],
    }
    return render(request, "assess/machines/prompt.html", context)
