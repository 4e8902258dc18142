"""Pools of runs, and the quality of pools and judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pooling.arrays import Flags
from pooling.formats.qrels import Qrels
from pooling.formats.run_order import ASCENDING, DESCENDING
from pooling.manifest import PoolPlan, pairs_text
from pooling.notebook import markup
from pooling.quality.contribution import Contribution, PooledPostings, contribution_table
from pooling.quality.coverage import Size, complete_depth, size_of
from pooling.quality.saturation import DepthLevel, levels_of
from pooling.quality.verdict import Evidence, QualityVerdict, TopicCounts, verdict
from pooling.refusals import Refused
from pooling.strategies.candidates import Candidates, Pooled, PoolEntry, candidates_of_rankings
from pooling.strategies.rankings import RunRankings, rank_run
from pooling.strategies.registry import STRATEGIES, strategy_of

from .reading import QrelsSource, RunSource, read_qrels, read_runs
from .scoring import evaluate

TIES = {"ascending": ASCENDING, "descending": DESCENDING}
DEEPEST = 100  # how far down a run is read for what it brought
Runs = RunSource | Mapping[str, RunSource] | Sequence[RunSource]


class Pool(Mapping[str, Mapping[str, PoolEntry]]):
    """The documents to judge: topic -> docno -> its best rank in any run, and the number of runs.

    Attributes
    ----------
    plan
        The strategy, its parameters, the seed and the tie rule.
    size
        Documents in all, topics, and the smallest, middle and largest topic.
    """

    def __init__(self, plan: PoolPlan, pooled: Pooled) -> None:
        self.plan, self._pooled = plan, pooled
        self.size: Size = size_of(pooled)

    def __getitem__(self, topic: str) -> Mapping[str, PoolEntry]:
        return self._pooled[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._pooled)

    def __len__(self) -> int:
        return len(self._pooled)

    def to_text(self) -> str:
        """Return lines ``topic docno``, as ``jurypool pool`` prints them."""
        return pairs_text(self._pooled)

    def to_dict(self) -> dict[str, dict[str, dict[str, int | None]]]:
        """Return the pool as plain data, ready for JSON."""
        return {topic: {docno: how._asdict() for docno, how in own.items()} for topic, own in self.items()}

    def _repr_html_(self) -> str:
        rows = [[topic, str(len(documents))] for topic, documents in self.items()]
        return markup(["topic", "documents"], rows, repr(self).strip("<>"))

    def __repr__(self) -> str:
        size = self.size
        return (
            f"<{self.plan.strategy} pool: {size.total} documents of {size.topics} topics, "
            f"{size.smallest} to {size.largest} each>"
        )


def pool(
    runs: Runs,
    strategy: str = "depth",
    *,
    qrels: QrelsSource | None = None,
    threshold: int = 1,
    seed: int = 0,
    ties: str = "ascending",
    **parameters: Any,
) -> Pool:
    """Return the pool of some runs.

    Parameters
    ----------
    runs
        As `evaluate` takes several.
    strategy
        A key of `pooling.strategies.registry.STRATEGIES`, such as ``"depth"`` or ``"rrf"``.
    qrels
        The labels by which a live strategy (``"mtf"``, ``"maxmean"``, ``"thompson"``, ``"hedge"``) is played.
    threshold
        The lowest relevant grade of these.
    seed, ties
        What chance depends on; documents of equal score by docno ``"ascending"`` or ``"descending"``.
    **parameters
        Of the strategy: ``k=100`` of a depth pool, ``budget``, ``floor`` and so on.

    Examples
    --------
    >>> import jurypool as jp
    >>> runs = {"good": {"7": {"D1": 2.0, "D2": 1.0}}, "poor": {"7": {"D3": 2.0, "D1": 1.0}}}
    >>> jp.pool(runs, k=1).to_dict()["7"]["D3"]
    {'best_rank': 1, 'run_count': 1}
    >>> jp.pool(runs, k=2)
    <depth pool: 3 documents of 1 topics, 3 to 3 each>
    """
    live = strategy_of(strategy).live
    if ties not in TIES:
        raise Refused(f"expected ties {' or '.join(TIES)}, found {ties!r}")
    if live != (qrels is not None):
        names = ", ".join(name for name, definition in STRATEGIES.items() if definition.live)
        message = (
            "expected qrels to play it by" if live else f"qrels are read by live strategies alone ({names})"
        )
        raise Refused(f"{strategy}: {message}")
    plan = PoolPlan(strategy, strategy_of(strategy).checked(parameters), seed, TIES[ties])
    rankings = rankings_of(runs, plan.ties)
    return Pool(plan, plan.pool(rankings, None if qrels is None else _relevant(qrels_of(qrels), threshold)))


def rankings_of(runs: Runs, ties: str = ASCENDING) -> list[RunRankings]:
    """Return runs in any form with their rankings and scores, under their names."""
    read = read_runs(runs)
    rankings = [rank_run(run, ties) for run in read.values()]
    return [
        RunRankings(name, ranking.rankings, scores=ranking.scores)
        for name, ranking in zip(read, rankings, strict=True)
    ]


def qrels_of(qrels: QrelsSource) -> Qrels:
    """Return the columns of qrels in any form that a function takes."""
    source: Any = list(qrels) if isinstance(qrels, Iterator) else qrels
    return read_qrels(source)


def _grades(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Return topic -> docno -> grade of the judged documents; negative grades are not judged."""
    grades: dict[str, dict[str, int]] = {topic: {} for topic in qrels.topics}
    for topic, docno, grade in zip(qrels.topic_of_rows(), qrels.docnos, qrels.grades.tolist(), strict=True):
        if grade >= 0:
            grades[qrels.topics[topic]][docno.decode()] = grade
    return grades


