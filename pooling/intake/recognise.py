"""What a file is, told from its first bytes and never from its name."""

from __future__ import annotations

import re
from typing import NamedTuple

START_BYTES = 1 << 16  # bytes that tell what a file is; a workbook names its sheets in the first of them
ZIP, EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
GZIP, BZIP2, XZ, ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
PARQUET = b"PAR1"
TAR_MAGIC, TAR_AT = b"ustar", 257
UTF_8_MARK = b"\xef\xbb\xbf"
WIDE_MARKS = {  # byte order mark -> encoding; UTF-32's begins with that of UTF-16
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


class UnreadKind(NamedTuple):
    """A kind of file that no reader of text takes. what: with its article. way: what to do instead."""

    what: str
    way: str

    def __str__(self) -> str:
        return f"{self.what}: {self.way}"


AS_CSV = "save it as CSV"
UNPACK = "unpack it first"
AS_TEXT = "save its text as UTF-8"

EXCEL = UnreadKind("an Excel workbook", AS_CSV)
TABLE = UnreadKind("an OpenDocument spreadsheet", AS_CSV)
WORD = UnreadKind("a Word document", AS_TEXT)
TEXT = UnreadKind("an OpenDocument text", AS_TEXT)
ZIP_ARCHIVE = UnreadKind("a zip archive", UNPACK)
TAR_ARCHIVE = UnreadKind("a tar archive", UNPACK)
PARQUET_FILE = UnreadKind("a Parquet file", "save it as CSV, or give the library a data frame of it")

PICKLE = UnreadKind("a pickled object of Python", AS_CSV)
WIDE_TEXT = UnreadKind("UTF-16 text without a byte order mark", "save it as UTF-8")

_SIGNATURES = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": UnreadKind("an old Excel workbook (.xls) or Word document", AS_CSV),
    PARQUET: PARQUET_FILE,
    b"ARROW1": UnreadKind("an Arrow or Feather file", AS_CSV),
    b"7z\xbc\xaf\x27\x1c": UnreadKind("a 7z archive", UNPACK),
    b"Rar!\x1a\x07": UnreadKind("a RAR archive", UNPACK),
    ZSTANDARD: UnreadKind("a Zstandard file (.zst)", UNPACK),
    b"\x04\x22\x4d\x18": UnreadKind("an LZ4 file", UNPACK),
    b"%PDF-": UnreadKind("a PDF file", AS_TEXT),
    b"SQLite format 3\x00": UnreadKind("an SQLite database", "export its table as CSV"),
    b"\x89HDF\r\n\x1a\n": UnreadKind("an HDF5 file", AS_CSV),
    b"\x93NUMPY": UnreadKind("a NumPy array", AS_CSV),
    b"{\\rtf": UnreadKind("an RTF document", AS_TEXT),
}
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_PICKLE = re.compile(rb"\x80[\x02-\x05][\x80-\x95c}\](]")
_WIDE = re.compile(rb"(?:[\t\n\r -~]\x00){4}|(?:\x00[\t\n\r -~]){4}")
_MEMBER = rb"PK\x03\x04.{26}"  # the header of a zip file's member, before its name
_OFFICE = {  # a member of a zip file, or its content if it is not packed -> what the file is
    re.compile(_MEMBER + rb"xl/(?:workbook|worksheets/|_rels/|theme/|styles|shared)", re.DOTALL): EXCEL,
    re.compile(_MEMBER + rb"mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet", re.DOTALL): TABLE,
    re.compile(_MEMBER + rb"word/(?:document|_rels/|theme/|styles|settings)", re.DOTALL): WORD,
    re.compile(_MEMBER + rb"mimetypeapplication/vnd\.oasis\.opendocument\.text", re.DOTALL): TEXT,
}


def recognise(start: bytes) -> UnreadKind | None:
    """Return what a file is that cannot be read as text; None for text and for unknown bytes.

    start: the first bytes of the file, unpacked; as many as START_BYTES tell all that can be told.

    >>> print(recognise(b"PAR1\\x15\\x04"))
    a Parquet file: save it as CSV, or give the library a data frame of it
    >>> recognise(b"101 0 D1 2\\n") is None
    True
    """
    if start.startswith((ZIP, EMPTY_ZIP)):
        return next((kind for member, kind in _OFFICE.items() if member.search(start)), ZIP_ARCHIVE)
    if is_tar(start):
        return TAR_ARCHIVE
    if _PICKLE.match(start):
        return PICKLE
    if _WIDE.match(start):
        return WIDE_TEXT
    return next((kind for magic, kind in _SIGNATURES.items() if start.startswith(magic)), None)


def is_tar(start: bytes) -> bool:
    """Tell whether a file begins as a tar archive does."""
    return start[TAR_AT : TAR_AT + len(TAR_MAGIC)] == TAR_MAGIC


def wide_encoding(start: bytes) -> str:
    """Return the encoding that a byte order mark of UTF-16 or UTF-32 names; "" without such a mark.

    >>> wide_encoding("101 0 D1 2".encode("utf-16")), wide_encoding(b"101 0 D1 2")
    ('utf-16', '')
    """
    return next((encoding for mark, encoding in WIDE_MARKS.items() if start.startswith(mark)), "")


def has_return_ends(start: bytes) -> bool:
    """Tell whether lines end with a carriage return alone, as on the Macintosh before 2001.

    >>> has_return_ends(b"101 0 D1 2\\r101 0 D2 0\\r"), has_return_ends(b"101 0 D1 2\\r\\n")
    (True, False)
    """
    return b"\n" not in start and b"\r" in start and not _CONTROL.search(start)
