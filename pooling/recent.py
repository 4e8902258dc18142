"""A cache of the values that were used last, bounded by the sum of their sizes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentValues(Generic[Key, Value]):
    """Values that took time to compute; those that were not used for longest make room for new ones.

    limit: the largest sum of sizes, in the unit of `put`: bytes, or a number of values. The newest stays even
    if it is larger alone. Safe to use from several threads; two that ask for the same missing value both
    compute it.

    >>> cache: RecentValues[str, str] = RecentValues(10)
    >>> cache.put("a", "first", 6)
    >>> cache.put("b", "second", 6)
    >>> cache.get("a"), cache.get("b")
    (None, 'second')
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.size = limit, 0
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None where there is none any more."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Key, value: Value, size: int = 1) -> None:
        """Keep a value of this size, in place of an earlier one of the same key."""
        with self._lock:
            self._discard(key)
            self._values[key] = value, size
            self.size += size
            while self.size > self.limit and len(self._values) > 1:
                self._discard(next(iter(self._values)))

    def discard(self, key: Key) -> None:
        """Forget the value of a key, if there is one."""
        with self._lock:
            self._discard(key)

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._values.clear()
            self.size = 0

    def _discard(self, key: Key) -> None:
        if key in self._values:
            self.size -= self._values.pop(key)[1]
