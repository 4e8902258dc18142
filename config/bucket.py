"""Files in a storage that speaks S3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from storages.backends.s3 import S3Storage

CHUNK = 1 << 16


class Bucket(S3Storage):  # type: ignore[misc]  # it is untyped
    """A bucket that sends a part of a file alone: S3Storage fetches all of it to read any of it."""

    def part(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """Return the bytes from `start` up to, not including, `stop`, in chunks as they come.

        name: as `save` returned it, which is the object's key because no `location` is set. The object is
        requested at once: raises what boto3 raises if it does not exist.
        """
        stored = self.bucket.Object(name)
        return _chunks(stored.get(Range=f"bytes={start}-{stop - 1}")["Body"])


def _chunks(body: Any) -> Iterator[bytes]:
    with closing(body):
        yield from body.iter_chunks(CHUNK)
