"""Create campaigns; add, remove and invite members."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from accounts.services import close_account, create_account, make_once, mark_email_verified
from pooling.checksum import sha256_of
from pooling.models import (
    Campaign,
    Invitation,
    Membership,
    Role,
)
from pooling.refusals import Conflict, Refused
from pooling.scale import Grade, check_scale, scale_to_json
from pooling.services.audit_log import log_change

INVITATION_LIFETIME = timedelta(days=14)


GROUP_NEEDED_MESSAGE = "A participant needs a group: the name under which the team submits its runs."
INVITATION_SPENT_MESSAGE = (
    "This invitation was accepted already, has expired or was revoked. Ask for a new link."
)


class InvitationSpent(Refused):
    """An invitation that was accepted, has expired, was revoked or never existed."""


class MemberRefused(Refused):
    """A role that a person cannot have in this way; says why."""


class ShortNameTaken(Conflict):
    """A campaign with this short name exists."""


@transaction.atomic
def create_campaign(
    organiser: User, name: str, slug: str, grades: tuple[Grade, ...], threshold: int, **texts: Any
) -> Campaign:
    """Create a campaign, with this person as its organiser. Raises BadScale and ShortNameTaken."""
    check_scale(grades, threshold)
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(
                name=name, slug=slug, scale=scale_to_json(grades), threshold=threshold, **texts
            )
    except IntegrityError as error:
        raise ShortNameTaken(f"There is a campaign with the short name {slug} already.") from error
    log_change(campaign, organiser, "created the campaign", name, scale=campaign.scale, threshold=threshold)
    add_member(campaign, organiser, Role.ORGANISER, by=organiser)
    return campaign


@transaction.atomic
def add_member(
    campaign: Campaign, user: User, role: Role | str, group: str = "", by: User | None = None
) -> Membership:
    """Give a person a role; a participant's group may be changed by calling again. Raises MemberRefused."""
    group = _checked_group(role, group)
    membership, _ = Membership.objects.update_or_create(
        campaign=campaign, user=user, role=role, defaults={"group": group}
    )
    log_change(campaign, by, "gave a role", str(membership), user=user.username, role=role, group=group)
    return membership


@transaction.atomic
def remove_member(membership: Membership, by: User | None = None) -> int:
    """Take a role from a person; labels and runs stay. Return how many invitations were revoked with it.

    An organiser's open invitations go with the role, and those of unknown origin, from before it was stored.
    Raises MemberRefused for the last organiser who can sign in.
    """
    campaign, user = membership.campaign, membership.user
    if membership.role == Role.ORGANISER:
        _refuse_last_organiser(campaign, user)
    about = {"user": user.username, "role": membership.role, "group": membership.group}
    log_change(campaign, by, "took a role", str(membership), **about)
    membership.delete()
    if membership.role != Role.ORGANISER:
        return 0
    theirs = campaign.invitations.open().filter(Q(created_by=user) | Q(created_by=None))
    for invitation in theirs:
        revoke_invitation(invitation, by)
    return len(theirs)


def _refuse_last_organiser(campaign: Campaign, user: User) -> None:
    Campaign.objects.select_for_update().get(pk=campaign.pk)  # of two who leave at once, one stays
    organisers = campaign.memberships.filter(role=Role.ORGANISER, user__is_active=True)
    if not organisers.exclude(user=user).exists():
        raise MemberRefused(
            f"{user} is the last organiser, and a campaign needs one. Make another person organiser first."
        )


@transaction.atomic
def anonymise_account(user: User) -> None:
    """Replace a person's name by the number of the account, and delete the address and every way to sign in.

    Roles, labels and runs stay, and so does the sign-in name: frozen releases and entries of the audit log
    contain it. Raises MemberRefused for an administrator and for the last organiser of a campaign.
    """
    if user.is_superuser:
        raise MemberRefused(f"{user} is an administrator. Take this right away first.")
    for membership in user.memberships.filter(role=Role.ORGANISER).select_related("campaign"):
        _refuse_last_organiser(membership.campaign, user)
    close_account(user, f"Person {user.pk}")
    Invitation.objects.filter(used_by=user).update(recipient="", email="")


class RoleChanges(NamedTuple):
    """The roles that a person got and lost, and how many of their invitations were revoked."""

    given: frozenset[str]
    taken: frozenset[str]
    revoked: int


@transaction.atomic
def set_roles(
    campaign: Campaign, user: User, roles: Collection[str], group: str = "", by: User | None = None
) -> RoleChanges:
    """Give a member exactly these roles, and a participant this group. Labels and runs stay.

    Raises MemberRefused without a role, for a participant without a group, and for the last organiser.
    """
    if not roles:
        raise MemberRefused("Choose at least one role, or remove the person from the campaign.")
    present = {
        membership.role: membership
        for membership in campaign.memberships.filter(user=user).select_related("user")
    }
    given, taken = frozenset(roles) - present.keys(), frozenset(present) - set(roles)
    for role in sorted(given):
        add_member(campaign, user, role, group if role == Role.PARTICIPANT else "", by)
    participant = present.get(Role.PARTICIPANT)
    if participant and Role.PARTICIPANT in roles:
        _change_group(participant, _checked_group(Role.PARTICIPANT, group), by)
    revoked = sum(remove_member(present[role], by) for role in sorted(taken))
    return RoleChanges(given, taken, revoked)


