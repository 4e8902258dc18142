"""Mails that a person may switch off: the kinds, who gets them, and the signed link that ends one."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db import models
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import User

SALT = "accounts.mail"


class MailKind(models.TextChoices):
    """A kind of mail; its value is the field of the user that switches it off."""

    REMINDER = "wants_reminders", "Reminders of open judging work"
    RELEASE = "wants_release_mail", "News of shared qrels"
    DIGEST = "wants_digest", "A weekly digest of my campaigns"


def is_mailable(user: User, kind: MailKind) -> bool:
    """Whether a person gets mails of this kind: has an address, can sign in, and has not switched it off."""
    return bool(user.email and user.is_active and user.can_sign_in and getattr(user, kind.value))


def mailable(users: Iterable[User], kind: MailKind) -> list[User]:
    return [user for user in users if is_mailable(user, kind)]


def subject_and_text(template: str, context: dict[str, object]) -> tuple[str, str]:
    """Render a mail. The first line of the template is the subject, the rest the text."""
    subject, _, text = render_to_string(template, context).partition("\n")
    return subject.strip(), f"{text.strip()}\n"


def switch_off_link(user: User, kind: MailKind, site: str) -> str:
    token = signing.dumps([user.pk, kind.value], salt=SALT)
    return site + reverse("accounts:mail_off", args=[token])


def read_switch_off_token(token: str) -> tuple[User, MailKind] | None:
    """Return the person and the kind of mail of a link; None if we did not sign it or the account is gone."""
    try:
        key, kind = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=key).first()
    return (user, MailKind(kind)) if user else None


def message_to(user: User, kind: MailKind, subject: str, text: str, site: str) -> EmailMessage:
    """Return a mail that says how to switch off its kind, also in the headers of RFC 2369 and RFC 8058."""
    link = switch_off_link(user, kind, site)
    context = {"link": link, "kind": kind.label, "account": site + reverse("accounts:account")}
    headers = {"List-Unsubscribe": f"<{link}>"}
    if link.startswith("https://"):
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    footer = render_to_string("accounts/mail_footer.txt", context)
    return EmailMessage(
        subject, f"{text}\n{footer}", settings.DEFAULT_FROM_EMAIL, [user.email], headers=headers
    )
