"""Members and invitations in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Router, Schema, Status
from ninja.errors import HttpError
from pydantic import Field

from accounts.models import User
from accounts.requests import full_address, request_key
from assess.forms.assignments import InvitationForm
from assess.queries.campaign_reads import CampaignReads
from assess.queries.people import open_invitations
from assess.services.people import Departure, change_roles, invite_to_topics, remove_person
from assess.views.people import OWN_ROLE_MESSAGE, roles_now
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathKey,
    PathName,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.forms.people import MemberForm, RolesForm
from pooling.models import Campaign, Invitation, Membership, Role
from pooling.services.people import (
    MemberRefused,
    add_member,
    invite,
    open_invitation,
    revoke_invitation,
)

router = Router(tags=["people"])
RoleName = Literal["organiser", "adjudicator", "judge", "participant", "reader"]
PartName = Literal["primary", "shared", "second"]


class MemberIn(Body):
    username: Text = Field(min_length=1, max_length=150, description="The sign-in name of an account.")
    role: RoleName
    group: Text = Field("", max_length=60, description="Of a participant.")


class MemberOut(Schema):
    """A role of a person. A person with several roles occurs several times."""

    id: int
    username: str = Field(alias="user.username")
    name: str = Field(alias="user.name")
    role: str
    group: str


class RolesIn(Body):
    """All roles that the person has from now on."""

    roles: list[RoleName] = Field(min_length=1, max_length=5)
    group: Text = Field("", max_length=60, description="Of a participant.")


class DepartureOut(Schema):
    """What ended with the roles that the person lost. Every label stays."""

    topics: int = Field(description="Topics that were assigned.")
    documents: int = Field(description="That wait for another judge.")
    invitations: int = Field(description="That the person had made, and that are revoked.")


class InvitationIn(Body):
    role: RoleName
    group: Text = Field("", max_length=60, description="Of a participant.")
    recipient: Text = Field("", max_length=120, description="A note for organisers: for whom the link is.")
    topics: list[Text] = Field(
        [], max_length=10_000, description="Numbers of topics that the new judge gets; `all` for all."
    )
    part: PartName = Field("primary", description="The role of the new judge in these topics.")


class InvitationOut(Schema):
    id: int
    role: str
    group: str
    recipient: str
    topics: list[str] = Field(description="Numbers of the topics that the new judge gets.")
    expires_at: datetime

    @staticmethod
    def resolve_topics(invitation: Invitation) -> list[str]:
        invited = getattr(invitation, "invited_topics", None)
        return [topic.number for topic in invited.topics.all()] if invited else []


class InvitationWithLink(InvitationOut):
    link: str = Field(description="For the new member. It cannot be shown again.")


@router.get("{slug}/members/", response={200: Page[MemberOut], **PROBLEMS})
def member_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The members and their roles, oldest first."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, campaign.memberships.select_related("user"), "id", cut)


@router.post("{slug}/members/", response={201: MemberOut, **WRITE_PROBLEMS}, summary="Add a member")
def member_add(request: HttpRequest, slug: PathName, about: MemberIn) -> Status[Membership]:
    """Give a person who has an account a role. A participant's group is changed by adding the role again."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    data = checked(MemberForm(form_values(about.dict()))).cleaned_data
    person = User.objects.get(username=data["username"])
    return Status(201, add_member(campaign, person, data["role"], data["group"], api_user(request)))


@router.patch(
    "{slug}/members/{username}/", response={200: DepartureOut, **WRITE_PROBLEMS}, summary="Change roles"
)
def member_change(request: HttpRequest, slug: PathName, username: PathName, about: RolesIn) -> Departure:
    """Give a member exactly these roles. Who is no longer a judge loses the assignments."""
    campaign, person = member_or_404(request, slug, username)
    data = checked(RolesForm(form_values(about.dict()), initial=roles_now(campaign, person))).cleaned_data
    if person == request.user and Role.ORGANISER not in data["roles"]:
        raise MemberRefused(OWN_ROLE_MESSAGE)
    return change_roles(campaign, person, data["roles"], data["group"], api_user(request))


@router.delete(
    "{slug}/members/{username}/", response={200: DepartureOut, **WRITE_PROBLEMS}, summary="Remove a member"
)
def member_remove(request: HttpRequest, slug: PathName, username: PathName) -> Departure:
    """Take all roles from a person. Labels, runs and votes stay."""
    campaign, person = member_or_404(request, slug, username)
    if person == request.user:
        raise MemberRefused(OWN_ROLE_MESSAGE)
    return remove_person(campaign, person, api_user(request))


def member_or_404(request: HttpRequest, slug: str, username: str) -> tuple[Campaign, User]:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    people = User.objects.filter(memberships__campaign=campaign).distinct()
    return campaign, get_object_or_404(people, username=username)


@router.get("{slug}/invitations/", response={200: Page[InvitationOut], **PROBLEMS})
def invitation_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The invitations that were not accepted yet, oldest first. Their links cannot be shown."""
    return page_of(request, open_invitations(api_campaign(request, slug, Role.ORGANISER)), "id", cut)


@router.post(
    "{slug}/invitations/", response={201: InvitationWithLink, **WRITE_PROBLEMS}, summary="Invite a person"
)
def invitation_create(request: HttpRequest, slug: PathName, about: InvitationIn) -> Status[Invitation]:
    """Create an invitation link for one person. Only this answer has the link.

    A request that is sent again with the same header `Idempotency-Key` makes no second invitation: it gets a
    new link for the first one.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    token = new_invitation(campaign, about, api_user(request), request_key(request))
    invitation = open_invitation(token)
    invitation.link = full_address(request, reverse("assess:invitation", args=[token]))  # type: ignore[attr-defined]  # for the answer
    return Status(201, invitation)


def new_invitation(campaign: Campaign, about: InvitationIn, organiser: User, key: str) -> str:
    """Return the secret of a new invitation. Raises InvalidForm, and HttpError for topics of another role."""
    if not about.topics:
        form = checked(MemberForm(form_values(about.dict(include={"role", "group", "recipient"}))))
        data = form.cleaned_data
        return invite(campaign, data["role"], data["group"], organiser, data["recipient"], key=key)
    if about.role != "judge":
        raise HttpError(422, f"Topics: expected the role judge, found {about.role}")
    values = about.dict() | {"topics": " ".join(about.topics)}
    data = checked(InvitationForm(form_values(values), reads=CampaignReads(campaign))).cleaned_data
    return invite_to_topics(campaign, data["topics"], data["part"], organiser, data["recipient"], key=key)


@router.delete(
    "{slug}/invitations/{pk}/", response={204: None, **WRITE_PROBLEMS}, summary="Revoke an invitation"
)
def invitation_revoke(request: HttpRequest, slug: PathName, pk: PathKey) -> Status[None]:
    """Revoke an invitation: its link no longer works."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    revoke_invitation(get_object_or_404(campaign.invitations.open(), pk=pk), api_user(request))
    return Status(204, None)
