"""Context fields of log lines: the id of the request, or the job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_FIELDS: ContextVar[Mapping[str, Any]] = ContextVar("log_fields", default={})  # noqa: B039  never changed


def log_fields() -> Mapping[str, Any]:
    """Return the fields of this thread's work."""
    return _FIELDS.get()


@contextmanager
def logged_with(**fields: Any) -> Iterator[None]:
    """Add these fields to every line that is logged inside the block.

    >>> with logged_with(request_id="a1"), logged_with(job=7):
    ...     dict(log_fields())
    {'request_id': 'a1', 'job': 7}
    >>> dict(log_fields())
    {}
    """
    token = _FIELDS.set({**_FIELDS.get(), **fields})
    try:
        yield
    finally:
        _FIELDS.reset(token)