def _relevant(qrels: Qrels, threshold: int) -> dict[str, set[str]]:
    grades = _grades(qrels)
    return {
        topic: {docno for docno, grade in own.items() if grade >= threshold} for topic, own in grades.items()
    }


@dataclass(frozen=True, eq=False, repr=False)
class PoolQuality:
    """What judgments can carry.

    Attributes
    ----------
    unjudged
        Run -> the mean over topics of the share of its first k documents that are not judged.
    contributions
        Run -> judged documents that it brought, those that it alone brought, and the relevant among them.
    topics
        Topic -> how many documents are judged, and how many of them relevant.
    complete_depth
        The largest k such that the first k of every run are judged on every topic.
    levels
        What each depth added to the judged documents.
    verdict
        What the judgments are good for, with the rule behind it.
    """

    k: int
    unjudged: Mapping[str, float]
    contributions: Mapping[str, Contribution]
    topics: Mapping[str, TopicCounts]
    complete_depth: int
    levels: Sequence[DepthLevel]
    verdict: QualityVerdict

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain data, ready for JSON."""
        return {
            "k": self.k,
            "unjudged": dict(self.unjudged),
            "contributions": {
                name: contribution._asdict() for name, contribution in self.contributions.items()
            },
            "topics": {topic: counts._asdict() for topic, counts in self.topics.items()},
            "complete_depth": self.complete_depth,
            "levels": [level._asdict() for level in self.levels],
            "use": str(self.verdict.use),
            "rule": self.verdict.rule,
            "findings": [finding._asdict() for finding in self.verdict.findings],
        }

    def _rows(self) -> list[list[str]]:
        return [
            [
                name,
                f"{self.unjudged[name]:.4f}",
                str(contribution.pooled),
                str(contribution.unique),
                str(contribution.unique_relevant),
            ]
            for name, contribution in self.contributions.items()
        ]

    def _caption(self) -> str:
        return f"{self.verdict.use}: {self.verdict.rule}; complete to depth {self.complete_depth}"

    def __repr__(self) -> str:
        head = ["run", f"unjudged@{self.k}", "judged", "alone", "relevant alone"]
        rows = [head, *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]
        return "\n".join([*lines, f"({self._caption()})"])

    def _repr_html_(self) -> str:
        head = ["run", f"unjudged@{self.k}", "judged", "alone", "relevant alone"]
        return markup(head, self._rows(), self._caption())


def pool_quality(
    runs: Runs, qrels: QrelsSource, *, k: int = 10, threshold: int = 1, deepest: int = DEEPEST
) -> PoolQuality:
    """Return the completeness of the judgments: unjudged documents, contributions of runs, and a verdict.

    Parameters
    ----------
    runs
        As `evaluate` takes several.
    qrels
        The judgments; negative grades are not judged.
    k
        At which depth holes are counted.
    threshold
        The lowest relevant grade.
    deepest
        How far down a run is read for what it brought.

    Examples
    --------
    >>> import jurypool as jp
    >>> runs = {"good": {"7": {"D1": 2.0, "D2": 1.0}}, "poor": {"7": {"D3": 2.0, "D1": 1.0}}}
    >>> quality = jp.pool_quality(runs, {"7": {"D1": 1, "D3": 0}}, k=2)
    >>> quality.unjudged, quality.complete_depth
    ({'good': 0.5, 'poor': 0.0}, 1)
    """
    if not isinstance(k, int) or not isinstance(deepest, int) or not 1 <= k <= deepest:
        raise Refused(f"expected whole numbers, k from 1 to `deepest`, found {k!r} and {deepest!r}")
    read, judgments = read_runs(runs), qrels_of(qrels)
    grades = _grades(judgments)
    unjudged = evaluate(read, judgments, f"Unjudged@{k}").means(f"Unjudged@{k}")
    rankings = rankings_of(read)
    candidates = candidates_of_rankings(rankings, [deepest] * len(rankings), with_scores=False)
    judged = candidates.among(grades)
    relevant = candidates.among(_relevant(judgments, threshold))
    finds = _finds(candidates, judged)
    brought = contribution_table(finds).contributions(relevant[judged])
    counts = {
        topic: TopicCounts(len(own), sum(grade >= threshold for grade in own.values()))
        for topic, own in grades.items()
    }
    levels = levels_of(candidates.documents.best_ranks[judged], relevant[judged])
    evidence = Evidence(counts, unjudged, k, deepest=levels[-1] if levels else None)
    contributions = dict(zip(candidates.tags, brought, strict=True))
    depth = complete_depth(candidates, judged)
    return PoolQuality(k, unjudged, contributions, counts, depth, levels, verdict(evidence))


def _finds(candidates: Candidates, judged: Flags) -> PooledPostings:
    """Return which run holds which judged document at which rank, by run, then document."""
    kept = judged[candidates.postings.documents]
    documents, ranks, runs = (column[kept] for column in candidates.postings)
    order = np.lexsort((documents, runs))
    index_of = np.cumsum(judged) - 1
    return PooledPostings(
        len(candidates.tags), int(judged.sum()), runs[order], index_of[documents[order]], ranks[order]
    )
