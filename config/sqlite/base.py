"""Django's SQLite, with a queue at the door for those who write.

SQLite lets one transaction write at a time. Who finds it busy sleeps up to 100 ms before looking again, while
others walk in: under load some saves take ten times as long as the rest. The operating system's lock on a
file beside the database wakes who waits, over all threads and processes, and is free as soon as its holder
dies. It only decides who is next: without it everything is as right, and slower for some.
"""

from __future__ import annotations

import fcntl
import os

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that queues before a transaction begins and makes room when it has ended."""

    door: int | None = None

    def set_autocommit(
        self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False
    ) -> None:
        if not autocommit:
            self._queue()
        try:
            super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
        except BaseException:
            self._leave()
            raise
        if autocommit:
            self._leave()

    def close(self) -> None:
        super().close()
        self._leave()

    def _queue(self) -> None:
        if self.door is None and not self.is_in_memory_db():
            name = f"{self.settings_dict['NAME']}-queue"
            self.door = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self.door, fcntl.LOCK_EX)

    def _leave(self) -> None:
        if self.door is not None:
            os.close(self.door)
            self.door = None
