"""A zip archive whose last member, the manifest, has the SHA-256 of every other one."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from pooling.formats.archives import ZIP_ERRORS
from pooling.refusals import Refused

PIECE_BYTES = 1 << 20  # bytes that are copied at a time
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 1 << 26  # bytes: some 500,000 files
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zip")  # what does not become smaller


class BadArchive(Refused):
    """A file that is no archive of ours, is damaged, or does not fit this installation; says why."""


class ArchiveWriter:
    """Writes members one after the other, never a whole one in memory. tables, files: what is written so far,
    name -> its size and SHA-256."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._zip = archive
        self.tables: dict[str, dict[str, Any]] = {}
        self.files: dict[str, dict[str, Any]] = {}

    def add_table(self, name: str, lines: Iterable[str]) -> None:
        """Write a table, a line a row."""
        rows, digest = 0, hashlib.sha256()
        with self._zip.open(f"tables/{name}.jsonl", "w", force_zip64=True) as member:
            for line in lines:
                content = line.encode() + b"\n"
                member.write(content)
                digest.update(content)
                rows += 1
        self.tables[name] = {"rows": rows, "sha256": digest.hexdigest()}

    def add_file(self, name: str, content: IO[bytes]) -> None:
        """Write a file of the storage under its name there."""
        size, digest, info = 0, hashlib.sha256(), zipfile.ZipInfo(f"files/{name}")
        info.compress_type = (
            zipfile.ZIP_STORED if name.endswith(COMPRESSED_SUFFIXES) else zipfile.ZIP_DEFLATED
        )
        with self._zip.open(info, "w", force_zip64=True) as member:
            while piece := content.read(PIECE_BYTES):
                member.write(piece)
                digest.update(piece)
                size += len(piece)
        self.files[name] = {"bytes": size, "sha256": digest.hexdigest()}

    def finish(self, about: dict[str, Any]) -> dict[str, Any]:
        """Write the manifest, with what is to be said beside its checksums; return it."""
        manifest = {**about, "tables": self.tables, "files": self.files}
        self._zip.writestr(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False))
        return manifest


@contextmanager
def create_archive(path: Path) -> Iterator[ArchiveWriter]:
    """Write an archive that only its owner can read, and that has its name only when it is whole.

    Raises BadArchive where a file of that name exists.
    """
    if path.exists():
        raise BadArchive(f"{path} exists already; expected a new name")
    partial = path.with_name(f"{path.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
                yield ArchiveWriter(archive)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
    finally:
        partial.unlink(missing_ok=True)


class Archive:
    """An archive that is read. Every member is compared with its checksum before anything is taken."""

    def __init__(self, archive: zipfile.ZipFile, stack: ExitStack) -> None:
        """stack: what closes the archive closes before it what a reader of rows has left open."""
        self._zip, self._stack = archive, stack
        try:
            if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
                raise ValueError(f"at most {MAX_MANIFEST_BYTES:,} bytes long")
            self.manifest: dict[str, Any] = dict(json.loads(archive.read(MANIFEST)))
            self.tables = _listed(self.manifest["tables"], "rows")
            self.files = _listed(self.manifest["files"], "bytes")
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadArchive(f"expected a {MANIFEST} with tables and files ({error})") from error

    def check(self) -> None:
        """Compare every member with the manifest. Raises BadArchive for the first that differs."""
        expected = {
            **{f"tables/{name}.jsonl": table["sha256"] for name, table in self.tables.items()},
            **{f"files/{name}": file["sha256"] for name, file in self.files.items()},
        }
        members = set(self._zip.namelist()) - {MANIFEST}
        if members != expected.keys():
            name = min(members ^ expected.keys())
            raise BadArchive(f"{name} is {'not in the manifest' if name in members else 'missing'}")
        for name, sha256 in expected.items():
            with self._zip.open(name) as member:
                actual = hashlib.file_digest(member, "sha256").hexdigest()  # type: ignore[arg-type]
            if actual != sha256:
                raise BadArchive(f"{name}: expected SHA-256 {sha256}, found {actual}")

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table, in their order. Raises BadArchive for a line that is no row."""
        member = self._stack.enter_context(self._zip.open(f"tables/{table}.jsonl"))
        for number, line in enumerate(member, start=1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise BadArchive(f"{table}, row {number:,}: expected a JSON object, found {line!r:.80}")
            yield row

    def open(self, name: str) -> IO[bytes]:
        """Open a file by its name in the storage."""
        return self._zip.open(f"files/{name}")


def _listed(part: Any, size: str) -> dict[str, dict[str, Any]]:
    """Return a part of the manifest: name -> SHA-256 and size. Raises TypeError, KeyError."""
    for name, entry in part.items() if isinstance(part, dict) else [("", part)]:
        if (
            not isinstance(entry, dict)
            or not isinstance(entry["sha256"], str)
            or type(entry[size]) is not int
        ):
            raise TypeError(f"with {size} and SHA-256 of {name!r:.80}")
    return dict(part)


@contextmanager
def open_archive(path: Path, kind: str) -> Iterator[Archive]:
    """Open an archive of a kind and check it. Raises BadArchive."""
    with ExitStack() as stack:
        try:
            archive = Archive(stack.enter_context(zipfile.ZipFile(path)), stack)
            if archive.manifest.get("kind") != kind:
                shown_kind = f"{archive.manifest.get('kind')!r:.80}"
                raise BadArchive(f"expected an archive of a {kind}, found {shown_kind}")
            archive.check()
        except BadArchive:
            raise
        except ZIP_ERRORS as error:
            raise BadArchive(f"{path} is not a whole zip archive ({error})") from error
        yield archive
