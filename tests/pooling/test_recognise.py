"""What a file is, at the one place through which every file comes in."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable

import pytest

from pooling.formats.files import BadFile, open_unpacked, unpack

RUN = "101 Q0 D1 1 9.0 Zürich\n101 Q0 D2 2 8.0 Zürich\n"


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 2000)
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("a.run")
        entry.size = len(RUN.encode())
        archive.addfile(entry, io.BytesIO(RUN.encode()))
    return file.getvalue()


WORKBOOK = zipped("docProps/app.xml", "docProps/core.xml", "xl/theme/theme1.xml", "xl/workbook.xml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WORKBOOK, "an Excel workbook: save it as CSV"),
        (zipped("word/document.xml"), "a Word document: save its text as UTF-8"),
        (zipped("word/a.run", "xl/b.run"), "a zip archive: unpack it first"),
        (tarred(), "a tar archive: unpack it first"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....",
            "an old Excel workbook (.xls) or Word document: save it as",
        ),
        (b"PAR1\x15\x04", "a Parquet file: save it as CSV, or give the library a data frame of it"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "a 7z archive: unpack it first"),
        (b"%PDF-1.7\n", "a PDF file: save its text as UTF-8"),
        (RUN.encode("utf-16-le"), "UTF-16 text without a byte order mark: save it as UTF-8"),
        (b"\xff\xfe1\x00\x00\xd8\n\x00", "UTF-16 text, found bytes that are not"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_file_that_is_not_text_is_named(
    content: bytes, message: str, pack: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(BadFile) as refusal:
        unpack(pack(content), "my.file")
    assert message in str(refusal.value)
    assert str(refusal.value).startswith("my.file: ")
    with pytest.raises(BadFile) as again:
        open_unpacked(io.BytesIO(pack(content)), "my.file").read()
    assert str(again.value) == str(refusal.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_text_with_a_mark_and_any_line_ends_is_read(
    encoding: str, end: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(RUN.replace("\n", end).encode(encoding))
    content = unpack(packed)
    assert content.decode("utf-8-sig").replace("\r\n", "\n").splitlines() == RUN.splitlines()
    assert open_unpacked(io.BytesIO(packed)).read() == content


def test_an_image_keeps_its_carriage_returns() -> None:
    image = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\rx\r"
    assert open_unpacked(io.BytesIO(image)).read() == image
