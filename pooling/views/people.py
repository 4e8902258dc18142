"""Who is in a campaign. The links that bring people in are opened on the next floor, which knows topics."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from pooling import services
from pooling.forms import MemberForm
from pooling.models import Role
from pooling.queries import campaign_or_404


@get_or_post
def people(request: UserRequest, slug: str) -> HttpResponse:
    """List members; add one by sign-in name, or make a link for somebody who has none."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, link = MemberForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        role, group = form.cleaned_data["role"], form.cleaned_data["group"]
        if username := form.cleaned_data["username"]:
            services.add_member(campaign, User.objects.get(username=username), role, group, request.user)
            return redirect("pooling:people", slug)
        token = services.invite(campaign, role, group, request.user)
        link = request.build_absolute_uri(f"/invitations/{token}/")
    members = campaign.memberships.select_related("user")
    context = {"campaign": campaign, "members": members, "form": form, "link": link}
    return render(request, "pooling/people.html", context)


@require_POST
def member_remove(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    membership = get_object_or_404(campaign.memberships, pk=pk)
    if membership.user == request.user and membership.role == Role.ORGANISER:
        messages.warning(request, "You cannot remove yourself as organiser: ask another organiser to do it.")
    else:
        services.remove_member(membership, request.user)
    return redirect("pooling:people", slug)
