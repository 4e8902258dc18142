"""Values kept in memory up to a size, for several threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")


class BoundedCache(Generic[Key, Kept]):
    """The values that were used last, whose sizes add up to no more than a limit.

    A value may be gone at any time after it was put here: callers use what `get` returned, and never count
    on a second `get`.
    """

    def __init__(self, limit: int) -> None:
        """limit: the largest sum of sizes, in the unit of `put`."""
        self.limit, self.size = limit, 0
        self._lock = Lock()
        self._values: OrderedDict[Key, tuple[Kept, int]] = OrderedDict()

    def get(self, key: Key) -> Kept | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Key, value: Kept, size: int = 1) -> None:
        """Keep a value, and forget those that were used least recently. One that is too large is not kept."""
        with self._lock:
            if key in self._values:
                self.size -= self._values.pop(key)[1]
            if size > self.limit:
                return
            self._values[key] = value, size
            self.size += size
            while self.size > self.limit:
                self.size -= self._values.popitem(last=False)[1][1]
