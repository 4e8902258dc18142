"""Runs for tests: some by hand, and any that hypothesis can think of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from pooling.strategies.candidates import RankedIds
from pooling.strategies.rankings import RunRankings, topics_of_runs

DOCNOS = "abcdefghijkl"
TOPICS = ("1", "2")


def runs_on_one_topic(*lists: str, topic: str = "1") -> list[RunRankings]:
    """Return runs r0, r1, …, whose docnos are the letters of each list."""
    return [RunRankings(f"r{number}", {topic: list(docnos)}) for number, docnos in enumerate(lists)]


def as_columns(runs: Sequence[RunRankings]) -> tuple[list[str], list[str], list[RankedIds]]:
    """Return the topics, the docnos, and the runs with the places of these instead of their names."""
    topics = topics_of_runs(runs)
    docnos = sorted({docno for run in runs for ranking in run.rankings.values() for docno in ranking})
    columns = []
    for run in runs:
        rankings = [run.rankings.get(topic, []) for topic in topics]
        ids = [docnos.index(docno) for ranking in rankings for docno in ranking]
        offsets = np.cumsum([0, *map(len, rankings)])
        columns.append(RankedIds(np.arange(len(topics)), offsets, np.array(ids, dtype=np.int32)))
    return topics, docnos, columns


def _numbered(runs: Sequence[RunRankings]) -> list[RunRankings]:
    return [
        RunRankings(f"run{number}", run.rankings, run.group, run.kind, run.priority, run.scores)
        for number, run in enumerate(runs)
    ]


def _scored(rankings: Mapping[str, Sequence[str]], step: float) -> dict[str, list[float]]:
    return {topic: [-step * rank for rank in range(len(docnos))] for topic, docnos in rankings.items()}


ranking = st.lists(st.sampled_from(DOCNOS), unique=True, min_size=1)
some_run = st.builds(
    lambda rankings, group, kind, priority, step: RunRankings(
        "", rankings, group, kind, priority, _scored(rankings, step)
    ),
    st.dictionaries(st.sampled_from(TOPICS), ranking),
    st.sampled_from(["", "north", "south"]),
    st.sampled_from(["automatic", "manual"]),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.5, 3.0]),
)
some_runs = st.lists(some_run, min_size=1, max_size=5).map(_numbered)
"""Runs with tags of their own, of a few groups, both kinds, several priorities, some with all scores tied."""

relevant = st.dictionaries(st.sampled_from(TOPICS), st.sets(st.sampled_from(DOCNOS)))
