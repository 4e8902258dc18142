"""The people of a campaign and its open invitations."""

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
    """List members and open invitations. A POST adds a user, or creates an invitation link."""
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
    """Remove a membership. Open invitations by a removed organiser are revoked."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    membership = get_object_or_404(campaign.memberships, pk=pk)
    if membership.user == request.user and membership.role == Role.ORGANISER:
        messages.warning(
            request, "You cannot remove yourself as organiser. Ask another organiser to remove you."
        )
    else:
        revoked = remove_member(membership, request.user)
        if membership.role == Role.ORGANISER:
            messages.success(request, removed_words(membership, revoked))
    return redirect("assess:people", slug)


def removed_words(membership: Membership, revoked: int) -> str:
    """Return the message after an organiser was removed."""
    words = f"{membership.user} is no longer an organiser."
    if revoked:
        words += f" {revoked} of their open invitations {pluralize(revoked, 'was,were')} revoked."
    if left := membership.campaign.invitations.open().count():
        words += f" {left} invitation{pluralize(left)} by other organisers {pluralize(left, 'is,are')} open:"
        words += " revoke those whose links this person may have."
    return words


@require_POST
def invitation_revoke(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Revoke an invitation that was not accepted yet."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    revoke_invitation(get_object_or_404(campaign.invitations.open(), pk=pk), request.user)
    messages.success(request, "The invitation is revoked; its link no longer works.")
    return redirect("assess:people", slug)
