"""The plan of a pool, and the manifest from which the same pool can be built again and compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pooling.arrays import Flags
from pooling.checksum import sha256_of
from pooling.formats.run_order import ASCENDING
from pooling.formats.runs import BY_SCORE
from pooling.quality.coverage import size_of
from pooling.refusals import Refused
from pooling.strategies.build import build_pool, select_candidates, simulate_pool
from pooling.strategies.candidates import Candidates, Pooled
from pooling.strategies.rankings import RunDescription, RunRankings
from pooling.strategies.registry import strategy_of


@dataclass(frozen=True)
class PoolPlan:
    """How a pool is made of runs.

    parameters: those that are not the default may be left out. topics: the numbers of the topics that are
    pooled; None for every topic of the campaign.
    """

    strategy: str
    parameters: Mapping[str, Any]
    seed: int = 0
    ties: str = ASCENDING
    topics: tuple[str, ...] | None = None

    def choose(self, candidates: Candidates) -> Flags:
        """Return which candidates are in the pool; shape (documents,). Raises Refused as `choose`."""
        return select_candidates(self.strategy, candidates, self.parameters, self.seed, self.ties)

    def pool(
        self, runs: Sequence[RunRankings], relevant: Mapping[str, Collection[str]] | None = None
    ) -> Pooled:
        """Return the pool. relevant: topic -> relevant docnos, to simulate a live strategy; None returns all
        of its candidates. Raises Refused as `build_pool`, and for relevant documents of another strategy."""
        if relevant is None:
            return build_pool(self.strategy, runs, self.parameters, self.seed, self.ties)
        return simulate_pool(self.strategy, runs, relevant, self.parameters, self.seed, self.ties)


def pairs_of(pooled: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """Yield (topic, docno) in the order in which pools are written and checksummed."""
    for topic, docnos in sorted(pooled.items()):
        for docno in sorted(docnos):
            yield topic, docno


def pairs_text(pooled: Mapping[str, Collection[str]]) -> str:
    """Return the pool as lines `topic docno`: the text whose SHA-256 a manifest holds."""
    return "".join(f"{topic} {docno}\n" for topic, docno in pairs_of(pooled))


def manifest_of(
    plan: PoolPlan,
    runs: Sequence[RunDescription],
    checksums: Mapping[str, str],
    pooled: Pooled,
    complete_depth: int,
) -> dict[str, Any]:
    """Return the manifest of a pool, ready for JSON.

    checksums: tag -> SHA-256 of the run's unpacked text. complete_depth: of these documents alone, from
    `pooling.quality.coverage.complete_depth`.
    """
    size = size_of(pooled)
    choice = {} if plan.topics is None else {"chosen_topics": list(plan.topics)}
    return choice | {
        "strategy": plan.strategy,
        "parameters": strategy_of(plan.strategy).checked(plan.parameters),
        "seed": plan.seed,
        "ties": plan.ties,
        "runs": [entry_of_run(run, checksums[run.tag]) for run in sorted(runs, key=lambda run: run.tag)],
        "documents": size.total,
        "topics": size.topics,
        "smallest": size.smallest,
        "median": size.middle,
        "largest": size.largest,
        "complete_depth": complete_depth,
        "sha256": sha256_of(pairs_text(pooled)),
    }


def entry_of_run(run: RunDescription, sha256: str) -> dict[str, Any]:
    """Return the entry of a run; an order is named where it is not that of trec_eval."""
    order = {} if run.order == BY_SCORE else {"order": run.order}
    about = {"tag": run.tag, "group": run.group, "kind": run.kind, "priority": run.priority}
    return about | order | {"sha256": sha256}


def chosen_topics(manifest: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the topics that a manifest names; None if the pool is of all topics."""
    topics = manifest.get("chosen_topics")
    return None if topics is None else tuple(topics)


def pool_plan_of(manifest: Mapping[str, Any]) -> PoolPlan:
    """Return the plan that a manifest records. Raises Refused for one that is not complete."""
    try:
        return PoolPlan(
            manifest["strategy"],
            dict(manifest["parameters"]),
            manifest["seed"],
            manifest["ties"],
            chosen_topics(manifest),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Refused(f"expected a manifest with strategy, parameters, seed and ties ({error})") from None
