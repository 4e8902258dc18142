"""Campaigns: the list, and a new one."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from pooling import queries, services
from pooling.forms import (
    NEW_CAMPAIGN,
    CampaignForm,
)


@require_GET
def campaign_list(request: UserRequest) -> HttpResponse:
    campaigns = queries.campaigns_with_roles(request.user)
    return render(request, "pooling/campaign_list.html", {"campaigns": campaigns})


@get_or_post
def campaign_new(request: UserRequest) -> HttpResponse:
    form = CampaignForm(request.POST or None, initial=NEW_CAMPAIGN)
    if request.method == "POST" and form.is_valid():
        fields = {
            key: form.cleaned_data[key] for key in ("name", "slug", "grades", "threshold", "description")
        }
        campaign = services.create_campaign(request.user, **fields)
        return redirect("pooling:topic_list", campaign.slug)
    return render(request, "pooling/campaign_new.html", {"form": form})
