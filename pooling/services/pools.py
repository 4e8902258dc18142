"""Build a pool and freeze it with its manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from pooling.manifest import PoolPlan, manifest_of
from pooling.models import (
    Campaign,
    Pool,
    PooledDocument,
    Run,
)
from pooling.quality.coverage import complete_depth
from pooling.queries.documents import pool_keys
from pooling.queries.drafts import select_new_documents
from pooling.queries.reads import PoolingReads
from pooling.queries.topics import topics_to_record
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.services.jobs import start_held_jobs
from pooling.strategies.candidates import Pooled
from pooling.words import counted


class PoolRefused(Conflict):
    """A pool that cannot be frozen; says why."""


POOL_CONFLICT_MESSAGE = (
    "Another pool was frozen while this one was built. Check the draft, then freeze it again."
)


def freeze_pool(campaign: Campaign, user: User, runs: list[Run], plan: PoolPlan) -> Pool:
    """Build a pool and store it with its manifest, for good. Raises PoolRefused.

    What earlier pools hold is left out: it is judged already, or will be. The pool is built before the
    transaction that stores it.
    """
    if not runs:
        raise PoolRefused("A pool is built from runs, and none was chosen.")
    earlier = pool_keys(campaign)  # read before the documents that these pools hold
    if plan.topics is None:
        plan = replace(plan, topics=topics_to_record(campaign))
    candidates, new = select_new_documents(PoolingReads(campaign), runs, plan)
    if not new.any():
        raise PoolRefused("All these documents are already in a frozen pool.")
    pooled, checksums = candidates.pooled(new), {run.tag: run.sha256 for run in runs}
    manifest = manifest_of(plan, runs, checksums, pooled, complete_depth(candidates, new))
    return store_pool(campaign, user, manifest, pooled, runs, earlier)


def store_pool(
    campaign: Campaign,
    user: User,
    manifest: dict[str, Any],
    pooled: Pooled,
    runs: Sequence[Run] = (),
    earlier: list[int] | None = None,
) -> Pool:
    """Write a pool with its documents; complete its manifest with who, when and what it leaves out.

    earlier: the pools that were there when this one was built, from `pool_keys`. Raises PoolRefused when
    another was frozen since.
    """
    pool = Pool(campaign=campaign, frozen_by=user)
    pool.strategy, pool.parameters = manifest["strategy"], manifest["parameters"]
    columns, size = _columns_of(campaign, pooled), sum(map(len, pooled.values()))
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # one pool at a time
        if earlier is not None and pool_keys(campaign) != earlier:
            raise PoolRefused(POOL_CONFLICT_MESSAGE)
        _check_runs(campaign, runs)
        checksums = campaign.pools.order_by("number").values_list("manifest__sha256", flat=True)
        pool.number = len(checksums) + 1
        pool.manifest = manifest | {
            "campaign": campaign.slug,
            "pool": pool.number,
            "leaves_out": list(checksums),
            "frozen_at": pool.frozen_at.isoformat(),
            "frozen_by": user.username,
            "software": f"Jurypool {settings.VERSION}",
        }
        pool.save()
        pool.runs.set(runs)
        insert_rows(PooledDocument, size, pool_id=pool.pk, **columns)
        start_held_jobs(campaign)
        summary = f"{pool}: {counted(size, 'document')}, {pool.strategy}"
        log_change(campaign, user, "froze a pool", summary, number=pool.number, sha256=manifest.get("sha256"))
    return pool


def _check_runs(campaign: Campaign, runs: Sequence[Run]) -> None:
    """Raise PoolRefused if a run of the pool was withdrawn or replaced since it was read."""
    tags = {run.pk: run.tag for run in runs}
    active = dict(campaign.runs.active().filter(pk__in=tags).values_list("pk", "tag"))
    if gone := sorted(tags[pk] for pk in tags if active.get(pk) != tags[pk]):
        raise PoolRefused(
            f"The run {gone[0]} is withdrawn, so it cannot be pooled. Check the draft, then freeze it again."
        )


def _columns_of(campaign: Campaign, pooled: Pooled) -> dict[str, list[Any]]:
    topics = dict(campaign.topics.values_list("number", "pk"))
    rows = [
        (topics[number], docno, how.best_rank, how.run_count)
        for number, documents in sorted(pooled.items())
        for docno, how in sorted(documents.items())
    ]
    names = ("topic_id", "docno", "best_rank", "run_count")
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}
