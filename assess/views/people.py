"""Who is in a campaign, and the invitations that are open."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from assess.queries.invitations import open_invitations
from pooling.forms import MemberForm
from pooling.models import Membership, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.people import add_member, invite, remove_member, revoke_invitation


@get_or_post
def people(request: UserRequest, slug: str) -> HttpResponse:
    """List members and open invitations; add a person by sign-in name, or make a link for a new one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, link = MemberForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        role, group = data["role"], data["group"]
        if data["username"]:
            person = User.objects.get(username=data["username"])
            add_member(campaign, person, role, group, request.user)
            return redirect("assess:people", slug)
        token = invite(campaign, role, group, request.user, data["recipient"])
        link = request.build_absolute_uri(reverse("assess:invitation", args=[token]))
    context = {
        "campaign": campaign,
        "members": campaign.memberships.select_related("user"),
        "invitations": open_invitations(campaign),
        "form": form,
        "link": link,
    }
    return render(request, "assess/people.html", context)


@require_POST
def member_remove(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Take a role from a person; the open invitations that a former organiser made go with it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    membership = get_object_or_404(campaign.memberships, pk=pk)
    if membership.user == request.user and membership.role == Role.ORGANISER:
        messages.warning(request, "You cannot remove yourself as organiser: ask another organiser to do it.")
    else:
        revoked = remove_member(membership, request.user)
        if membership.role == Role.ORGANISER:
            messages.success(request, removed_words(membership, revoked))
    return redirect("assess:people", slug)


def removed_words(membership: Membership, revoked: int) -> str:
    """Return what the page says after an organiser was removed."""
    words = f"{membership.user} is no organiser any more."
    if revoked:
        one = f" {revoked} open invitation{pluralize(revoked)} that they made"
        words += f"{one} {pluralize(revoked, 'is,are')} revoked."
    if left := membership.campaign.invitations.open().count():
        words += f" {left} made by others {pluralize(left, 'is,are')} open: revoke what they may hold."
    return words


@require_POST
def invitation_revoke(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Revoke an invitation that nobody has accepted."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    revoke_invitation(get_object_or_404(campaign.invitations.open(), pk=pk), request.user)
    messages.success(request, "Revoked: the link works no more.")
    return redirect("assess:people", slug)
