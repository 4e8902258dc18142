"""Values kept in memory up to a size."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from metrics.bounded_cache import BoundedCache


def test_what_was_used_least_recently_goes_first() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_the_sizes_never_add_up_to_more_than_the_limit() -> None:
    cache: BoundedCache[int, bytes] = BoundedCache(100)
    for key in range(50):
        cache.put(key, b"", size=key)
        assert cache.size <= 100
    cache.put(99, b"too large", size=101)
    assert cache.get(99) is None
    cache.put(49, b"again", size=1)
    assert cache.get(49) == b"again" and cache.size <= 100


def test_threads_may_share_one() -> None:
    cache: BoundedCache[int, int] = BoundedCache(10)

    def work(start: int) -> None:
        for key in range(start, start + 2_000):
            cache.put(key % 25, key % 25)
            assert cache.get(key % 25) in (key % 25, None)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert cache.size == 10
