"""Who is in a campaign, and the links that bring people in."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from pooling import services
from pooling.forms import (
    JoinForm,
    MemberForm,
)
from pooling.models import Campaign, Role
from pooling.queries import campaign_or_404


@get_or_post
def people(request: UserRequest, slug: str) -> HttpResponse:
    """List members; add one by sign-in name, or make a link for somebody who has none."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, link = MemberForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        role, group = form.cleaned_data["role"], form.cleaned_data["group"]
        if username := form.cleaned_data["username"]:
            services.add_member(campaign, User.objects.get(username=username), role, group)
            return redirect("pooling:people", slug)
        link = request.build_absolute_uri(f"/invitations/{services.invite(campaign, role, group)}/")
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
        services.remove_member(membership)
    return redirect("pooling:people", slug)


@login_not_required
@get_or_post
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a campaign: as who is signed in, or with a new account."""
    try:
        invited = services.open_invitation(token)
    except services.InvitationSpent as error:
        return render(request, "pooling/invitation_spent.html", {"error": error}, status=410)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and (request.user.is_authenticated or form.is_valid()):
        campaign = join(request, token, form)
        return redirect(campaign)
    return render(request, "pooling/invitation.html", {"invited": invited, "form": form})


def join(request: HttpRequest, token: str, form: JoinForm) -> Campaign:
    if isinstance(request.user, User):
        return services.accept_invitation(token, request.user).campaign
    membership = services.join_as_new_user(token, **form.cleaned_data)
    login(request, membership.user)
    return membership.campaign
