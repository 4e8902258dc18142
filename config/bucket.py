"""Files in a storage that speaks S3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from storages.backends.s3 import S3Storage
from storages.utils import clean_name

CHUNK = 1 << 16


class Bucket(S3Storage):  # type: ignore[misc]  # it is untyped
    """A bucket that sends a part of a file alone: S3Storage fetches all of it to read any of it."""

    def part(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """Return the bytes from `start` up to, not including, `stop`, in chunks as they come.

        They are asked for at once: raises what boto3 does, where there are none.
        """
        stored = self.bucket.Object(self._normalize_name(clean_name(name)))
        return _chunks(stored.get(Range=f"bytes={start}-{stop - 1}")["Body"])


def _chunks(body: Any) -> Iterator[bytes]:
    with closing(body):
        yield from body.iter_chunks(CHUNK)
