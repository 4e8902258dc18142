"""Background tasks of accounts."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.db import transaction
from django_tasks import task
from django_tasks.base import Task

from accounts.forms import PasswordForgottenForm
from accounts.mail import MailKind, is_mailable, message_to
from accounts.models import User


@task
def mail_reset_link(email: str, site: str) -> None:
    """Mail a link for a new password to the people of this address; site: such as https://pool.example.org."""
    form = PasswordForgottenForm({"email": email})
    if form.is_valid():
        url = urlsplit(site)
        form.save(
            domain_override=url.netloc,
            use_https=url.scheme == "https",
            subject_template_name="accounts/password_mail_subject.txt",
            email_template_name="accounts/password_mail.txt",
        )


@task
def send_mail(user: int, kind: str, subject: str, text: str, site: str) -> None:
    """Mail a text to a person who wants this kind of mail at this moment; site: of the links."""
    person = User.objects.filter(pk=user).first()
    if person and is_mailable(person, MailKind(kind)):
        message_to(person, MailKind(kind), subject, text, site).send()


def enqueue_after_commit(task: Task[..., None], *arguments: object) -> None:
    """Enqueue a task once the change is stored. A failure is logged and never undoes the change."""
    transaction.on_commit(lambda: task.enqueue(*arguments), robust=True)


def mail_to(users: Iterable[User], kind: MailKind, subject: str, text: str, site: str) -> None:
    """Mail the same text to these people, each in a mail of its own, after the transaction."""
    for user in users:
        enqueue_after_commit(send_mail, user.pk, kind.value, subject, text, site)
