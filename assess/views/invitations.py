"""Invite many people at once: a list is checked, and becomes a table of links or mails."""

from __future__ import annotations

import base64
import io
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.requests import UserRequest, full_address, get_or_post, request_key, site_of
from assess.forms.invitations import InvitationsForm
from assess.queries.campaign_reads import CampaignReads
from assess.services.mailings import mail_invitation
from assess.services.people import Invited, invite_many
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.people import INVITATION_LIFETIME, open_invitation
from pooling.spreadsheet import Table

LINK_COLUMNS = ("name", "address", "role", "group or topics", "link")


class InvitedPerson(NamedTuple):
    """A person who was invited. link: "" if it was mailed."""

    person: Invited
    link: str


@get_or_post
def people_invite(request: UserRequest, slug: str) -> HttpResponse:
    """Check a list of people; once it was checked and is sent again unchanged, invite them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = InvitationsForm(request.POST or None, reads=CampaignReads(campaign))
    checked = request.method == "POST" and form.is_valid()
    if checked and form.is_checked:
        return links_page(request, campaign, form)
    context = {
        "campaign": campaign,
        "form": form,
        "checked": checked,
        "return_to": return_to(request, campaign),
        "mails": sum(bool(person.address) for person in form.people) if settings.SENDS_MAIL else 0,
    }
    return render(request, "assess/people_invite.html", context)


def return_to(request: UserRequest, campaign: Campaign) -> str:
    """Return the page of the campaign from which people are invited; "" for any other address."""
    path = (request.POST or request.GET).get("return", "")
    is_inside = path.startswith(campaign.get_absolute_url()) and url_has_allowed_host_and_scheme(path, None)
    return path if is_inside else ""


def links_page(request: UserRequest, campaign: Campaign, form: InvitationsForm) -> HttpResponse:
    """Invite the people of a valid form and show their links, which are shown once.

    The page holds the file of the links, because the site keeps only checksums and could not send it later.
    """
    tokens = invite_many(campaign, form.people, request.user, request_key(request))
    by_mail = settings.SENDS_MAIL and "mail" in request.POST
    invited = []
    for person, token in zip(form.people, tokens, strict=True):
        if by_mail and person.address:
            mail_invitation(open_invitation(token), site_of(request))
            invited.append(InvitedPerson(person, ""))
        else:
            path = reverse("assess:invitation", args=[token])
            invited.append(InvitedPerson(person, full_address(request, path)))
    links = [each for each in invited if each.link]
    csv = links_as_csv(links)
    context: dict[str, Any] = {
        "campaign": campaign,
        "form": form,
        "invited": invited,
        "links": len(links),
        "csv": csv,
        "csv_address": f"data:text/csv;charset=utf-8;base64,{base64.b64encode(csv.encode()).decode()}",
        "days": INVITATION_LIFETIME.days,
        "return_to": return_to(request, campaign),
    }
    return render(request, "assess/people_links.html", context)


def links_as_csv(invited: list[InvitedPerson]) -> str:
    stream = io.StringIO()
    table = Table(stream, lineterminator="\n")
    table.writerow(LINK_COLUMNS)
    for person, link in invited:
        topics = " ".join(topic.number for topic in person.topics)
        table.writerow([person.name, person.address, person.role, person.group or topics, link])
    return stream.getvalue()
