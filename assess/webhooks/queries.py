"""What happened in a campaign that a webhook has not been told of yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from assess.models import Webhook
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from pooling.models import Job

RELEASES = {  # verb of the audit log -> type of the event
    "released qrels": "release.created",
    "shared qrels": "release.shared",
    "published qrels": "release.published",
    "restricted qrels": "release.restricted",
    "withdrew qrels": "release.withdrawn",
}
TOPIC, JOB = "topic.finished", "job.failed"
TYPES = {
    **dict.fromkeys(RELEASES.values(), "number and sentence of the release"),
    TOPIC: "number of a topic in which no label remains",
    JOB: "title and message of background work that failed",
}


class WebhookEvent(NamedTuple):
    """One event. key: the same for a repeated request. told: what the webhook stores once it is told."""

    key: str
    type: str
    at: datetime | None
    data: dict[str, Any]
    told: dict[str, Any]


def allows(url: str) -> bool:
    """Return whether the administrator allows requests to the host of an address."""
    return (urlsplit(url).hostname or "") in settings.WEBHOOK_HOSTS


def new_events(webhook: Webhook) -> Iterator[WebhookEvent]:
    """Yield what the webhook has not been told of: releases, then topics, then jobs, each oldest first."""
    campaign = webhook.campaign
    entries = campaign.audit_log.filter(verb__in=RELEASES, number__gt=webhook.last_entry)
    for entry in entries.order_by("number"):
        data = {"number": entry.details.get("number"), "sentence": entry.sentence}
        yield WebhookEvent(
            f"{campaign.slug}-{entry.number}",
            RELEASES[entry.verb],
            entry.at,
            data,
            {"last_entry": entry.number},
        )
    told = list(webhook.finished_topics)
    for row in progress_grid(CampaignReads(campaign)).rows:
        number = row.topic.number
        if row.is_complete and row.judged and number not in told:
            told = [*told, number]
            yield WebhookEvent(
                f"{campaign.slug}-topic-{row.topic.pk}",
                TOPIC,
                None,
                {"topic": number, "judged": row.judged},
                {"finished_topics": told},
            )
    failed = campaign.jobs.filter(state=Job.State.FAILED, finished_at__gt=webhook.jobs_until)
    for job in failed.order_by("finished_at", "pk"):
        data = {"job": job.pk, "title": job.title, "message": job.message}
        yield WebhookEvent(
            f"{campaign.slug}-job-{job.pk}-{job.attempts}",
            JOB,
            job.finished_at,
            data,
            {"jobs_until": job.finished_at},
        )
