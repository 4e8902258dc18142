"""Clone a campaign, and delete one that holds no label."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.requests import UserRequest, get_or_post
from assess.forms.settings import CloneForm
from assess.queries.campaigns import contents_of, deletion_obstacle
from assess.services.campaigns import DeletionRefused, clone_campaign, delete_campaign
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404, may_create_campaigns
from pooling.services.people import ShortNameTaken
from pooling.views.confirmation import confirmation_page, is_confirmed


@get_or_post
def campaign_clone(request: UserRequest, slug: str) -> HttpResponse:
    """Create a draft with parts of this campaign, for an organiser who may create campaigns."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    if not may_create_campaigns(request.user):
        raise PermissionDenied("You may not create campaigns. An administrator of this site can let you.")
    form = CloneForm(request.POST or None, initial=CloneForm.suggestion(campaign))
    if request.method == "POST" and form.is_valid():
        try:
            clone = clone_campaign(campaign, request.user, **form.cleaned_data)
        except ShortNameTaken as error:
            form.add_error("slug", str(error))
        else:
            messages.success(request, f"{clone} is created as a draft.")
            return redirect(clone)
    return render(request, "assess/campaign_clone.html", {"campaign": campaign, "form": form})


@get_or_post
def campaign_delete(request: UserRequest, slug: str) -> HttpResponse:
    """Ask for the short name, and delete a campaign that holds no label; otherwise say why it stays."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    if obstacle := deletion_obstacle(campaign):
        return kept_page(request, campaign, obstacle)
    if request.method != "POST" or not is_confirmed(request, campaign.slug):
        page, contents = "assess/confirm/campaign_delete.html", contents_of(campaign)
        return confirmation_page(request, campaign, page, contents=contents)
    try:
        delete_campaign(campaign, request.user)
    except DeletionRefused as error:
        return kept_page(request, campaign, str(error))
    messages.success(request, f"The campaign {campaign} is deleted.")
    return redirect("pooling:campaign_list")


def kept_page(request: UserRequest, campaign: Campaign, obstacle: str) -> HttpResponse:
    context = {"campaign": campaign, "obstacle": obstacle}
    return render(request, "assess/campaign_delete_refused.html", context)
