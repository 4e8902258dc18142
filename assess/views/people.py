"""Who belongs to a campaign, and the page behind an invitation."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from accounts.services import NameTaken
from accounts.views import sign_in_user
from assess.models import InvitedTopics
from assess.queries.invitations import accepted_invitation, open_invitations
from assess.services.invitations import accept_invitation, join_as_new_user
from pooling.forms import JoinForm, MemberForm
from pooling.models import Campaign, Membership, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.people import (
    InvitationSpent,
    MemberRefused,
    add_member,
    invite,
    open_invitation,
    remove_member,
    revoke_invitation,
)


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
            messages.success(request, removed_message(membership, revoked))
    return redirect("assess:people", slug)


def removed_message(membership: Membership, revoked: int) -> str:
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


@login_not_required
@get_or_post
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a campaign as the user who is signed in, or with a new account."""
    form = JoinForm(request.POST or None)
    try:
        invited = open_invitation(token)
        if request.method == "POST" and (request.user.is_authenticated or form.is_valid()):
            return redirect(join(request, token, form))
    except InvitationSpent as error:
        campaign = joined_before(request, token)
        return (
            redirect(campaign)
            if campaign
            else refusal(request, "This invitation link is no longer valid", error, 410)
        )
    except MemberRefused as error:
        return refusal(request, "This invitation cannot be accepted", error, 409)
    except NameTaken as error:
        form.add_error("username", str(error))
    topics = InvitedTopics.objects.filter(invitation=invited).first()
    return render(request, "assess/invitation.html", {"invited": invited, "form": form, "topics": topics})


def join(request: HttpRequest, token: str, form: JoinForm) -> Campaign:
    if isinstance(request.user, User):
        return accept_invitation(token, request.user).campaign
    membership = join_as_new_user(token, **form.cleaned_data)
    sign_in_user(request, membership.user)
    return membership.campaign


def joined_before(request: HttpRequest, token: str) -> Campaign | None:
    """Return the campaign if this user has already accepted the invitation, for example by a double click.

    After a double click the browser may drop the first response and its session cookie. The form then has
    the name and password of the new account, which are used to sign in.
    """
    accepted = accepted_invitation(token)
    if accepted is None:
        return None
    if request.user.is_anonymous and request.method == "POST":
        username = User.normalize_username(request.POST.get("username", ""))
        if accepted.used_by and username == accepted.used_by.username:
            user = authenticate(request, username=username, password=request.POST.get("password", ""))
            if isinstance(user, User):
                sign_in_user(request, user)
    return accepted.campaign if request.user == accepted.used_by else None


def refusal(request: HttpRequest, title: str, error: Exception, status: int) -> HttpResponse:
    context = {"title": title, "error": error}
    return render(request, "assess/invitation_refused.html", context, status=status)
