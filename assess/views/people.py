"""Who belongs to a campaign, links of invitations, and the page behind an invitation."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.mail import subject_and_text
from accounts.models import User
from accounts.provider import ProviderRefusal
from accounts.requests import UserRequest, full_address, get_or_post, post_from, request_key, site_of
from accounts.services import NameTaken
from accounts.views import newcomer_of, provider_name, sign_in_user
from assess.queries.people import accepted_invitation, contribution_of, open_invitations, people_of
from assess.services.mailings import mail_invitation
from assess.services.people import (
    Departure,
    accept_invitation,
    change_roles,
    join_as_new_user,
    join_from_provider,
    remove_person,
)
from pooling.forms.people import JoinForm, MemberForm, RolesForm
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.people import (
    InvitationSpent,
    MemberRefused,
    add_member,
    invite,
    open_invitation,
    renew_invitation,
    revoke_invitation,
)
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time

OWN_ROLE_MESSAGE = "You cannot remove yourself as organiser. Ask another organiser to remove you."


@get_or_post
def people(request: UserRequest, slug: str) -> HttpResponse:
    """List members and open invitations. A POST adds a user, or invites a new person."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = MemberForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        role, group = data["role"], data["group"]
        if data["username"]:
            person = User.objects.get(username=data["username"])
            membership = add_member(campaign, person, role, group, request.user)
            messages.success(request, f"{membership} of {campaign}.")
            return redirect("assess:people", slug)
        email = data.get("email", "")
        key = request_key(request)
        token = invite(campaign, role, group, request.user, data["recipient"], email, key)
        shown = deliver(request, token)
        return people_page(request, campaign, form, **shown) if shown else redirect("assess:people", slug)
    return people_page(request, campaign, form)


def people_page(
    request: UserRequest, campaign: Campaign, form: MemberForm | None = None, **more: Any
) -> HttpResponse:
    """Render the page. more: the link of an invitation and the text with it, which are shown once."""
    context = {
        "campaign": campaign,
        "people": people_of(campaign),
        "roles": Role.choices,
        "invitations": open_invitations(campaign),
        "form": form or MemberForm(),
        "sends_mail": settings.SENDS_MAIL,
        "now": timezone.now(),
    }
    return render(request, "assess/people.html", context | more)


@require_POST
@one_at_a_time
def member_change(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Change all roles of a member, and the group of a participant."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    user = member_or_404(campaign, pk)
    form = RolesForm(request.POST, initial=roles_now(campaign, user))
    try:
        if not form.is_valid():
            raise MemberRefused(" ".join(str(message) for each in form.errors.values() for message in each))
        roles, group = form.cleaned_data["roles"], form.cleaned_data["group"]
        if user == request.user and Role.ORGANISER not in roles:
            raise MemberRefused(OWN_ROLE_MESSAGE)
        ended = change_roles(campaign, user, roles, group, request.user)
    except MemberRefused as error:
        messages.warning(request, f"Nothing was changed. {error}")
    else:
        names = ", ".join(role.label.lower() for role in Role if role in roles)
        messages.success(request, f"{user} is now {names}.{departed(campaign, ended)}")
    return redirect("assess:people", slug)


def roles_now(campaign: Campaign, user: User) -> dict[str, Any]:
    """Return the roles and the group of a member, as the page shows them."""
    own = campaign.memberships.filter(user=user)
    return {
        "roles": [each.role for each in own],
        "group": next((each.group for each in own if each.group), ""),
    }


@post_from("assess:people")
def member_remove(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Ask, and remove a person with all roles. Open invitations by a removed organiser are revoked."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    user = member_or_404(campaign, pk)
    if user == request.user:
        messages.warning(request, OWN_ROLE_MESSAGE)
        return redirect("assess:people", slug)
    if not is_confirmed(request):
        page, done = "assess/confirm/member_remove.html", contribution_of(campaign, user)
        person = next(person for person in people_of(campaign) if person.user == user)
        return confirmation_page(request, campaign, page, person=person, done=done)
    try:
        ended = remove_person(campaign, user, request.user)
    except MemberRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{user} is no longer a member.{departed(campaign, ended)}")
    return redirect("assess:people", slug)


def member_or_404(campaign: Campaign, pk: int) -> User:
    return get_object_or_404(User.objects.filter(memberships__campaign=campaign).distinct(), pk=pk)


def departed(campaign: Campaign, ended: Departure) -> str:
    """Return what ended with the roles that a person lost, as sentences after a blank."""
    words = ""
    if ended.topics:
        words += f" {ended.topics:,} assignment{pluralize(ended.topics)} ended; every label stays."
    if ended.documents:
        words += f" {ended.documents:,} document{pluralize(ended.documents)} wait for another judge."
    if ended.invitations:
        were = pluralize(ended.invitations, "was,were")
        words += f" {ended.invitations} of their open invitations {were} revoked."
    if ended.organiser and (left := campaign.invitations.open().count()):
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


@post_from("assess:people")
def invitation_renew(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Replace the link of an open invitation: mail the new one if asked to, otherwise show it once."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    invitation = get_object_or_404(campaign.invitations.open(), pk=pk)
    token = renew_invitation(invitation, request.user)
    if shown := deliver(request, token, by_mail="mail" in request.POST):
        return people_page(request, campaign, **shown)
    return redirect("assess:people", slug)


@login_not_required
@get_or_post
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a campaign as the user who is signed in, or with a new account."""
    newcomer = newcomer_of(request)
    by_provider = newcomer is not None and "provider" in request.POST
    form = JoinForm(None if by_provider else request.POST or None)
    try:
        invited = open_invitation(token)
        if request.method == "POST" and (request.user.is_authenticated or by_provider or form.is_valid()):
            return redirect(join(request, token, form))
    except InvitationSpent as error:
        campaign = joined_before(request, token)
        return (
            redirect(campaign)
            if campaign
            else refusal(request, "This invitation link is no longer valid", error, 410)
        )
    except (MemberRefused, ProviderRefusal) as error:
        return refusal(request, "This invitation cannot be accepted", error, 409)
    except NameTaken as error:
        form.add_error("username", str(error))
    context = {"invited": invited, "form": form, "provider": provider_name(), "newcomer": newcomer}
    return render(request, "assess/invitation.html", context)


def join(request: HttpRequest, token: str, form: JoinForm) -> Campaign:
    if isinstance(request.user, User):
        return accept_invitation(token, request.user).campaign
    newcomer = newcomer_of(request)
    if newcomer and "provider" in request.POST:
        membership = join_from_provider(token, newcomer)
    else:
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


def deliver(request: UserRequest, token: str, by_mail: bool = True) -> dict[str, Any]:
    """Mail the link of an invitation to its address and return {}; otherwise return what the page shows.

    The mail gets a link of its own, and this one works no more then.
    """
    invitation = open_invitation(token)
    if by_mail and invitation.email and settings.SENDS_MAIL:
        mail_invitation(invitation, site_of(request))
        messages.success(
            request,
            f"The invitation is mailed to {invitation.email}. If it does not arrive, make a new link.",
        )
        return {}
    link = full_address(request, reverse("assess:invitation", args=[token]))
    _, text = subject_and_text("assess/mail_invitation.txt", {"invitation": invitation, "link": link})
    return {"link": link, "link_text": text, "invitation": invitation}
