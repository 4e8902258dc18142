"""Campaigns: the list, and a new one."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from pooling.forms.campaigns import NEW_CAMPAIGN, CampaignForm, preset_values
from pooling.models import Role
from pooling.queries.campaigns import campaigns_with_roles, may_create_campaigns
from pooling.services.people import ShortNameTaken, create_campaign


@require_GET
def campaign_list(request: UserRequest) -> HttpResponse:
    rows = campaigns_with_roles(request.user)
    context = {
        "current": [(campaign, roles) for campaign, roles in rows if not campaign.is_archived],
        "archived": [(campaign, roles) for campaign, roles in rows if campaign.is_archived],
        "is_judge": bool(rows) and {role for _, roles in rows for role in roles} == {Role.JUDGE.label},
        "may_create": may_create_campaigns(request.user),
    }
    return render(request, "pooling/campaign_list.html", context)


@get_or_post
def campaign_new(request: UserRequest) -> HttpResponse:
    if not may_create_campaigns(request.user):
        raise PermissionDenied("You may not create campaigns. An administrator of this site can let you.")
    initial = NEW_CAMPAIGN | preset_values(request.GET.get("preset", ""))
    form = CampaignForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        fields = {
            key: form.cleaned_data[key] for key in ("name", "slug", "grades", "threshold", "description")
        }
        try:
            campaign = create_campaign(request.user, **fields)
        except ShortNameTaken as error:
            form.add_error("slug", str(error))
        else:
            return redirect("pooling:topic_list", campaign.slug)
    return render(request, "pooling/campaign_new.html", {"form": form})
