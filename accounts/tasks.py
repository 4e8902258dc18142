"""Background tasks of accounts."""

from __future__ import annotations

from urllib.parse import urlsplit

from django_tasks import task

from accounts.forms import PasswordForgottenForm


@task
def mail_reset_link(email: str, site: str) -> None:
    """Mail a link for a new password to the people of this address; site: such as https://pool.example.org."""
    form = PasswordForgottenForm({"email": email})
    if form.is_valid():
        place = urlsplit(site)
        form.save(
            domain_override=place.netloc,
            use_https=place.scheme == "https",
            subject_template_name="accounts/password_mail_subject.txt",
            email_template_name="accounts/password_mail.txt",
        )
