"""Links that bring people in, with the topics that wait for them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.models import User
from accounts.requests import get_or_post
from accounts.views import enter
from assess import services
from assess.models import InvitedTopics
from pooling.forms import JoinForm
from pooling.models import Campaign
from pooling.services import InvitationSpent, open_invitation


@login_not_required
@get_or_post
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a campaign: as who is signed in, or with a new account."""
    try:
        invited = open_invitation(token)
    except InvitationSpent as error:
        return render(request, "assess/invitation_spent.html", {"error": error}, status=410)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and (request.user.is_authenticated or form.is_valid()):
        campaign = join(request, token, form)
        return redirect(campaign)
    topics = InvitedTopics.objects.filter(invitation=invited).first()
    return render(request, "assess/invitation.html", {"invited": invited, "form": form, "topics": topics})


def join(request: HttpRequest, token: str, form: JoinForm) -> Campaign:
    if isinstance(request.user, User):
        return services.accept_invitation(token, request.user).campaign
    membership = services.join_as_new_user(token, **form.cleaned_data)
    enter(request, membership.user)
    return membership.campaign
