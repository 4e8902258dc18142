"""Give the documents of later pools to the judges of their topics."""

from __future__ import annotations

from django.db import transaction
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import Assignment
from assess.queries.campaign_reads import CampaignReads
from assess.queries.unassigned import active_assignments, unassigned_documents
from assess.services.assignments import store_assignments
from assess.services.queues import extend_queue
from pooling.models import Campaign
from pooling.services.audit_log import log_change


def give_unassigned_documents(campaign: Campaign, by: User | None = None) -> int:
    """Assign the documents of `unassigned_documents` to the judges of their topics; return how many.

    Each judge gets them in the part that the judge has in the latest pool of the topic. Queues are filled
    afterwards, one topic and judge at a time.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        waiting = unassigned_documents(CampaignReads(campaign))
        if not waiting.pools:
            return 0
        parts = {
            (each.topic_id, each.judge_id): each
            for each in active_assignments(campaign).select_related("judge", "topic__campaign")
        }
        places = {(topic.pk, each.pool.pk) for each in waiting.pools for topic in each.topics}
        given = [(last, pool) for last in parts.values() for topic, pool in places if topic == last.topic_id]
        store_assignments(
            [
                Assignment(judge=last.judge, topic=last.topic, pool_id=pool, part=last.part)
                for last, pool in given
            ]
        )
        _log(campaign, by, [last for last, _ in given], [each.pool.number for each in waiting.pools])
    for last, _ in given:
        if last.part != Assignment.Part.SHARED:
            extend_queue(last.judge, last.topic, want=0)
    return waiting.documents


def _log(campaign: Campaign, by: User | None, given: list[Assignment], pools: list[int]) -> None:
    judges = sorted({each.judge.username for each in given})
    topics = {each.topic.number: each.topic.place for each in given}
    names = {"judges": judges, "topics": sorted(topics, key=topics.__getitem__), "pools": pools}
    of_pools = f"pool{pluralize(len(pools))} {', '.join(map(str, pools))}"
    summary = (
        f"the documents of {of_pools} to {', '.join(judges)}: {len(topics)} topic{pluralize(len(topics))}"
    )
    log_change(campaign, by, "assigned", summary, **names)
