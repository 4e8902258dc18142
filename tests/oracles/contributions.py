"""What runs brought to a pool and how far down they are judged, by loops over docnos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from statistics import fmean
from typing import NamedTuple, TypeVar

from pooling.quality.contribution import Contribution
from pooling.quality.saturation import DepthLevel
from pooling.strategies.candidates import Pooled
from pooling.strategies.rankings import RunRankings, topics_of_runs

Pair = tuple[str, str]
"""(topic, docno)."""

Contributions = Mapping[str, Mapping[Pair, int]]
"""Who (a tag, a group, a kind) -> pooled pair -> the best rank at which it was found there."""

Grade = TypeVar("Grade")


def contributions(
    pool: Mapping[str, Collection[str]], runs: Iterable[RunRankings], reaches: Mapping[str, int]
) -> dict[str, dict[Pair, int]]:
    """Return what each run brought: the pooled documents that it holds no deeper than its reach.

    reaches: tag -> the deepest rank that the strategy read (`pooling.strategies.build.reaches`). With it
    the union of all contributions is the pool.
    """
    return {
        run.tag: {
            (topic, docno): rank
            for topic, ranking in run.rankings.items()
            for rank, docno in enumerate(ranking[: reaches[run.tag]], start=1)
            if docno in pool.get(topic, ())
        }
        for run in runs
    }


def by_owner(brought: Contributions, owners: Mapping[str, str]) -> dict[str, dict[Pair, int]]:
    """Return the contributions of runs put together. owners: tag -> group or kind."""
    together: dict[str, dict[Pair, int]] = {}
    for tag, ranks in brought.items():
        best = together.setdefault(owners[tag], {})
        for pair, rank in ranks.items():
            best[pair] = min(rank, best.get(pair, rank))
    return together


def tallied(brought: Contributions, relevant: Collection[Pair] = ()) -> dict[str, Contribution]:
    """Return who -> counts of the contribution (Zobel 1998; Buettcher et al. 2007).

    relevant: the pairs judged relevant; empty before judging.
    """
    finders = Counter(pair for ranks in brought.values() for pair in ranks)
    best: dict[Pair, int] = {}
    for ranks in brought.values():
        for pair, rank in ranks.items():
            best[pair] = min(rank, best.get(pair, rank))
    leaders = Counter(
        pair for ranks in brought.values() for pair, rank in ranks.items() if rank == best[pair]
    )
    tallies = {}
    for who, ranks in brought.items():
        alone = [pair for pair in ranks if finders[pair] == 1]
        tallies[who] = Contribution(
            len(ranks),
            len(alone),
            sum(pair in relevant for pair in ranks),
            sum(pair in relevant for pair in alone),
            sum(1 / leaders[pair] for pair, rank in ranks.items() if rank == best[pair]),
        )
    return tallies


def unique_to(brought: Contributions) -> dict[str, set[Pair]]:
    """Return who -> the pairs that nobody else brought."""
    finders = Counter(pair for ranks in brought.values() for pair in ranks)
    return {who: {pair for pair in ranks if finders[pair] == 1} for who, ranks in brought.items()}


def leave_one_out(
    grades: Mapping[Pair, Grade], brought: Contributions
) -> Iterator[tuple[str, dict[Pair, Grade]]]:
    """Yield (who, the qrels as they were without them): what they alone brought is not judged.

    Leave-one-run-out (Zobel 1998) or, of the contributions of groups, leave-one-group-out (Buettcher et al.
    2007). Scoring the run on both tells how unjudged newcomers fare. Right for pools known before judging; a
    live order would have chosen other documents, and is to be played again without the run.
    """
    for who, alone in unique_to(brought).items():
        yield who, {pair: grade for pair, grade in grades.items() if pair not in alone}


class Overlap(NamedTuple):
    """tags: the runs. shared: a row a run, how many pooled documents two runs both brought; on the diagonal
    what each brought."""

    tags: tuple[str, ...]
    shared: list[list[int]]


def overlap(brought: Contributions) -> Overlap:
    """Return how many pooled documents each two runs share."""
    shared = [[len(one.keys() & other.keys()) for other in brought.values()] for one in brought.values()]
    return Overlap(tuple(brought), shared)


Judged = Mapping[str, Collection[str]]
"""topic -> docnos that have a grade; a topic without any is one with an empty collection."""


def complete_depths(pool: Mapping[str, Collection[str]], runs: Iterable[RunRankings]) -> dict[str, int]:
    """Return topic -> the effective complete depth: the largest k such that every run's first k are pooled.

    A run that ends earlier, or lacks the topic, holds nobody back; where all that runs returned is pooled it
    is the length of the longest. Every topic of a run is there, at 0 when a first document is missing.
    """
    runs = list(runs)
    return {topic: _complete_depth(pool.get(topic, ()), runs, topic) for topic in topics_of_runs(runs)}


def _complete_depth(pooled: Collection[str], runs: Iterable[RunRankings], topic: str) -> int:
    longest, complete = 0, None
    for run in runs:
        ranking = run.rankings.get(topic, ())
        longest = max(longest, len(ranking))
        for docno in ranking[:complete]:
            if docno not in pooled:
                complete = ranking.index(docno)
                break
    return longest if complete is None else complete


def unjudged_at(runs: Iterable[RunRankings], judged: Judged, k: int) -> dict[str, dict[str, float]]:
    """Return tag -> topic -> unjudged@k, the unjudged among a run's first k over k (trec_eval 10's `unj`).

    A short list counts as if filled up with judged documents. Topics are those of `judged` that the run has
    documents for. Ranks are those of the rankings: in pooling order, or in scoring order where a score is to
    be explained. Raises ValueError for k below 1.

    >>> run = RunRankings("r", {"1": ["a", "b", "c"]})
    >>> unjudged_at([run], {"1": {"a"}, "2": {"z"}}, k=4)
    {'r': {'1': 0.5}}
    """
    if k < 1:
        raise ValueError(f"expected a cut-off of at least 1, found {k}")
    return {
        run.tag: {
            topic: sum(docno not in docnos for docno in run.rankings[topic][:k]) / k
            for topic, docnos in judged.items()
            if run.rankings.get(topic)
        }
        for run in runs
    }


def mean_unjudged(unjudged: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return tag -> the mean over the topics that the run has documents for; 0 without any."""
    return {tag: fmean(by_topic.values()) if by_topic else 0.0 for tag, by_topic in unjudged.items()}


def levels(pool: Pooled, relevant: Mapping[str, Collection[str]]) -> list[DepthLevel]:
    """Return what every depth of a pool added, shallowest first.

    relevant: topic -> docnos. Where the last level still has new relevant documents, a deeper pool would have
    found more.
    """
    documents: dict[int, int] = {}
    hits: dict[int, int] = {}
    for topic, found in pool.items():
        for docno, how in found.items():
            if how.best_rank is not None:
                documents[how.best_rank] = documents.get(how.best_rank, 0) + 1
                hits[how.best_rank] = hits.get(how.best_rank, 0) + (docno in relevant.get(topic, ()))
    return [DepthLevel(rank, count, hits[rank]) for rank, count in sorted(documents.items())]


def sizes_by_depth(pool: Pooled, depths: Iterable[int]) -> list[tuple[int, int]]:
    """Return (k, documents) for every depth k up to the pool's own.

    The depth-k pool lies within the depth-(k+1) pool, so one deep pool tells the size of all shallower ones:
    the documents whose best rank is at most k.
    """
    ranks = Counter(how.best_rank or 0 for found in pool.values() for how in found.values())
    return [(depth, sum(count for rank, count in ranks.items() if rank <= depth)) for depth in depths]
