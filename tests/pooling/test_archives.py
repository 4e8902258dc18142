"""Archives and folders: every file of theirs is read, and nothing that leads out of them or blows up."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.archives import archive_files, folder_files, is_zip
from pooling.formats.files import BadFile

Entry = tuple[str | zipfile.ZipInfo, bytes]


def zipped(*entries: Entry, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content in entries:
            archive.writestr(name, content)
    return file.getvalue()


def read(content: bytes, limit: int = 1 << 20, most: int = 1000) -> dict[str, bytes]:
    return {name: file.read() for name, file in archive_files(io.BytesIO(content), "my.zip", limit, most)}


def linked(name: str, target: str) -> Entry:
    link = zipfile.ZipInfo(name)
    link.external_attr = 0o120777 << 16
    return link, target.encode()


def test_every_file_of_an_archive_is_read_with_its_name() -> None:
    entries: list[Entry] = [("a.run", b"one\n"), ("deep/down/b.run", b"two\n"), ("./c.run", b"")]
    assert read(zipped(*entries)) == dict(entries)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_members_are_unpacked_too(pack: Callable[[bytes], bytes]) -> None:
    assert read(zipped(("a.run.gz", pack(b"one\n")))) == {"a.run.gz": b"one\n"}


def test_folders_and_what_systems_leave_behind_are_left_out() -> None:
    names = ["a/", ".DS_Store", "__MACOSX/a/._b", "a/.git/config", "Thumbs.db", "a/b"]
    assert read(zipped(*[(name, b"") for name in names])) == {"a/b": b""}


def test_an_archive_is_told_from_its_first_bytes_and_not_moved() -> None:
    archive = io.BytesIO(zipped(("a", b"")))
    assert is_zip(archive) and archive.tell() == 0
    assert is_zip(io.BytesIO(zipped()))
    assert not is_zip(io.BytesIO(b"PK and so on")) and not is_zip(io.BytesIO(b""))


OUTSIDE = [
    "../evil", "a/../../evil", "/etc/passwd", "C:\\evil", "c:evil", "..\\evil", "a\\..\\b", "..", "a/..",
    "a\x00b", "a\nb",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_that_leads_out_of_the_archive_is_refused(name: str) -> None:
    # Written under a plain name of the same length: zipfile would tidy some of these up.
    content = zipped(("x" * len(name), b"")).replace(b"x" * len(name), name.encode())
    with pytest.raises(BadFile, match="expected a name that stays inside the archive") as caught:
        read(content)
    assert caught.value.name.startswith("my.zip/")


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (zipped(linked("a", "/etc/passwd")), "my.zip/a", "found a link or a device"),
        (zipped(("a", b"1"), ("a", b"2")), "my.zip/a", "expected every name once in the archive"),
        (zipped(("n" * 1001, b"")), f"my.zip/'{'n' * 200}'", "expected a name of 1 to 1,000 characters"),
        (zipped(("a", b"1"), packing=zipfile.ZIP_BZIP2), "my.zip/a", "expected members packed with deflate"),
        (zipped(("a", b"1"), packing=zipfile.ZIP_LZMA), "my.zip/a", "expected members packed with deflate"),
        (zipped(("b.zip", zipped(("a", b"1")))), "my.zip/b.zip", "found a zip archive"),
        (zipped(("b.gz", gzip.compress(zipped(("a", b"1"))))), "my.zip/b.gz", "found a zip archive"),
        (zipped(*[(f"{n}", b"") for n in range(1001)]), "my.zip", "expected at most 1,000 files"),
        (zipped(("a", bytes((1 << 20) + 1))), "my.zip", "expected at most 1,048,576 bytes after unpacking"),
        (
            zipped(*[(f"{n}.gz", gzip.compress(bytes(1 << 19))) for n in range(3)]),
            "my.zip/2.gz",
            "expected at most 1,048,576 bytes after unpacking, found more",
        ),
        (b"PK\x03\x04", "my.zip", "the zip archive is damaged or cut short"),
        (b"", "my.zip", "the zip archive is damaged or cut short"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_what_is_wrong_with_an_archive_is_said_with_the_member(
    content: bytes, name: str, expected: str
) -> None:
    with pytest.raises(BadFile) as caught:
        read(content)
    assert caught.value.name == name
    assert expected in caught.value.message


def test_damage_in_the_middle_of_an_archive_is_said_with_the_member_that_it_hits() -> None:
    content = zipped(("a", b"1"), ("b", b"2"))
    name = content.index(b"PK\x03\x04", 1) + 30  # not the first "b": the time can hold it
    damaged = content[:name] + b"?" + content[name + 1 :]
    found = archive_files(io.BytesIO(damaged), "my.zip")
    assert next(found)[0] == "a"
    with pytest.raises(BadFile, match="damaged or cut short") as caught:
        next(found)
    assert caught.value.name == "my.zip/b"


def test_an_encrypted_member_is_refused() -> None:
    content = bytearray(zipped(("a", b"one")))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(BadFile, match=r"my\.zip/a: expected members without a password"):
        read(bytes(content))


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(BadFile, match="expected at most 200 bytes out of every byte of the archive"):
        read(zipped(("a", bytes(1 << 25))), limit=1 << 30)


def test_a_member_that_understates_its_size_is_refused() -> None:
    content = bytearray(zipped(("a", bytes(1 << 16))))
    for start, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<L", content, content.index(start) + at, 100)
    with pytest.raises(BadFile, match="my.zip/a: the compressed file is damaged"):
        read(bytes(content))


def test_members_that_share_their_bytes_count_every_time() -> None:
    # One kilobyte of packed zeros, which a thousand entries of the list point to.
    one = zipped(("aaaa", bytes(1 << 20)))
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    entries = b"".join(one[start:end].replace(b"aaaa", b"%04d" % n) for n in range(1000))
    tail = bytearray(one[end:])
    struct.pack_into("<HHL", tail, 8, 1000, 1000, len(entries))
    with pytest.raises(BadFile, match="out of every byte of the archive"):
        read(one[:start] + entries + bytes(tail), limit=1 << 40)


def test_a_list_of_members_longer_than_allowed_is_not_made_into_objects() -> None:
    content = zipped(("a", b""))
    start, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    tail = bytearray(content[end:])
    struct.pack_into("<L", tail, 12, (end - start) * 1001)
    with pytest.raises(BadFile, match="expected at most 1,000 files in the archive, found more"):
        read(content[:start] + content[start:end] * 1001 + bytes(tail))


@given(st.integers(0, 399), st.integers(0, 255), st.booleans())
def test_any_damage_is_read_or_refused(place: int, byte: int, cut: bool) -> None:
    content = zipped(("a.run", b"401 Q0 d1 1 2.5 t\n" * 20), ("b.gz", gzip.compress(b"one\n")))
    place %= len(content)
    content = content[:place] if cut else content[:place] + bytes([byte]) + content[place + 1 :]
    try:
        assert set(read(content)) <= {"a.run", "b.gz"} or not cut
    except BadFile as error:
        assert error.name.startswith("my.zip")


def test_the_files_of_a_folder_are_read_by_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.txt").write_bytes(b"two")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one"))
    (tmp_path / ".hidden").write_bytes(b"no")
    (tmp_path / "sub/round").symlink_to(tmp_path)
    assert {name: file.read() for name, file in folder_files(tmp_path)} == {
        "a.gz": b"one",
        "sub/b.txt": b"two",
    }


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "b.txt").write_bytes(b"two")
    with pytest.raises(BadFile, match="nowhere: expected a folder"):
        list(folder_files(tmp_path / "nowhere"))
    with pytest.raises(BadFile, match="expected at most 1 files, found more"):
        list(folder_files(tmp_path, most=1))
    with pytest.raises(BadFile, match="b.txt: expected at most 5 bytes after unpacking"):
        [file.read() for _, file in folder_files(tmp_path, limit=5)]
