"""Documents without a judge or with two, and which pool can be discarded."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import PROTECT, Count, ForeignObjectRel, Model, QuerySet

from accounts.models import User
from assess.models import Adjudication, Assignment, Judgment, JudgmentEvent, Probe, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_totals import label_totals
from assess.queries.progress import pool_sizes
from assess.release.formats import PRELS
from pooling.models import Campaign, Pool, PooledDocument, Topic


class UnassignedPool(NamedTuple):
    """The documents of one pool, of topics whose judges have another pool only. documents: unjudged ones."""

    pool: Pool
    topics: list[Topic]
    documents: int


class UnassignedDocuments(NamedTuple):
    """What belongs to no judge, by pool, although the topics have judges."""

    pools: list[UnassignedPool]

    @property
    def documents(self) -> int:
        return sum(each.documents for each in self.pools)


def active_assignments(campaign: Campaign) -> QuerySet[Assignment]:
    """Return the assignments of people who can sign in, without those of samples, the latest pool last."""
    people = User.objects.filter(is_active=True)
    rows = Assignment.objects.filter(topic__campaign=campaign, judge__in=people)
    rows = rows.exclude(part=Assignment.Part.AUDIT)
    return rows.order_by("pool__number", "pk")


def unassigned_documents(reads: CampaignReads) -> UnassignedDocuments:
    """Return the unjudged documents of pools that no primary or sharing judge of the topic has.

    Topics that have no judge at all are left out: they wait to be assigned.
    """
    first = active_assignments(reads.campaign).exclude(part=Assignment.Part.SECOND)
    covered = set(first.values_list("topic", "pool"))
    judged = label_totals(reads).documents
    left = {
        place: size - judged.get((place[0], place[1]), 0)
        for place, size in pool_sizes(reads).items()
        if place not in covered
    }
    with_judges = {topic for topic, _ in covered}
    by_pool: dict[int, list[int]] = {}
    for (topic, pool), count in left.items():
        if count > 0 and topic in with_judges:
            by_pool.setdefault(pool, []).append(topic)
    return UnassignedDocuments(
        [
            UnassignedPool(
                pool,
                [topic for topic in reads.topics if topic.pk in by_pool[pool.pk]],
                sum(left[topic, pool.pk] for topic in by_pool[pool.pk]),
            )
            for pool in reads.pools
            if pool.pk in by_pool
        ]
    )


def why_not_discarded(pool: Pool, withdrawn: int | None = None) -> str:
    """Return the sentence why a pool cannot be discarded; empty if it can.

    withdrawn: a judge whose labels are withdrawn; they do not count, unless they are in a release.
    """
    if pool.campaign.pools.filter(number__gt=pool.number).exists():
        return f"{pool} cannot be discarded: a later pool leaves out its documents. Discard that pool first."
    events = JudgmentEvent.with_unfinished.filter(pooled__pool=pool)
    if events.exclude(judge=withdrawn).exists():
        return f"{pool} cannot be discarded: documents of it are judged. Every label stays."
    if Probe.objects.filter(pooled__pool=pool).exists():
        return f"{pool} cannot be discarded: documents of it are gold or training documents."
    if Adjudication.objects.filter(pooled__pool=pool).exists():
        return f"{pool} cannot be discarded: documents of it are settled."
    for release in pool.campaign.releases.filter(released_at__gte=pool.frozen_at):
        # without a label, the only lines of a pool are those of its sample
        has_lines = release.files.filter(kind=f"{PRELS}-{pool.number}").exists() or events.exists()
        if has_lines or pool.number in release.parameters.get("pools", ()):
            return f"{pool} cannot be discarded: it is in release {release}, which does not change."
    if row := _protecting_row(pool):
        return f"{pool} cannot be discarded: documents of it belong to other work ({row})."
    return ""


def _protecting_row(pool: Pool) -> Model | None:
    """Return a row that protects a document of a pool from deletion, labels apart."""
    for relation in PooledDocument._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel) or relation.on_delete is not PROTECT:
            continue
        if relation.related_model not in (Judgment, JudgmentEvent):
            rows: QuerySet[Model] = relation.related_model._base_manager.all()
            if row := rows.filter(**{f"{relation.field.name}__pool": pool}).first():
                return row
    return None


def labelled_twice(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return the documents of shared topics with labels of several of the judges who share them."""
    done = QueueEntry.objects.filter(
        topic__campaign=campaign,
        state=QueueEntry.State.DONE,
        kind=QueueEntry.Kind.JUDGING,
        leased_until__isnull=False,
    )
    counted = done.order_by().values("pooled").annotate(judges=Count("*"))
    pooled = PooledDocument.objects.filter(pk__in=counted.filter(judges__gt=1).values("pooled"))
    return pooled.select_related("topic").order_by("topic__place", "docno")
