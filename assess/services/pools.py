"""Discard a pool of which no document is in use; give documents of later pools to judges."""

from __future__ import annotations

from django.db import transaction
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import Assignment, JudgmentEvent, QueueEntry
from assess.queries.assignments import active_assignments, unassigned_documents, why_not_discarded
from assess.queries.campaign_reads import CampaignReads
from assess.services.assignments import store_assignments
from assess.services.queues import extend_queue
from pooling.models import Campaign, Pool, PooledDocument
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change
from pooling.words import counted


class DiscardRefused(Conflict):
    """A pool that cannot be discarded; says why."""


def discard_pool(campaign: Campaign, number: int, by: User | None = None) -> int:
    """Delete a pool with its assignments and queue entries; return the number of its documents.

    Only the last pool can be discarded, because the manifest of each later one names those that it leaves
    out. Raises DiscardRefused for another pool, and where a document has a label, is a gold or training
    document, or the pool is in a release.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update().get(
            pk=campaign.pk
        )  # no pool is frozen and no run stored meanwhile
        pool = campaign.pools.filter(number=number).first()
        if pool is None:
            raise DiscardRefused(f"Pool {number} does not exist any more.")
        documents = PooledDocument.objects.filter(pool=pool)
        list(documents.select_for_update().order_by("pk").values_list("pk"))  # no label is stored meanwhile
        if reason := why_not_discarded(pool):
            raise DiscardRefused(reason)
        return _delete_pool(pool, by)


def discard_pool_of_labels(pool: Pool, withdrawn: int, by: User) -> int:
    """Delete a pool that was made for the labels of a judge who is withdrawn, with its label events.

    Return the number of its documents; 0 if something else uses the pool, which then stays. Belongs in a
    transaction.
    """
    Campaign.objects.select_for_update().get(pk=pool.campaign_id)
    list(pool.documents.select_for_update().order_by("pk").values_list("pk"))
    shared = Assignment.objects.filter(pool=pool).exclude(judge=withdrawn).exists()
    if shared or why_not_discarded(pool, withdrawn):
        return 0
    JudgmentEvent.objects.filter(pooled__pool=pool).delete()
    return _delete_pool(pool, by)


def _delete_pool(pool: Pool, by: User | None) -> int:
    size, about = pool.documents.count(), {"number": pool.number, "sha256": pool.manifest.get("sha256")}
    QueueEntry.objects.filter(pooled__pool=pool).delete()
    Assignment.objects.filter(pool=pool).delete()
    summary = f"{pool}: {counted(size, 'document')}, {pool.strategy}"
    log_change(pool.campaign, by, "discarded a pool", summary, documents=size, **about)
    pool.delete()
    return size


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
