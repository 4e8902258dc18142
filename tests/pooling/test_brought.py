"""What runs brought, counted over columns, is what is counted by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.quality import contributions, tallied, unjudged_at
from pooling.quality.brought import brought_in, ranks_brought, unjudged_of_runs
from pooling.strategies import RunRankings, depth_pool, topics_of
from pooling.strategies.candidates import pair_keys
from pooling.strategies.columns import RankedIds
from tests.pooling.rankings import some_runs


@given(some_runs, st.integers(1, 4))
def test_columns_count_what_names_count(runs: list[RunRankings], depth: int) -> None:
    topics = sorted(topics_of(runs))
    names = sorted({docno for run in runs for ranking in run.rankings.values() for docno in ranking})
    columns = []
    for run in runs:
        rankings = [run.rankings.get(topic, []) for topic in topics]
        ids = [names.index(docno) for ranking in rankings for docno in ranking]
        offsets = np.cumsum([0, *map(len, rankings)])
        columns.append(RankedIds(np.arange(len(topics)), offsets, np.array(ids, dtype=np.int32)))
    pool = depth_pool([run.rankings for run in runs], depth)
    pairs = [(topics.index(topic), names.index(docno)) for topic, docnos in pool.items() for docno in docnos]
    pairs.sort()
    keys = pair_keys(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)
    relevant = {(topics[topic], names[docno]) for topic, docno in pairs if docno % 2}
    found = brought_in(ranks_brought(keys, columns, [depth] * len(runs))).contributions(keys % 2 == 1)
    expected = tallied(contributions(pool, runs, {run.tag: depth for run in runs}), relevant)
    for counts, run in zip(found, runs, strict=True):
        assert counts == pytest.approx(expected[run.tag])
    judged = {topic: pool.get(topic, {}) for topic in topics}
    holes = unjudged_of_runs(keys, columns, len(topics), depth + 1)
    by_name = unjudged_at(runs, judged, depth + 1)
    assert holes.tolist() == [[by_name[run.tag][topic] for topic in topics] for run in runs]
