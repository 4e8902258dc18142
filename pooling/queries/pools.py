"""The frozen pools of a campaign, as pages list them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pooling.models import Pool
from pooling.strategies.registry import strategy_in_words
from pooling.words import counted

ROUND = "round"  # a parameter of pools that are batches of reviews


class PoolGroup(NamedTuple):
    """Pools of reviews that are listed as one line: a review freezes one for each batch and each addition."""

    title: str
    pools: Sequence[Pool]

    @property
    def documents(self) -> int:
        return sum(pool.manifest.get("documents", 0) for pool in self.pools)


class PoolList(NamedTuple):
    """single: the pools that stand for themselves. groups: the others."""

    single: Sequence[Pool]
    groups: Sequence[PoolGroup]


def pool_list(pools: Iterable[Pool]) -> PoolList:
    """Return pools in groups: several batches of reviews are one, and several additions of judges to them."""
    single, by_title = list[Pool](), dict[str, list[Pool]]()
    for pool in pools:
        if pool.strategy == Pool.HIGH_RECALL:
            by_title.setdefault(_title(pool), []).append(pool)
        else:
            single.append(pool)
    single += [pools[0] for pools in by_title.values() if len(pools) == 1]
    groups = [PoolGroup(title, pools) for title, pools in by_title.items() if len(pools) > 1]
    return PoolList(sorted(single, key=lambda pool: pool.number), groups)


def _title(pool: Pool) -> str:
    if ROUND in pool.parameters:
        return f"{strategy_in_words(pool.strategy, {})}, batches"
    return strategy_in_words(pool.strategy, pool.parameters)


def pool_sentences(pools: Iterable[Pool]) -> list[str]:
    """Return how pools were built, a sentence or two for each; all batches of reviews have one."""
    listed = pool_list(pools)
    of_groups = [
        f"Pooled: {counted(group.documents, 'document')} in {len(group.pools):,} pools. {group.title}."
        for group in listed.groups
    ]
    return [*map(_sentence, listed.single), *of_groups]


def _sentence(pool: Pool) -> str:
    documents, runs = pool.manifest.get("documents", 0), len(pool.manifest.get("runs", []))
    where = f" from {counted(runs, 'run')}" if pool.strategy != Pool.HIGH_RECALL else ""
    how = strategy_in_words(pool.strategy, pool.parameters)
    return f"Pooled: {counted(documents, 'document')}{where}. {how}."
