"""Pools: built, and frozen with their manifest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from pooling.manifest import Plan, manifest_of
from pooling.models import (
    Campaign,
    Pool,
    PooledDocument,
    Run,
)
from pooling.queries import deepest_rank, pooled_before, ranked_runs
from pooling.refusals import Refused
from pooling.services.trail import note
from pooling.strategies import Pooled, without


class PoolRefused(Refused):
    """A pool that cannot be frozen; says why."""


@transaction.atomic
def freeze_pool(campaign: Campaign, user: User, runs: list[Run], plan: Plan) -> Pool:
    """Build a pool and store it with its manifest, for good. Raises PoolRefused.

    What earlier pools hold is left out: it is judged already, or will be.
    """
    if not runs:
        raise PoolRefused("A pool is built from runs, and none was chosen.")
    ranked = ranked_runs(campaign, runs, deepest_rank(plan))
    before = pooled_before(campaign)
    pooled = without(plan.pool(ranked), before)
    if not pooled:
        raise PoolRefused("The pools that are frozen already hold every one of these documents.")
    manifest = manifest_of(plan, ranked, {run.tag: run.sha256 for run in runs}, pooled)
    return store_pool(campaign, user, manifest, pooled, runs)


@transaction.atomic
def store_pool(
    campaign: Campaign, user: User, manifest: dict[str, Any], pooled: Pooled, runs: Iterable[Run] = ()
) -> Pool:
    """Write a pool with its documents; complete its manifest with who, when and what it leaves out."""
    earlier = list(campaign.pools.all())
    pool = Pool(campaign=campaign, number=len(earlier) + 1, frozen_by=user)
    pool.strategy, pool.parameters = manifest["strategy"], manifest["parameters"]
    pool.manifest = manifest | {
        "campaign": campaign.slug,
        "pool": pool.number,
        "leaves_out": [each.manifest["sha256"] for each in earlier],
        "frozen_at": pool.frozen_at.isoformat(),
        "frozen_by": user.username,
        "software": f"Jurypool {settings.VERSION}",
    }
    pool.save()
    pool.runs.set(runs)
    topics = {topic.number: topic for topic in campaign.topics.all()}
    PooledDocument.objects.bulk_create(
        (
            PooledDocument(
                pool=pool, topic=topics[number], docno=docno, best_rank=how.best_rank, run_count=how.run_count
            )
            for number, found in sorted(pooled.items())
            for docno, how in sorted(found.items())
        ),
        batch_size=1000,
    )
    told = f"{pool}: {sum(map(len, pooled.values())):,} documents, {pool.strategy}"
    note(campaign, user, "froze a pool", told, number=pool.number, sha256=manifest.get("sha256"))
    return pool
