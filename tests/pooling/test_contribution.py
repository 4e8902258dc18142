"""What runs brought, counted over columns, is what is counted by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.quality.contribution import (
    NO_OWNER,
    PooledPostings,
    contribution_table,
    merge_owners,
    postings_in_pool,
    top_documents,
)
from pooling.strategies.candidates import pair_keys
from pooling.strategies.rankings import RunRankings
from tests.oracles.contributions import contributions, tallied, unjudged_at
from tests.oracles.pools import depth_pool
from tests.pooling.rankings import as_columns, some_runs


@given(some_runs, st.integers(1, 4))
def test_columns_count_what_names_count(runs: list[RunRankings], depth: int) -> None:
    topics, names, columns = as_columns(runs)
    pool = depth_pool([run.rankings for run in runs], depth)
    pairs = [(topics.index(topic), names.index(docno)) for topic, docnos in pool.items() for docno in docnos]
    pairs.sort()
    keys = pair_keys(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)
    relevant = {(topics[topic], names[docno]) for topic, docno in pairs if docno % 2}
    found = contribution_table(postings_in_pool(keys, columns, [depth] * len(runs))).contributions(
        keys % 2 == 1
    )
    expected = tallied(contributions(pool, runs, {run.tag: depth for run in runs}), relevant)
    for counts, run in zip(found, runs, strict=True):
        assert counts == pytest.approx(expected[run.tag])
    judged = {topic: pool.get(topic, {}) for topic in topics}
    shuffled = np.random.default_rng(depth).permutation(keys)
    is_judged = np.ones(len(keys), dtype=bool)
    holes = top_documents(shuffled, columns, len(topics), depth + 2).unjudged(is_judged, depth + 1)
    by_name = unjudged_at(runs, judged, depth + 1)
    assert holes.tolist() == [[by_name[run.tag].get(topic, 0.0) for topic in topics] for run in runs]


FIND = st.tuples(st.integers(0, 3), st.integers(0, 5))  # run, document


@given(st.dictionaries(FIND, st.integers(1, 9)), st.lists(st.sampled_from("ab"), min_size=4, max_size=4))
def test_an_owner_has_the_best_ranks_of_its_runs(best: dict[tuple[int, int], int], owners: list[str]) -> None:
    rows = [(run, document, best[run, document]) for run, document in sorted(best)]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    names, found = merge_owners(PooledPostings(4, 6, *columns), owners)
    expected: dict[tuple[str, int], int] = {}
    for run, document, rank in rows:
        known = expected.get((owners[run], document), rank)
        expected[owners[run], document] = min(known, rank)
    told = zip(found.row.tolist(), found.document.tolist(), found.rank.tolist(), strict=True)
    assert {(names[row], document): rank for row, document, rank in told} == expected
    assert len(found.row) == len(expected) and sorted(zip(found.row, found.document, strict=True)) == list(
        zip(found.row, found.document, strict=True)
    )
    for document, owner in enumerate(contribution_table(found).owner_alone(6).tolist()):
        holders = [name for name, each in expected if each == document]
        assert (names[owner] if owner != NO_OWNER else None) == (holders[0] if len(holders) == 1 else None)
