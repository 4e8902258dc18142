"""Django's SQLite, with a queue at the door for those who write, and one wait for the disk for many of them.

SQLite lets one transaction write at a time. Who finds it busy sleeps up to 100 ms before looking again, while
others walk in: under load some saves take ten times as long as the rest. The operating system's lock on a
file beside the database wakes who waits, over all threads and processes, and is free as soon as its holder
dies. It only decides who is next: without it everything is as right, and slower for some.

With synchronous=FULL, SQLite waits for the disk at every commit, and nobody may write meanwhile. Here a
transaction commits without that wait, lets the next one in, and then waits itself before it has ended for
whoever began it. The log is written in order, so each waits for all that was committed before, and the disk
serves several at once. What has ended is as safe from a power cut as with FULL, which remains the rule for
single statements.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

to_disk = getattr(os, "fdatasync", os.fsync)  # not every system has the quicker one


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that queues before a transaction begins and makes room when it has ended."""

    door: int | None = None
    log: int | None = None  # the write-ahead log, while a transaction waits for it instead of SQLite

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        return cursor

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
        self._close_log()

    def _start_transaction_under_autocommit(self) -> None:
        try:
            self._open_log()
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # the stubs leave it out
        except BaseException:
            self._close_log()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._wait_for_disk()

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]
        self._wait_for_disk()  # also for what others had committed: it may be why this was rolled back

    def _wait_for_disk(self) -> None:
        if self.log is None:
            return
        self._leave()
        try:
            to_disk(self.log)
        except OSError as error:
            raise OperationalError(f"{error}") from error
        finally:
            self._close_log()

    def _open_log(self) -> None:
        """From here on SQLite does not wait for the disk."""
        if self.door is not None and self.connection:
            try:
                self.log = os.open(f"{self.settings_dict['NAME']}-wal", os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return  # a file system on which it keeps no such log
            self.connection.execute("PRAGMA synchronous=NORMAL")

    def _close_log(self) -> None:
        """From here on it does again."""
        if self.log is not None:
            os.close(self.log)
            self.log = None
            if self.connection and not self.closed_in_transaction:
                self.connection.execute("PRAGMA synchronous=FULL")

    def _queue(self) -> None:
        if self.door is None and not self.is_in_memory_db():
            name = f"{self.settings_dict['NAME']}-queue"
            self.door = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self.door, fcntl.LOCK_EX)

    def _leave(self) -> None:
        if self.door is not None:
            os.close(self.door)
            self.door = None


class Cursor(base.SQLiteCursorWrapper):
    """Django's, which rewrites the placeholders of a query each time; here, of the same query, once."""

    def convert_query(self, query: str, *, param_names: Iterable[str] | None = None) -> Any:
        if param_names is None:
            return _with_places(query)
        return super().convert_query(query, param_names=param_names)


@lru_cache(maxsize=500)
def _with_places(query: str) -> str:
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
