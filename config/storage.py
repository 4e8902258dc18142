"""Files in a folder, each written whole or not at all."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import FileSystemStorage

PARTIAL_FOLDER = "partial"  # the folder of files that are being written
STALE_SECONDS = 86_400  # seconds after which a partial file is one whose writer was killed


class WholeFileStorage(FileSystemStorage):
    """A folder in which a file gets its name only after all of its bytes are on the disk.

    A write that fails (a full disk, say) or is killed leaves nothing under the name, and what was
    acknowledged survives a power cut.
    """

    def _save(self, name: str, content: File[Any]) -> str:
        self._remove_stale()
        partial = f"{PARTIAL_FOLDER}/{uuid4()}"
        try:
            super()._save(partial, content)  # type: ignore[misc]  # django-stubs does not know it
            return self._rename(Path(self.path(partial)), name)
        finally:
            Path(self.path(partial)).unlink(missing_ok=True)

    def _rename(self, partial: Path, name: str) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        sync(partial)
        os.replace(partial, target)
        for folder in target.relative_to(self.location).parents:
            sync(Path(self.location) / folder)
        return target.relative_to(self.location).as_posix()

    def _remove_stale(self) -> None:
        for partial in Path(self.path(PARTIAL_FOLDER)).glob("*"):
            try:
                if time.time() - partial.stat().st_mtime > STALE_SECONDS:
                    partial.unlink()
            except FileNotFoundError:  # its writer is done, or another process removed it
                continue


def sync(path: Path) -> None:
    """Wait until the disk has a file's bytes, or a folder's names."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
