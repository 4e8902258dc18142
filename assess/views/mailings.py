"""Mails to the people of a campaign: the page shows the text and who gets it, and asks before it sends."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone

from accounts.requests import UserRequest, get_or_post, request_key, site_of
from assess.forecast import IDLE_AFTER
from assess.models import QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from assess.queries.mailings import Mailing, news_of_release, reminders
from assess.queries.progress import progress_grid
from assess.services.mailings import (
    INTERNAL_MESSAGE,
    MailRefused,
    is_announced,
    mail_release_shared,
    send_mailing,
)
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404

EVERYONE = "all"  # judges with open documents


@get_or_post
def judge_reminders(request: UserRequest, slug: str) -> HttpResponse:
    """Show the reminders to idle judges, to all with open documents, or to one. A POST mails them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    site, judge = site_of(request), request.GET.get("judge", "")
    patience = timedelta(0) if judge else IDLE_AFTER
    mailing = reminders(campaign, progress_grid(CampaignReads(campaign)), timezone.now(), site, patience)
    if judge and judge != EVERYONE:
        mailing = mailing._replace(mails=[mail for mail in mailing.mails if str(mail.user.pk) == judge])
    if request.method == "POST":
        try:
            count = send_mailing(campaign, mailing, request.user, site, request_key(request))
        except MailRefused as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, f"{count:,} reminder{pluralize(count)} will be mailed.")
        return redirect("assess:judging", slug)
    stopped = "These judges have open documents and have labelled none for days."
    context = {
        "title": "Remind judges" if judge else "Remind judges who stopped",
        "sentence": "These judges have open documents." if judge else stopped,
        "verb": "Remind",
        "noun": "judge",
        "empty": "No judge has open documents" if judge else "No judge has stopped",
        "wider": "" if judge else f"?judge={EVERYONE}",
        "back": reverse("assess:judging", args=[slug]),
    }
    return mailing_page(request, campaign, mailing, **context)


@get_or_post
def release_mail(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the news of a shared release to participants. A POST mails it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    release = get_object_or_404(campaign.releases.select_related("campaign"), number=number)
    back = reverse("assess:release", args=[slug, number])
    site = site_of(request)
    if request.method == "POST":
        send_release_mail(request, release, site)
        return redirect(back)
    if not is_announced(release):
        messages.warning(request, INTERNAL_MESSAGE.format(release))
        return redirect(back)
    context = {
        "title": f"Tell participants about {release}",
        "sentence": "Participants can open this release.",
        "verb": "Mail",
        "noun": "participant",
        "empty": "The campaign has no participants",
        "back": back,
    }
    return mailing_page(request, campaign, news_of_release(release, site), **context)


def send_release_mail(request: UserRequest, release: QrelsRelease, site: str) -> None:
    try:
        count = mail_release_shared(release, request.user, site, request_key(request))
    except MailRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The news is mailed to {count:,} participant{pluralize(count)}.")


def mailing_page(request: HttpRequest, campaign: Campaign, mailing: Mailing, **context: str) -> HttpResponse:
    last = campaign.audit_log.filter(verb=mailing.verb).first()
    return render(
        request, "assess/mailing.html", {"campaign": campaign, "mailing": mailing, "last": last, **context}
    )
