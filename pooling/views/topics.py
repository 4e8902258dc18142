"""Topics."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from pooling.formats.files import BadFile
from pooling.forms import (
    FileForm,
)
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404, topic_page, topics_with_pool_sizes
from pooling.services import topics as topic_services
from pooling.services.files import read_upload


@get_or_post
def topic_list(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug)
    form, refused = FileForm(), None
    if request.method == "POST":
        campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
        form = FileForm(request.POST, request.FILES)
        if form.is_valid():
            refused = load_topics(request, campaign, form.cleaned_data["file"])
            if refused is None:
                return redirect("pooling:topic_list", slug)
    topics = topic_page(campaign, request.GET.get("page", "1"))
    context = {"campaign": campaign, "topics": topics, "form": form, "refused": refused}
    return render(request, "pooling/topic_list.html", context)


def load_topics(request: UserRequest, campaign: Campaign, file: UploadedFile[Any]) -> BadFile | None:
    try:
        count = topic_services.load_topics(campaign, read_upload(file), file.name or "", request.user)
    except BadFile as error:
        return error
    messages.success(request, f"{count} topics loaded from {file.name}.")
    return None


@require_GET
def topic(request: UserRequest, slug: str, number: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug)
    found = get_object_or_404(topics_with_pool_sizes(campaign), number=number)
    return render(request, "pooling/topic.html", {"campaign": campaign, "topic": found})
