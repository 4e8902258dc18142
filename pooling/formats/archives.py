"""Submitted zip archives and folders: yield their files one at a time, and check each before it is read."""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from pooling.formats.files import READ_ERRORS, UNPACKED_LIMIT, BadFile, ByteBudget, open_unpacked
from pooling.intake.recognise import EMPTY_ZIP, START_BYTES, ZIP, ZIP_ARCHIVE, recognise

MAX_MEMBERS = 100_000
MAX_MEMBER_NAME = 1000  # characters of a member's name with its folders
MAX_DIRECTORY_BYTES = 1 << 25  # bytes of a zip file's list of members
MAX_RATIO = 200  # unpacked bytes for one packed byte; runs and texts come to 3 to 30
RATIO_FREE_BYTES = 1 << 24  # bytes after unpacking up to which no ratio is suspicious

_ENTRY = b"PK\x01\x02"  # opens every entry of a zip file's list of members
_HIDDEN = re.compile(r"(?:^|/)(?:\.(?!/)|__MACOSX/|Thumbs\.db$|desktop\.ini$)")  # what systems leave behind
_OUTSIDE = re.compile(r"^/|^[A-Za-z]:|(?:^|/)\.\.(?:/|$)|[\x00-\x1f\x7f]")
ZIP_ERRORS = (  # what zipfile raises
    *READ_ERRORS, ValueError, RuntimeError, NotImplementedError, LookupError, struct.error
)  # fmt: skip


def is_zip(file: IO[bytes]) -> bool:
    """Return whether a file begins as a zip archive does; its position is restored."""
    start = file.tell()
    signature = file.read(len(ZIP))
    file.seek(start)
    return signature in (ZIP, EMPTY_ZIP)


def archive_files(
    file: IO[bytes], name: str = "", limit: int = UNPACKED_LIMIT, most: int = MAX_MEMBERS
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name with folders, content) of every file in a zip archive, in the archive's order.

    A content is what `textfile.opened` returns, so gz, bz2 and xz members are unpacked too; it can be read
    until the next one is asked for. Folders and hidden files are left out. `file` must be able to seek.
    limit: bytes of all members together after unpacking. most: how many members there may be.

    Nothing is written anywhere, and every entry of the list is checked before the first content is yielded.
    Raises BadFile, naming the member, for an absolute name or one that leads out of the archive, a name that
    comes twice, a link, an encrypted member, a way of packing other than deflate, and an archive in the
    archive; for a workbook or a document of an office program; for too many members, more bytes than the
    limit, or more than RATIO times the archive's own; and for damage, which may show only while a content is
    read.
    """
    path = name
    _check_no_document(file, name)
    try:
        with zipfile.ZipFile(cast(IO[bytes], _Watched(file, most))) as archive:
            entries = _checked(archive, name, limit, most)
            allowance = ByteBudget(limit)
            for entry in entries:
                path = _joined(name, entry.filename)
                with archive.open(entry) as packed:
                    yield entry.filename, open_unpacked(packed, path, allowance)
    except BadFile as error:
        raise error if error.name else BadFile(error.message, error.line, name) from None
    except ZIP_ERRORS as error:
        raise BadFile(f"the zip archive is damaged or cut short ({error})", name=path) from error


def _check_no_document(file: IO[bytes], name: str) -> None:
    """Raise BadFile for a workbook or a document, which are zip archives, too."""
    start = file.tell()
    kind = recognise(file.read(START_BYTES))
    file.seek(start)
    if kind not in (None, ZIP_ARCHIVE):
        raise BadFile(f"expected text, found {kind}", name=name)


def folder_files(
    path: Path, limit: int = UNPACKED_LIMIT, most: int = MAX_MEMBERS
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name with folders, content) of every file below a folder, by name, as `archive_files` does.

    Links to folders are not followed. Raises BadFile when there is no such folder, a file cannot be read, or
    there are too many files or bytes.
    """
    if not path.is_dir():
        raise BadFile("expected a folder", name=str(path))
    allowance = ByteBudget(limit)
    file_path = path
    try:
        for count, file_path in enumerate(_files(path), start=1):
            if count > most:
                raise BadFile(f"expected at most {most:,} files, found more", name=str(path))
            with file_path.open("rb") as file:
                yield file_path.relative_to(path).as_posix(), open_unpacked(file, str(file_path), allowance)
    except OSError as error:
        failed_path = error.filename or file_path
        raise BadFile(f"expected what can be read ({error.strerror})", name=str(failed_path)) from error


def _files(path: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(path, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not _HIDDEN.search(name))
        paths = (Path(here, name) for name in sorted(names) if not _HIDDEN.search(name))
        yield from (file for file in paths if file.is_file())


def _refuse(error: OSError) -> None:
    raise error


class _Watched:
    """A file for ZipFile, which reads a list of members of any length at once and makes objects of it."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY_BYTES:  # with no size it asks for the last 64 KB
            raise BadFile(
                f"expected a list of members of at most {MAX_DIRECTORY_BYTES:,} bytes, found a longer one"
            )
        content = self._file.read(size)
        if content.startswith(_ENTRY) and content.count(_ENTRY) > self._most:
            raise _too_many(self._most)
        return content

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _too_many(most: int) -> BadFile:
    return BadFile(f"expected at most {most:,} files in the archive, found more")


def _checked(archive: zipfile.ZipFile, name: str, limit: int, most: int) -> list[zipfile.ZipInfo]:
    entries = archive.infolist()
    if len(entries) > most:
        raise _too_many(most)
    seen: set[str] = set()
    for entry in entries:
        if message := _fault(entry, seen):
            raise BadFile(message, name=_joined(name, entry.filename))
        seen.add(entry.filename)
    _check_size(archive, sum(entry.file_size for entry in entries), limit)
    return [entry for entry in entries if not entry.is_dir() and not _HIDDEN.search(entry.filename)]


def _fault(entry: zipfile.ZipInfo, seen: set[str]) -> str:
    """Return why a member is not taken, "" if it is."""
    path = entry.orig_filename.replace("\\", "/")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if not path or len(path) > MAX_MEMBER_NAME:
        return f"expected a name of 1 to {MAX_MEMBER_NAME:,} characters for every member, found {len(path):,}"
    if _OUTSIDE.search(path):
        return "expected a name that stays inside the archive, without control characters"
    if entry.filename in seen:
        return "expected every name once in the archive, found it twice"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "expected files and folders in the archive, found a link or a device"
    if entry.flag_bits & 0x41:
        return "expected members without a password, found an encrypted one"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "expected members packed with deflate or not at all (the usual zip), found another way"
    return ""


def _check_size(archive: zipfile.ZipFile, size: int, limit: int) -> None:
    """Refuse what would not fit by its own account; members that understate their size are cut off there."""
    if size > limit:
        raise BadFile(f"expected at most {limit:,} bytes after unpacking, found {size:,}")
    file = cast(IO[bytes], archive.fp)
    packed = file.seek(0, os.SEEK_END)
    if size > RATIO_FREE_BYTES and size > MAX_RATIO * packed:
        raise BadFile(f"expected at most {MAX_RATIO} bytes out of every byte of the archive, found {size:,}")


def _joined(name: str, member: str) -> str:
    shown = member if len(member) <= 200 and member.isprintable() else ascii(member[:200])
    return f"{name}/{shown}" if name else shown
