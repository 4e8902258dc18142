"""Store webhooks, and tell them what happened."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from typing import Any

import requests
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.models import Webhook
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from assess.webhooks.queries import WebhookEvent, allows, new_events
from assess.webhooks.signature import signed_headers
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change

TIMEOUT = 10  # s, to connect and again to read
MOST_WEBHOOKS = 10  # of a campaign
TEST = "test"


class WebhookRefused(Refused):
    """A webhook that is not stored; says why."""


@transaction.atomic
def add_webhook(campaign: Campaign, url: str, by: User) -> Webhook:
    """Store a webhook, which is told of what happens from now on. Raises WebhookRefused.

    An address that the campaign has already is returned as it is.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one webhook at a time
    if known := campaign.webhooks.filter(url=url).first():
        return known
    if not allows(url):
        raise WebhookRefused(
            "The administrator of this site has not allowed this host (JURYPOOL_WEBHOOK_HOSTS)."
        )
    if campaign.webhooks.count() >= MOST_WEBHOOKS:
        raise WebhookRefused(f"A campaign has at most {MOST_WEBHOOKS} webhooks. Remove one first.")
    log_change(campaign, by, "added a webhook", url, url=url)
    rows = progress_grid(CampaignReads(campaign)).rows
    return Webhook.objects.create(
        campaign=campaign,
        url=url,
        secret=secrets.token_urlsafe(32),
        created_by=by,
        last_entry=campaign.audit_log.values_list("number", flat=True)[0],
        finished_topics=[row.topic.number for row in rows if row.is_complete and row.judged],
    )


@transaction.atomic
def remove_webhook(webhook: Webhook, by: User) -> None:
    log_change(webhook.campaign, by, "removed a webhook", webhook.url, url=webhook.url)
    webhook.delete()


def deliver(webhook: Webhook) -> int:
    """Tell a webhook of everything new, in order; stop at the first request that fails. Return how many."""
    count = 0
    for event in new_events(webhook):
        if not _send(webhook, event.key, body_of(webhook, event)):
            break
        Webhook.objects.filter(pk=webhook.pk).update(**event.told)
        count += 1
    return count


def deliver_all() -> Iterator[str]:
    """Tell every webhook what is new; yield a line for each that was told something, or could not be."""
    for webhook in Webhook.objects.select_related("campaign"):
        count = deliver(webhook)
        if count or webhook.problem:
            line = f"{webhook.campaign.slug}: {webhook}: {count:,} sent"
            yield f"{line}. {webhook.problem}" if webhook.problem else line


def send_test(webhook: Webhook) -> bool:
    """Send an event of the type "test"; return whether it was taken."""
    now = timezone.now()
    event = WebhookEvent(f"{webhook.campaign.slug}-test-{now.timestamp():.0f}", TEST, now, {}, {})
    return _send(webhook, event.key, body_of(webhook, event))


def body_of(webhook: Webhook, event: WebhookEvent) -> bytes:
    about: dict[str, Any] = {
        "type": event.type,
        "timestamp": (event.at or timezone.now()).isoformat(),
        "campaign": webhook.campaign.slug,
        "data": event.data,
    }
    return json.dumps(about, ensure_ascii=False).encode()


def _send(webhook: Webhook, key: str, body: bytes) -> bool:
    """Send one request and note what became of it; return whether it was taken."""
    webhook.problem = _problem(webhook, key, body)
    webhook.tried_at = timezone.now()
    webhook.save(update_fields=["problem", "tried_at"])
    return not webhook.problem


def _problem(webhook: Webhook, key: str, body: bytes) -> str:
    if not allows(webhook.url):
        return "The administrator of this site no longer allows this host."
    headers = signed_headers(webhook.secret, key, int(time.time()), body)
    try:
        with requests.Session() as session:
            session.trust_env = False
            answer = session.post(
                webhook.url, body, headers=headers, timeout=TIMEOUT, allow_redirects=False, stream=True
            )
            return (
                "" if answer.ok and not answer.is_redirect else f"The address answered {answer.status_code}."
            )
    except requests.Timeout:
        return f"The address did not answer within {TIMEOUT} seconds."
    except requests.RequestException:
        return "No connection to the address could be opened."
