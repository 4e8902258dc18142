"""Change what is known of a source of labels, withdraw its labels, and restore them."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from assess.integrity import current_events
from assess.models import Judgment, JudgmentEvent, Load, QueueEntry, Source
from assess.queries.extensions import restoration_obstacles
from assess.queries.integrity import events_on
from assess.queries.queues import judging_plan_of
from assess.queries.sources import labels_of
from assess.services.assignments import unassign_topic
from assess.services.counters import derive_progress, lock_documents, update_label_summaries
from assess.services.pools import discard_pool_of_labels
from pooling.models import Pool
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows


class SourceRefused(Conflict):
    """A source cannot be changed so; the message says why."""


@transaction.atomic
def describe_source(source: Source, by: User, name: str = "", **fields: Any) -> None:
    """Rename a source, and change what is known of it. Raises SourceRefused for a name in use.

    name: what pages show; a person who signs in has chosen their own, so it is not changed.
    """
    source = _locked(source)
    known = source.campaign.sources.standing().exclude(pk=source.pk)
    if source.kind != Source.Kind.PERSON and name != source.user.name:
        if known.filter(user__name=name).exists():
            raise SourceRefused(f"This campaign already has a source called {name}.")
        fields = fields | {"name": name}
    changes = {}
    for field, value in fields.items():
        row = source.user if field == "name" else source
        if getattr(row, field) != value:
            changes[field] = {"was": str(getattr(row, field)), "is": str(value)}
            setattr(row, field, value)
            row.save(update_fields=[field])
    if changes:
        summary = f"{source.user}: {', '.join(changes)}"
        about = {"judge": source.user.username, "changes": changes}
        log_change(source.campaign, by, "described a source of labels", summary, **about)


@transaction.atomic
def withdraw_source(source: Source, by: User, reason: str) -> int:
    """Withdraw all labels of a source; return their number. The events stay, and the topics are taken back.

    A pool that was made for the file of this source is discarded, with the events in it, if nothing else uses
    it. Raises SourceRefused if it is withdrawn already, and while judges see its grades.
    """
    source = _locked(source)
    campaign = source.campaign
    if source.withdrawn_at:
        raise SourceRefused(f"{source.user} is withdrawn already.")
    if judging_plan_of(campaign).shown_machine_id == source.pk:
        raise SourceRefused(
            f"Judges see the grades of {source.user} while they judge. Change the judging plan first."
        )
    source.withdraw(by, reason)
    labels = labels_of(source)
    documents = list(labels.order_by().values_list("pooled", flat=True))
    lock_documents(documents)
    labels.delete()
    _derive(source, documents)
    for topic in campaign.topics.filter(assignments__judge=source.user_id).distinct():
        unassign_topic(topic, source.user, by)
    pool = _discard_pool_of_load(source, by)
    summary = f"{len(documents):,} of {source.user}"
    if pool:
        summary += f"; {pool} was made for them and is discarded"
    about = {"judge": source.user.username, "labels": len(documents), "reason": reason}
    log_change(campaign, by, "withdrew labels", summary, **about)
    return len(documents)


@transaction.atomic
def restore_source(source: Source, by: User) -> int:
    """Let the labels of a withdrawn source count again; return their number. Raises SourceRefused."""
    source = _locked(source)
    campaign = source.campaign
    if not source.withdrawn_at:
        raise SourceRefused(f"{source.user} is not withdrawn.")
    if source.user.name and campaign.sources.standing().filter(user__name=source.user.name).exists():
        raise SourceRefused(
            f"Another source is called {source.user} now. Rename one of them, then restore the labels."
        )
    for obstacle in restoration_obstacles:
        if reason := obstacle(source):
            raise SourceRefused(reason)
    source.restore()
    documents: list[int] = []
    for topic in campaign.topics.filter(progress__judge=source.user_id):
        events = events_on(topic, source.user_id)
        current = [
            event.uuid for event in current_events(events).values() if event.kind == QueueEntry.Kind.JUDGING
        ]
        rows = list(JudgmentEvent.objects.filter(uuid__in=current).values_list("pooled", "pk", "relevance"))
        insert_rows(
            Judgment,
            len(rows),
            judge_id=source.user_id,
            pooled_id=[pooled for pooled, _, _ in rows],
            event_id=[event for _, event, _ in rows],
            relevance=[grade for _, _, grade in rows],
        )
        documents += [pooled for pooled, _, _ in rows]
    lock_documents(documents)
    _derive(source, documents)
    summary = f"{len(documents):,} of {source.user}"
    about = {"judge": source.user.username, "labels": len(documents)}
    log_change(campaign, by, "restored labels", summary, **about)
    return len(documents)


def _locked(source: Source) -> Source:
    """Lock a source against labels, which lock it too, and against other changes."""
    rows = Source.objects.select_for_update(of=("self",)).select_related("user", "campaign")
    return rows.get(pk=source.pk)


def _derive(source: Source, documents: list[int]) -> None:
    """Derive the counters of a source and the summaries of documents whose labels it has or had."""
    topics = source.campaign.topics.filter(progress__judge=source.user_id)
    for topic in topics.order_by("pk").values_list("pk", flat=True):
        derive_progress(source.campaign, source.user_id, topic)
    if not source.is_program:
        update_label_summaries(source.campaign_id, documents)


def _discard_pool_of_load(source: Source, by: User) -> Pool | None:
    """Discard the pool that was made for the file of a withdrawn source, unless something else uses it."""
    load = Load.objects.filter(source=source, pool__isnull=False).select_related("pool").first()
    if load is None or load.pool is None or not discard_pool_of_labels(load.pool, source.user_id, by):
        return None
    return load.pool
