"""The link with which the first account of a new installation is created."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.contenttypes.models import ContentType
from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.urls import reverse

from accounts.models import User

LIFETIME = timedelta(days=1)


class LinkRefused(ValueError):
    """The link is forged or too old, or an account exists."""


def create_link(site: str) -> str:
    """Return a link at this site for the first account. It works once, within LIFETIME.

    Nothing is stored: the link is signed with the secret key, and stops to work when an account exists.
    """
    return site.rstrip("/") + reverse("pooling:first_organiser", args=[_signer().sign("first")])


def check_token(token: str) -> None:
    """Check the token of a link. Raises LinkRefused."""
    if User.objects.exists():
        raise LinkRefused("An account exists already, so the link for the first account no longer works.")
    try:
        _signer().unsign(token, max_age=LIFETIME)
    except BadSignature as error:
        raise LinkRefused("The link is older than a day, or it was not copied completely.") from error


@transaction.atomic
def create_first_organiser(token: str, username: str, name: str, password: str, email: str = "") -> User:
    """Create the first account, which administrates the site and may create campaigns. Raises LinkRefused."""
    table = ContentType.objects.select_for_update()
    table.get(app_label="accounts", model="user")  # of two requests at once, the second finds an account
    check_token(token)
    return User.objects.create_superuser(username, email, password, name=name)


def _signer() -> TimestampSigner:
    return TimestampSigner(salt="jurypool.first-organiser")
