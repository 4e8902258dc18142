"""Database writes of accounts: users, API tokens, sessions and passwords."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.lockout import unlock
from accounts.models import ApiToken, Session, User
from accounts.sessions import LAST_SEEN_INTERVAL, SessionStore

MAIL_INTERVAL = timedelta(minutes=10)


class NameTaken(ValueError):
    """The sign-in name belongs to another user, ignoring case."""


@transaction.atomic
def create_account(username: str, name: str, password: str, email: str = "") -> User:
    """Make an account. The name is stored in Unicode's form NFKC, as Django does. Raises NameTaken."""
    taken = NameTaken("That name is taken. If it is yours, sign in first and open the link again.")
    if User.objects.filter(username__iexact=User.normalize_username(username)).exists():
        raise taken
    try:
        with transaction.atomic():
            return User.objects.create_user(username, email, password, name=name)
    except IntegrityError as error:  # the same name at the same moment
        raise taken from error


def create_token(user: User, name: str, scope: str = ApiToken.Scope.ALL) -> str:
    """Return a new token; it cannot be shown again."""
    token = f"jp_{secrets.token_urlsafe(32)}"
    ApiToken.objects.create(user=user, name=name, scope=scope, token_hash=hash_of(token))
    return token


def token_of_secret(secret: str) -> ApiToken | None:
    """Return the API token with this secret and store the time of use; None if there is none."""
    usable = ApiToken.objects.filter(user__is_active=True).select_related("user")
    found = usable.filter(token_hash=hash_of(secret)).first()
    now = timezone.now()
    if found and (found.last_used_at is None or now - found.last_used_at > LAST_SEEN_INTERVAL):
        ApiToken.objects.filter(pk=found.pk).update(last_used_at=now)
    return found


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
    User.objects.filter(pk=user.pk).update(name=name, email=email)


def change_mail_preferences(user: User, **wanted: bool) -> None:
    """Store which kinds of mail a person wants; wanted: fields named by `accounts.mail.MailKind`."""
    User.objects.filter(pk=user.pk).update(**wanted)


def claim_reset_mail(user: User) -> bool:
    """Store that a link for a new password is sent; return False if one was sent within MAIL_EVERY."""
    quiet = User.objects.filter(pk=user.pk).exclude(reset_mailed_at__gt=timezone.now() - MAIL_INTERVAL)
    return bool(quiet.update(reset_mailed_at=timezone.now()))