def _change_group(membership: Membership, group: str, by: User | None) -> None:
    if group == membership.group:
        return
    sentence, before = f"{membership.user} from {membership.group} to {group}", membership.group
    membership.group = group
    membership.save(update_fields=["group"])
    about = {"user": membership.user.username, "group": {"was": before, "is": group}}
    log_change(membership.campaign, by, "changed a group", sentence, **about)


@transaction.atomic
def invite(
    campaign: Campaign,
    role: Role | str,
    group: str = "",
    by: User | None = None,
    recipient: str = "",
    email: str = "",
    key: str = "",
) -> str:
    """Return the secret of a new invitation link: shown once, only its hash is stored. Raises MemberRefused.

    recipient: a note for organisers, for whom the link is. email: where the link is mailed to, if it is.
    key: see `make_once`; a repeated request gets a new link for the same invitation.
    """
    group = _checked_group(role, group)
    token = secrets.token_urlsafe(32)
    invitation = Invitation(
        campaign=campaign,
        role=role,
        group=group,
        recipient=recipient,
        email=email,
        token_hash=sha256_of(token),
        created_by=by,
        expires_at=timezone.now() + INVITATION_LIFETIME,
    )
    stored = make_once(by, key, Invitation, lambda: _store_invitation(invitation))
    return token if stored == invitation else replace_link(stored)


def _store_invitation(invitation: Invitation) -> Invitation:
    invitation.save()
    about = {name: getattr(invitation, name) for name in ("role", "group", "recipient", "email")}
    log_change(invitation.campaign, invitation.created_by, "invited", _about(invitation), **about)
    return invitation


@transaction.atomic
def renew_invitation(invitation: Invitation, by: User | None = None) -> str:
    """Return the secret of a new link for an invitation. The old link works no more; the time begins anew."""
    token = replace_link(invitation)
    log_change(invitation.campaign, by, "renewed an invitation", _about(invitation))
    return token


def replace_link(invitation: Invitation, is_mailed_only: bool = False) -> str:
    """Replace the secret of an open invitation and return it. Raises InvitationSpent.

    is_mailed_only: the caller mails the link to the address of the invitation and shows it to nobody.
    No entry of the audit log: the worker calls it, so that a mailed secret is never stored with its task.
    """
    token = secrets.token_urlsafe(32)
    changed = Invitation.objects.filter(pk=invitation.pk, used_at=None).update(
        token_hash=sha256_of(token),
        expires_at=timezone.now() + INVITATION_LIFETIME,
        is_mailed_only=is_mailed_only,
    )
    if not changed:
        raise InvitationSpent(INVITATION_SPENT_MESSAGE)
    return token


@transaction.atomic
def revoke_invitation(invitation: Invitation, by: User | None = None) -> None:
    """Delete an invitation: its link works no more."""
    about = {field: getattr(invitation, field) for field in ("role", "group", "recipient")}
    log_change(invitation.campaign, by, "revoked an invitation", _about(invitation), **about)
    invitation.delete()


def open_invitation(token: str) -> Invitation:
    """Return the invitation behind a link. Raises InvitationSpent."""
    invitation = Invitation.objects.open().filter(token_hash=sha256_of(token)).first()
    if invitation is None:
        raise InvitationSpent(INVITATION_SPENT_MESSAGE)
    return invitation


@transaction.atomic
def store_acceptance(token: str, user: User) -> Membership:
    """Make this person a member. A role and a group that they have already stay as they are.

    Raises InvitationSpent, and MemberRefused for a participant of another group; the link then stays open.
    """
    invitation = _locked(token)
    Invitation.objects.filter(pk=invitation.pk).update(used_at=timezone.now(), used_by=user)
    campaign, role = invitation.campaign, invitation.role
    membership = campaign.memberships.filter(user=user, role=role).first()
    if membership is None:
        return add_member(campaign, user, role, invitation.group, by=user)
    if role == Role.PARTICIPANT and membership.group != invitation.group:
        raise MemberRefused(
            f"You take part for {membership.group}; this invitation is for {invitation.group}. "
            "Nothing was changed. An organiser can change your group."
        )
    return membership


@transaction.atomic
def store_acceptance_of_new_user(
    token: str, username: str, name: str, password: str, email: str = ""
) -> Membership:
    """Make an account for the holder of an invitation, and accept it. Otherwise no account is made.

    Raises InvitationSpent, NameTaken and MemberRefused.
    """
    invitation = _locked(token)  # of two requests with the same form, the second finds it accepted
    user = create_account(username, name, password, email)
    if invitation.is_mailed_only and email and email == invitation.email:
        mark_email_verified(user)
    return store_acceptance(token, user)


def _locked(token: str) -> Invitation:
    """Return an open invitation that no other transaction accepts meanwhile. Raises InvitationSpent."""
    try:
        return Invitation.objects.select_for_update().get(pk=open_invitation(token).pk, used_at=None)
    except Invitation.DoesNotExist as error:
        raise InvitationSpent(INVITATION_SPENT_MESSAGE) from error


def _checked_group(role: Role | str, group: str) -> str:
    group = group.strip()
    if role == Role.PARTICIPANT and not group:
        raise MemberRefused(GROUP_NEEDED_MESSAGE)
    return group


def _about(invitation: Invitation) -> str:
    """Return what the audit log says of an invitation."""
    person = invitation.recipient or invitation.email
    recipient = f" for {person}" if person else ""
    return f"a link: {invitation.get_role_display().lower()}{recipient}"
