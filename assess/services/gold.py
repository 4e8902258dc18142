"""Load and withdraw training and gold documents."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from assess.gold_lines import GoldLine, read_gold_lines
from assess.models import Assignment, Judgment, Probe, QueueEntry
from assess.services.counters import raise_versions
from assess.services.queues import extend_queue
from pooling.checksum import sha256_of
from pooling.formats.files import BadLine, unpack
from pooling.manifest import pairs_text
from pooling.models import Campaign, Pool, PooledDocument
from pooling.queries.documents import pooled_in
from pooling.services.audit_log import log_change
from pooling.services.pools import store_pool
from pooling.strategies.candidates import Pooled, PoolEntry
from pooling.words import counted


class LoadedGold(NamedTuple):
    """Numbers of documents. new_documents: in no pool before. from_pools: now outside the qrels."""

    loaded: int
    new_documents: int
    from_pools: int


def load_gold(campaign: Campaign, organiser: User, kind: str, content: bytes, name: str = "") -> LoadedGold:
    """Store documents with known grades as training or gold documents, and add them to the judges' queues.

    Documents that are in no pool form a pool of their own. A pooled document no longer counts in the qrels.
    An existing probe gets the new grade and reason. Raises BadFile, and then nothing is stored.
    """
    lines = read_gold_lines(unpack(content, name, settings.UPLOAD_LIMIT), name)
    _check_scope(campaign, lines, name)
    summary, checksum = f"{len(lines):,} {kind}" + (f" from {name}" if name else ""), sha256_of(content)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # one file at a time, and one pool
        loaded = _store_probes(campaign, organiser, kind, lines, name)
        log_change(campaign, organiser, "loaded probes", summary, kind=kind, sha256=checksum)
    return loaded


def _store_probes(
    campaign: Campaign, organiser: User, kind: str, lines: Collection[GoldLine], name: str
) -> LoadedGold:
    known = {(pooled.topic.number, pooled.docno): pooled for pooled in _known_documents(campaign, lines)}
    _check_documents(known, lines, kind, name)
    new = [line for line in lines if (line.topic, line.docno) not in known]
    if new:
        _pool_probes(campaign, organiser, new, name)
        known = {(pooled.topic.number, pooled.docno): pooled for pooled in _known_documents(campaign, lines)}
    probes = [
        Probe(pooled=known[line.topic, line.docno], kind=kind, relevance=line.grade, why=line.why)
        for line in lines
    ]
    before = Probe.objects.filter(pooled__in=[probe.pooled_id for probe in probes]).count()
    Probe.objects.bulk_create(
        probes,
        batch_size=1000,
        update_conflicts=True,
        unique_fields=["pooled"],
        update_fields=["relevance", "why", "withdrawn"],
    )
    raise_versions({probe.pooled.topic_id for probe in probes})
    _add_to_queues(campaign, {probe.pooled_id: probe.pooled.topic_id for probe in probes})
    return LoadedGold(len(lines), len(new), len(lines) - len(new) - before)


@transaction.atomic
def withdraw_gold(campaign: Campaign, probes: QuerySet[Probe], by: User | None = None) -> int:
    """Remove these probes from all queues. Return how many were withdrawn. Their labels stay."""
    chosen = probes.filter(withdrawn=False, pooled__pool__campaign=campaign).select_related("pooled__topic")
    pairs = {probe.pooled_id: [probe.pooled.topic.number, probe.pooled.docno] for probe in chosen}
    documents = list(pairs)
    entries = QueueEntry.objects.filter(pooled__in=documents, state=QueueEntry.State.OPEN)
    entries.update(state=QueueEntry.State.AWAY)
    if documents:
        log_change(
            campaign,
            by,
            "withdrew probes",
            counted(len(documents), "document"),
            documents=list(pairs.values()),
        )
    return Probe.objects.filter(pooled__in=documents).update(withdrawn=True)


def _known_documents(campaign: Campaign, lines: Collection[GoldLine]) -> list[PooledDocument]:
    wanted = {(line.topic, line.docno) for line in lines}
    in_topics = pooled_in(campaign).filter(topic__number__in={topic for topic, _ in wanted})
    rows = in_topics.select_related("topic", "probe")
    return [pooled for pooled in rows.iterator() if (pooled.topic.number, pooled.docno) in wanted]


def _check_scope(campaign: Campaign, lines: Collection[GoldLine], name: str) -> None:
    topics = set(campaign.topics.values_list("number", flat=True))
    scale = [grade.value for grade in campaign.grades]
    for line in lines:
        if line.topic not in topics:
            raise BadLine(line.line, f"topic {line.topic} is not in this campaign", name)
        if line.grade not in scale:
            message = f"expected a grade of the scale {', '.join(map(str, scale))}, found {line.grade}"
            raise BadLine(line.line, message, name)


def _check_documents(
    known: dict[tuple[str, str], PooledDocument], lines: Collection[GoldLine], kind: str, name: str
) -> None:
    """Raise BadLine for a document whose labels count in the qrels, or that is a probe of the other kind."""
    pks = [pooled.pk for pooled in known.values()]
    labelled = set(Judgment.with_unfinished.filter(pooled__in=pks).values_list("pooled", flat=True))
    for line in lines:
        pooled = known.get((line.topic, line.docno))
        probe: Probe | None = getattr(pooled, "probe", None)
        name_of_line = f"{line.docno} of topic {line.topic}"
        if probe and probe.kind != kind:
            raise BadLine(line.line, f"{name_of_line} is already a {probe.kind} document", name)
        if pooled and not probe and pooled.pk in labelled:
            message = (
                f"expected a document without labels, but {name_of_line} has labels that count in the qrels"
            )
            raise BadLine(line.line, message, name)


def _pool_probes(campaign: Campaign, organiser: User, lines: Collection[GoldLine], name: str) -> None:
    pooled: Pooled = {}
    for line in lines:
        pooled.setdefault(line.topic, {})[line.docno] = PoolEntry(None, 0)
    manifest = {
        "strategy": Pool.PROBES,
        "parameters": {"file": name} if name else {},
        "runs": [],
        "documents": len(lines),
        "topics": len(pooled),
        "sha256": sha256_of(pairs_text(pooled)),
    }
    store_pool(campaign, organiser, manifest, pooled)


def _add_to_queues(campaign: Campaign, documents: dict[int, int]) -> None:
    """Move probes to the judges of their topics. documents: key of the pooled document -> key of its topic.

    Their ordinary queue entries are removed.
    """
    entries = QueueEntry.objects.filter(pooled__in=documents, state=QueueEntry.State.OPEN)
    entries.filter(kind=QueueEntry.Kind.JUDGING).update(state=QueueEntry.State.AWAY)
    assignments = Assignment.objects.filter(topic__in=set(documents.values()), judge__is_active=True)
    for topic in campaign.topics.filter(pk__in=assignments.values("topic")):
        judges = User.objects.filter(pk__in=assignments.filter(topic=topic).values("judge"))
        for judge in judges:
            extend_queue(judge, topic, want=0)
