"""Runs as strategies read them: who submitted a run, and what it returned for each topic, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Protocol, TypeVar

from pooling.formats.run_order import ASCENDING, pooling_order
from pooling.formats.runs import BY_SCORE, RunFile
from pooling.refusals import Refused

Rankings = Mapping[str, Sequence[str]]
"""What one run returned: topic -> docnos, best first, in pooling order."""

Lists = Mapping[str, Sequence[str]]
"""What all runs returned for one topic: tag -> docnos, best first, tags ascending."""


@dataclass(frozen=True, eq=False)
class RunRankings:
    """A run with what strategies ask of it.

    tag: its name, unique among the runs of a pool. group: who submitted it, "" when unknown. priority: 1 for
    the run that its group wants pooled first. scores: topic -> scores, as long as the ranking; only CombSUM
    and CombMNZ read them. order: how the file was read, as in `RunLines.run`.
    """

    tag: str
    rankings: Rankings
    group: str = ""
    kind: str = "automatic"
    priority: int = 1
    scores: Mapping[str, Sequence[float]] = field(default_factory=dict)
    order: str = BY_SCORE


def rank_run(run: RunFile, ties: str = ASCENDING) -> RunRankings:
    """Return a parsed run's rankings and scores in the order of a tie rule, under the tag in its file.

    Scores are compared as float64. Raises Refused for an unknown tie rule.
    """
    order = pooling_order(run, ties)
    docnos = [docno.decode() for docno in run.docnos[order].tolist()]
    scores = run.scores[order].tolist()
    bounds = dict(zip(run.topics, pairwise(run.offsets.tolist()), strict=True))
    return RunRankings(
        run.tag,
        {topic: docnos[start:end] for topic, (start, end) in bounds.items()},
        scores={topic: scores[start:end] for topic, (start, end) in bounds.items()},
    )


def lists_of(runs: Iterable[RunRankings], topic: str, deepest: int) -> Lists:
    """Return what the runs returned for a topic, cut at a rank; runs that returned nothing are absent."""
    lists = {run.tag: run.rankings[topic][:deepest] for run in runs if run.rankings.get(topic)}
    return dict(sorted(lists.items()))


def topics_of_runs(runs: Iterable[RunRankings]) -> list[str]:
    """Return every topic for which a run returned a document, sorted."""
    return sorted({topic for run in runs for topic, ranking in run.rankings.items() if ranking})


class RunDescription(Protocol):
    """What strategies ask of a run beside its rankings."""

    @property
    def tag(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def priority(self) -> int: ...
    @property
    def order(self) -> str: ...


AnyRun = TypeVar("AnyRun", bound=RunDescription)


def first_of_groups(runs: Iterable[AnyRun], per_group: int) -> list[AnyRun]:
    """Return the first runs of every group by priority, ties by tag (TREC: Voorhees & Harman 2005).

    A run whose group is unknown counts as a group of its own. Raises Refused for fewer than 1 per group.
    """
    if per_group < 1:
        raise Refused(f"expected at least 1 run of each group, found {per_group}")

    def owner(run: AnyRun) -> tuple[str, str]:
        return (run.group, "") if run.group else ("", run.tag)

    in_turn = sorted(runs, key=lambda run: (owner(run), run.priority, run.tag))
    return [run for _, group in groupby(in_turn, key=owner) for run in list(group)[:per_group]]
