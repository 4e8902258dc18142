"""The reads of the ground floor that need a name."""

from __future__ import annotations

import zlib
from threading import RLock

import numpy as np
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import User
from pooling.docnos import DocnoTable
from pooling.models import Campaign, Document, Membership, PooledDocument, Role, Run, RunQuerySet, Topic
from pooling.stored import StoredColumns, unpack_columns
from pooling.strategies import Rankings

TABLES: dict[int, tuple[DocnoTable, tuple[int, str]]] = {}  # campaign -> docnos, the last block that was read
TABLES_LOCK = RLock()


def campaign_or_404(user: User, slug: str, *roles: Role) -> Campaign:
    """Return the campaign if this person is a member with one of `roles` (any role when none is given).

    The one door: an outsider gets 404, so that not even the name leaks; a member in another role gets 403.
    An organiser passes everywhere.
    """
    campaign = get_object_or_404(Campaign.objects.of(user), slug=slug)
    campaign.my_roles = frozenset(campaign.memberships.filter(user=user).values_list("role", flat=True))
    if roles and not campaign.my_roles & {Role.ORGANISER, *roles}:
        raise PermissionDenied(f"This page is for the {' or '.join(role.label.lower() for role in roles)}.")
    return campaign


def campaigns_with_roles(user: User) -> list[tuple[Campaign, list[str]]]:
    """Return this person's campaigns, newest first, each with the names of their roles in it."""
    roles: dict[Campaign, list[str]] = {}
    memberships = Membership.objects.filter(user=user).select_related("campaign")
    for membership in memberships.order_by("-campaign__created_at", "role"):
        roles.setdefault(membership.campaign, []).append(membership.get_role_display())
    return list(roles.items())


def group_of(user: User, campaign: Campaign) -> str:
    """Return the group that this person submits for; empty for everybody else."""
    membership = campaign.memberships.filter(user=user, role=Role.PARTICIPANT).first()
    return membership.group if membership else ""


def runs_seen_by(user: User, campaign: Campaign) -> RunQuerySet:
    """Return every run for those who run or read the campaign, and their group's alone for participants."""
    if campaign.my_roles - {Role.PARTICIPANT, Role.JUDGE}:
        return campaign.runs.all()
    groups = campaign.memberships.filter(user=user, role=Role.PARTICIPANT).values("group")
    return campaign.runs.filter(group__in=groups)


def docno_table(campaign: Campaign) -> DocnoTable:
    """Return the campaign's dictionary of docnos.

    Kept in this process and brought up to date block by block: what is known is not read again, unless the
    last block is no longer the one that was read (its transaction was rolled back).
    """
    with TABLES_LOCK:
        table, last = TABLES.get(campaign.pk) or (DocnoTable(), None)
        blocks = campaign.docno_blocks.filter(start__gte=last[0] if last else 0)
        found = list(blocks.values_list("start", "checksum"))
        if last and found[:1] != [last]:
            del TABLES[campaign.pk]
            return docno_table(campaign)
        for block in blocks.filter(start__gte=len(table)):
            table.add(np.array(zlib.decompress(block.docnos).split(b"\n")))
        if found:
            TABLES[campaign.pk] = table, found[-1]
        return table


def stored(run: Run) -> StoredColumns:
    """Return the columns of a stored run."""
    blobs = run.columns
    return unpack_columns(*map(bytes, (blobs.topics, blobs.offsets, blobs.ids, blobs.scores, blobs.scoring)))


def rankings_of(run: Run) -> Rankings:
    """Return what a stored run returned for each topic, in pooling order."""
    columns = stored(run)
    docnos = [
        docno.decode() for docno in docno_table(run.campaign).docnos(columns.ids.astype(np.int64)).tolist()
    ]
    bounds = columns.offsets.tolist()
    return {topic: docnos[bounds[t] : bounds[t + 1]] for t, topic in enumerate(columns.topics)}


def pooled_before(campaign: Campaign) -> dict[str, set[str]]:
    """Return topic -> docnos of every pool so far."""
    before: dict[str, set[str]] = {}
    for topic, docno in pooled_in(campaign).values_list("topic__number", "docno"):
        before.setdefault(topic, set()).add(docno)
    return before


def topics_with_pool_sizes(campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics with `pool_size`, the number of documents pooled so far."""
    return campaign.topics.annotate(pool_size=Count("pooled"))


def pooled_in(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return every pooled document of the campaign, over all its pools."""
    return PooledDocument.objects.filter(pool__campaign=campaign)


def docnos_without_text(campaign: Campaign) -> list[str]:
    """Return the pooled docnos for which no document was loaded, sorted."""
    loaded = campaign.documents.values("docno")
    return sorted(set(pooled_in(campaign).exclude(docno__in=loaded).values_list("docno", flat=True)))


def document_counts(campaign: Campaign) -> dict[str, int]:
    """Return how many documents are kept and how many distinct ones are pooled."""
    return {
        "kept": campaign.documents.count(),
        "pooled": pooled_in(campaign).values("docno").distinct().count(),
    }


def document_of(pooled: PooledDocument) -> Document | None:
    """Return the text that belongs to a pooled document, if it was loaded."""
    return Document.objects.filter(campaign=pooled.pool.campaign_id, docno=pooled.docno).first()
