"""The link of an invitation: mailed to the person, or shown once to the organiser."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.urls import reverse

from accounts.mail import subject_and_text
from accounts.requests import UserRequest, site_of
from assess.services.mailings import mail_invitation
from pooling.services.people import open_invitation


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
    link = request.build_absolute_uri(reverse("assess:invitation", args=[token]))
    _, text = subject_and_text("assess/mail_invitation.txt", {"invitation": invitation, "link": link})
    return {"link": link, "link_text": text}
