"""Database writes of accounts: users, API tokens, sessions and passwords."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from accounts.lockout import unlock
from accounts.models import ApiToken, ExternalIdentity, RequestKey, Session, User
from accounts.provider import ProviderIdentity, ProviderRefusal
from accounts.sessions import LAST_SEEN_INTERVAL, SessionStore

log = logging.getLogger("jurypool.accounts")

MAIL_INTERVAL = timedelta(minutes=10)

Made = TypeVar("Made", bound=Model)


@transaction.atomic
def make_once(user: User | None, key: str, model: type[Made], make: Callable[[], Made]) -> Made:
    """Return the row that `make` stores; for a key that the user sent before, the row that was stored then.

    For rows that get a number of their own each time, so that no constraint refuses a repeated request. Of
    two requests at once the second waits until the first is stored. Without a key, `make` is called.
    All is one transaction.
    """
    if user is None or not key:
        return make()
    known, is_new = RequestKey.objects.select_for_update().get_or_create(user=user, key=key)
    if not is_new and (row := model._default_manager.filter(pk=known.made).first()):
        return row
    made = make()
    RequestKey.objects.filter(pk=known.pk).update(made=made.pk)
    return made


class NameTaken(ValueError):
    """The sign-in name belongs to another user, ignoring case."""


@transaction.atomic
def create_account(username: str, name: str, password: str | None, email: str = "") -> User:
    """Make an account, without a password for None. Raises NameTaken.

    The name is stored in Unicode's form NFKC, as Django does.
    """
    taken = NameTaken("That name is taken. If it is yours, sign in first and open the link again.")
    if User.objects.filter(username__iexact=User.normalize_username(username)).exists():
        raise taken
    try:
        with transaction.atomic():
            return User.objects.create_user(username, email, password, name=name)
    except IntegrityError as error:  # the same name at the same moment
        raise taken from error


@transaction.atomic
def create_token(user: User, name: str, scope: str = ApiToken.Scope.ALL, key: str = "") -> str:
    """Return a new token; it cannot be shown again.

    key: see `make_once`; a repeated request gets a new secret for the same token.
    """
    secret = f"jp_{secrets.token_urlsafe(32)}"
    fields = {"user": user, "name": name, "scope": scope, "token_hash": hash_of(secret)}
    token = make_once(user, key, ApiToken, lambda: ApiToken.objects.create(**fields))
    ApiToken.objects.filter(pk=token.pk).update(token_hash=hash_of(secret))
    return secret


def token_of_secret(secret: str) -> ApiToken | None:
    """Return the API token with this secret and store the time of use; None if there is none."""
    usable = ApiToken.objects.filter(user__is_active=True).select_related("user")
    token = usable.filter(token_hash=hash_of(secret)).first()
    now = timezone.now()
    if token and (token.last_used_at is None or now - token.last_used_at > LAST_SEEN_INTERVAL):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(token: ApiToken) -> None:
    token.delete()


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def end_session(session: Session) -> None:
    session.delete()


def end_other_sessions(user: User, except_session: str | None) -> int:
    """End all sessions of a user except one, given by its key; return how many were ended."""
    return user.sessions.exclude(session_key=except_session).delete()[0]


def delete_expired_sessions() -> None:
    SessionStore.clear_expired()


@transaction.atomic
def set_password(user: User, password: str, except_session: str | None = None) -> None:
    """Set a password, end the other sessions of the user, and unlock sign-in."""
    user.set_password(password)
    user.save(update_fields=["password"])
    end_other_sessions(user, except_session)
    unlock(user)


def change_account(user: User, name: str, email: str) -> None:
    """Store a name and an e-mail address. A new address counts as not verified."""
    verified = user.email_verified and email == user.email
    User.objects.filter(pk=user.pk).update(name=name, email=email, email_verified=verified)


def mark_email_verified(user: User) -> None:
    """Store that the account's address is the person's: a mailed link was opened, or the provider says so."""
    User.objects.filter(pk=user.pk).update(email_verified=True)


def change_mail_preferences(user: User, **wanted: bool) -> None:
    """Store which kinds of mail a person wants; wanted: fields named by `accounts.mail.MailKind`."""
    User.objects.filter(pk=user.pk).update(**wanted)


def claim_reset_mail(user: User) -> bool:
    """Store that a link for a new password is sent; return False if one was sent within MAIL_EVERY."""
    quiet = User.objects.filter(pk=user.pk).exclude(reset_mailed_at__gt=timezone.now() - MAIL_INTERVAL)
    return bool(quiet.update(reset_mailed_at=timezone.now()))


def user_of_identity(identity: ProviderIdentity) -> User | None:
    """Return the account that is linked with a person at the provider.

    Raises ProviderRefusal for a disabled account.
    """
    known = ExternalIdentity.objects.filter(issuer=identity.issuer, subject=identity.subject)
    identity_link = known.select_related("user").first()
    if identity_link and not identity_link.user.is_active:
        raise ProviderRefusal("Your account is disabled. Ask an administrator.")
    return identity_link.user if identity_link else None


@transaction.atomic
def link_by_address(identity: ProviderIdentity) -> User | None:
    """Link the account with the verified address of a person at the provider, and return it if there is one.

    The address must be verified here too, no other active account may have it, and the account may have no
    other identity at this provider and not be an administrator's. Somebody else may have made the account and
    know its password, so its password, sessions and API tokens end.
    """
    users = [user for user in users_with_address(identity.email) if user.is_active]
    if len(users) != 1 or not users[0].email_verified or users[0].is_superuser or users[0].is_staff:
        return None
    if users[0].identities.filter(issuer=identity.issuer).exists():
        return None
    link_identity(users[0], identity)
    _end_access(users[0])
    return users[0]


def _end_access(user: User) -> None:
    """End every other way into an account: its password, sessions and API tokens."""
    user.set_unusable_password()
    user.save(update_fields=["password"])
    end_other_sessions(user, except_session=None)
    user.api_tokens.all().delete()


@transaction.atomic
def close_account(user: User, name: str) -> None:
    """Store a neutral name, delete the address and identities, and end every way into the account."""
    wanted = dict.fromkeys(("wants_reminders", "wants_release_mail", "wants_digest"), False)
    fields = {"name": name, "email": "", "email_verified": False, "is_active": False}
    User.objects.filter(pk=user.pk).update(**fields, **wanted)
    user.refresh_from_db()
    _end_access(user)
    remove_identities(user)
    user.request_keys.all().delete()
    unlock(user)


def sign_in_name(typed: str) -> str:
    """Return the sign-in name of the account that a person means by a name or an address in any case.

    An account with exactly this name comes first. An address counts if its owner has verified it. Where
    several accounts are meant, or none, what was typed is returned.
    """
    if User.objects.filter(username=typed).exists():
        return typed
    meant = list(User.objects.filter(is_active=True, username__iexact=typed)[:2])
    meant = meant or [user for user in users_with_address(typed) if user.is_active and user.email_verified]
    return meant[0].username if len(meant) == 1 else typed


def users_with_address(email: str) -> list[User]:
    """Return the accounts with this address, ignoring the case of ASCII letters; none for no address."""
    users = User.objects.filter(email__iexact=email) if email else User.objects.none()
    return [user for user in users if user.email == email or (user.email + email).isascii()]


def create_account_of_identity(identity: ProviderIdentity) -> User:
    """Make an account without a password for a person at the provider.

    Raises ProviderRefusal without a verified address, or if an account has it: only its owner may link it.
    """
    if not identity.email:
        raise ProviderRefusal("The provider has not verified your e-mail address, which an account needs.")
    if users_with_address(identity.email):
        raise ProviderRefusal(
            f"There is an account with the address {identity.email} already. If it is yours, sign in with its"
            " password and link it on your account page."
        )
    word = re.sub(r"[^\w.-]", "", identity.username.partition("@")[0])[:140].lstrip(".-") or "person"
    with transaction.atomic():
        user = create_account(free_username(word), identity.name or word, None, identity.email)
        mark_email_verified(user)
        link_identity(user, identity)
    return user


def free_username(word: str) -> str:
    """Return a sign-in name that no account has: the word, or the word with a number."""
    word = User.normalize_username(word)
    taken = {
        name.lower()
        for name in User.objects.filter(username__istartswith=word).values_list("username", flat=True)
    }
    names = (word, *(f"{word}{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name.lower() not in taken)


def link_identity(user: User, identity: ProviderIdentity) -> None:
    """Let a person at the provider sign in to this account.

    Raises ProviderRefusal if either of them is linked already, but not with each other.
    """
    try:
        with transaction.atomic():
            ExternalIdentity.objects.create(user=user, issuer=identity.issuer, subject=identity.subject)
    except IntegrityError:
        mine = {"user": user, "issuer": identity.issuer, "subject": identity.subject}
        if not ExternalIdentity.objects.filter(**mine).exists():
            raise ProviderRefusal(
                "Nothing was changed: your account is linked with another person at the provider,"
                " or this person is linked with another account."
            ) from None
    else:
        log.info("account %s is linked with an identity at %s", user.pk, identity.issuer)


def unlink_identity(user: User) -> None:
    """End the sign-in through the provider. Raises ProviderRefusal for an account without a password."""
    if not user.has_usable_password():
        raise ProviderRefusal("Your account has no password: without the provider you could not sign in.")
    remove_identities(user)


def remove_identities(user: User) -> int:
    """Unlink an account from every provider; return how many identities it had."""
    removed, _ = user.identities.all().delete()
    log.info("account %s is no longer linked with an identity", user.pk)
    return removed
