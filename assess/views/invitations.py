"""Accept an invitation to a campaign, with the topics that it assigns."""

from __future__ import annotations

from django.contrib.auth import authenticate
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.models import User
from accounts.requests import get_or_post
from accounts.services import NameTaken
from accounts.views import sign_in_user
from assess.models import InvitedTopics
from assess.queries.invitations import accepted_invitation
from assess.services.invitations import accept_invitation, join_as_new_user
from pooling.forms import JoinForm
from pooling.models import Campaign
from pooling.services.people import InvitationSpent, MemberRefused, open_invitation


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
