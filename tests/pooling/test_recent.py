"""Caches of one process are bounded in size, current, and safe to use from several threads."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pooling.models import Campaign
from pooling.queries import draft_of, in_collection
from pooling.queries import runs as cached
from pooling.queries.candidates import CANDIDATES, HELD
from pooling.recent import RecentValues
from tests.factory import Factory
from tests.pooling.test_services import depth


def test_what_was_not_used_for_longest_makes_room() -> None:
    cache: RecentValues[str, int] = RecentValues(100)
    for number, key in enumerate("abc"):
        cache.put(key, number, 40)
        cache.get("a")
    assert [cache.get(key) for key in "abc"] == [0, None, 2]
    assert cache.size == 80


def test_a_value_in_place_of_another_is_counted_once() -> None:
    cache: RecentValues[str, int] = RecentValues(100)
    for size in (60, 70, 30):
        cache.put("a", size, size)
    assert (cache.get("a"), cache.size) == (30, 30)
    cache.discard("a")
    cache.discard("a")
    assert (cache.get("a"), cache.size) == (None, 0)


def test_a_value_above_the_limit_stays_alone() -> None:
    cache: RecentValues[str, int] = RecentValues(100)
    cache.put("small", 1, 10)
    cache.put("large", 2, 1000)
    assert (cache.get("small"), cache.get("large")) == (None, 2)
    cache.put("small", 1, 10)
    assert (cache.get("large"), cache.size) == (None, 10)


def test_a_limit_may_be_a_number_of_values() -> None:
    cache: RecentValues[int, int] = RecentValues(2)
    for key in (1, 2, 3):
        cache.put(key, key)
    assert [cache.get(key) for key in (1, 2, 3)] == [None, 2, 3]


def test_many_threads_share_a_cache() -> None:
    cache: RecentValues[int, int] = RecentValues(1000)

    def use(seed: int) -> int:
        chance = random.Random(seed)
        for _ in range(20_000):
            key = chance.randrange(50)
            if (found := cache.get(key)) is None:
                cache.put(key, key, chance.randrange(100))
            else:
                assert found == key
        return cache.size

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert all(0 <= size <= 1000 for size in threads.map(use, range(4)))
    finally:
        sys.setswitchinterval(interval)


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    return campaign


def test_what_is_kept_of_runs_is_counted(campaign: Campaign, make: Factory) -> None:
    for run in range(3):
        make.make_run(campaign, "1 D1 3\n1 D2 2\n1 D3 1", tag=f"run{run}")
    draft_of(campaign, campaign.runs.all(), depth(2))
    rows = 3 * 3 * np.dtype(np.int32).itemsize
    assert rows < cached.NUMBERED.size < rows + 1000
    assert CANDIDATES.size and cached.TABLES.size
    make.make_pool(campaign, depth=1)
    draft_of(campaign, campaign.runs.all(), depth(2))
    assert HELD.size == 8


def test_a_document_that_is_loaded_later_is_in_the_collection(campaign: Campaign, make: Factory) -> None:
    campaign.collection_size = 2
    for docno in ("D1", "D2"):
        make.make_document(campaign, docno)
    holds = in_collection(campaign)
    assert holds and holds(np.array([b"D1", b"D3"])).tolist() == [True, False]
    make.make_document(campaign, "D3")
    holds = in_collection(campaign)
    assert holds and holds(np.array([b"D1", b"D3", b"D4"])).tolist() == [True, True, False]
