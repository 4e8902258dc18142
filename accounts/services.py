"""Tokens by which programs act as people."""

from __future__ import annotations

import hashlib
import secrets

from django.utils import timezone

from accounts.models import ApiToken, User


def create_token(user: User, name: str) -> str:
    """Return a new token; it cannot be shown again."""
    token = f"jp_{secrets.token_urlsafe(32)}"
    ApiToken.objects.create(user=user, name=name, token_hash=hash_of(token))
    return token


def user_of_token(token: str) -> User | None:
    """Return whose token this is, and note that it was used; None for one that nobody has."""
    found = (
        ApiToken.objects.filter(token_hash=hash_of(token), user__is_active=True)
        .select_related("user")
        .first()
    )
    if found is None:
        return None
    ApiToken.objects.filter(pk=found.pk).update(last_used_at=timezone.now())
    return found.user


def revoke_token(token: ApiToken) -> None:
    token.delete()


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
