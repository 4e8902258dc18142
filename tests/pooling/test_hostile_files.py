"""Two hundred files that nobody should hand in: each is read or refused, in little memory."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import chain, repeat
from typing import IO, Any

import pytest

from pooling.formats.archives import archive_files, is_zip
from pooling.formats.documents.reading import FORMS, read_collection, read_documents
from pooling.formats.documents.record import DocumentRecord
from pooling.formats.files import BadFile, open_unpacked
from pooling.formats.qrels import judgment_file, parse_qrels
from pooling.formats.runs import parse_run
from tests.pooling.files import TINY, read_topics

LIMIT = 1 << 24  # bytes after unpacking, here
MOST = 320 << 20  # bytes of memory that any of these files may take; only JSON takes more than 128 MB
ROW = 1 << 17  # bytes of a line of a run or of qrels

File = Callable[[], bytes]
RUN = b"".join(b"401 Q0 FT911-%d %d %d.5 tag\n" % (n, n, 100 - n) for n in range(1, 30))
QRELS = b"".join(b"401 0 FT911-%d %d\n" % (n, n % 3) for n in range(1, 30))
TEXTS = [
    RUN,
    QRELS,
    *(path.read_bytes() for path in sorted(TINY.glob("*")) if path.suffix not in ("", ".md")),
]


# doors through which a file comes in


def _whole(reader: Callable[[bytes, str], object], file: IO[bytes]) -> None:
    if is_zip(file):
        for name, content in archive_files(file, "my.zip", LIMIT):
            reader(content.read(), name)
    else:
        reader(open_unpacked(file, "my.file", LIMIT, ROW).read(), "my.file")


def written(document: DocumentRecord) -> str:
    """All that a document says."""
    *texts, facts = document
    return "".join([*map(str, texts), *(part for fact in facts for part in fact)])


def _documents(form: str, file: IO[bytes]) -> None:
    if is_zip(file):
        reading = read_collection(archive_files(file, "my.zip", LIMIT), "my.zip", form)
    else:
        reading = read_documents(open_unpacked(file, "my.file", LIMIT), "my.file", form)
    for document in reading:
        assert document.docno and "\0" not in written(document)
    assert 0 <= reading.repaired <= reading.documents > reading.repeated >= 0


WITHOUT = set() if find_spec("warcio") else {"warc"}
DOORS: Mapping[str, Callable[[IO[bytes]], None]] = {
    "run": partial(_whole, parse_run),
    "qrels": partial(_whole, parse_qrels),
    "topics": partial(_whole, read_topics),
    "judgments": partial(_whole, judgment_file),
    "documents": partial(_documents, ""),
} | {form: partial(_documents, form) for form in sorted(set(FORMS) - WITHOUT)}


# files that every door refuses


def zipped(name: str | zipfile.ZipInfo = "a.txt", content: bytes = RUN, again: int = 1) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(again):
            archive.writestr(f"{number}-{name}" if again > 1 else name, content)
    return file.getvalue()


def named(name: bytes) -> bytes:
    """A zip archive with a member of this name, which zipfile itself might tidy up."""
    return zipped("x" * len(name)).replace(b"x" * len(name), name)


def linked() -> bytes:
    link = zipfile.ZipInfo("a.txt")
    link.external_attr = 0o120777 << 16
    return zipped(link, b"/etc/passwd")


def encrypted() -> bytes:
    content = bytearray(zipped())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def greedy() -> bytes:
    """An xz file that asks for a dictionary of 4 GB before its first byte."""
    content = bytearray(lzma.compress(RUN, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}]))
    size = (
        content[12] + 1
    ) * 4  # of the block's header, which says the size of the dictionary and its own sum
    content[16] = 40
    struct.pack_into("<L", content, 12 + size - 4, zlib.crc32(content[12 : 12 + size - 4]))
    return bytes(content)


def shared() -> bytes:
    """A zip archive of a thousand members with the same packed bytes."""
    one = zipped("aaaa", bytes(1 << 20))
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    entries = b"".join(one[start:end].replace(b"aaaa", b"%04d" % n) for n in range(1000))
    tail = bytearray(one[end:])
    struct.pack_into("<HHL", tail, 8, 1000, 1000, len(entries))
    return one[:start] + entries + bytes(tail)


def crowded() -> bytes:
    """A zip archive whose list names one member 200,000 times."""
    one = zipped("a")
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    tail = bytearray(one[end:])
    struct.pack_into("<L", tail, 12, (end - start) * 200_000)
    return one[:start] + one[start:end] * 200_000 + bytes(tail)


NOISE = random.Random(0).randbytes(1 << 14)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda content: zipped("a.txt", content),
}
TRAVERSALS = [
    b"../a.txt", b"../../../../etc/passwd", b"/etc/passwd", b"a/../../b.txt", b"..\\b.txt", b"C:\\b.txt",
    b"c:b.txt", b"a/..", b"a\\..\\..\\b", b"//host/b.txt", b"a\0b.txt", b"a\nb.txt", b"\x1b[2Jb.txt",
]  # fmt: skip


def refused() -> Iterator[tuple[str, File]]:
    for kind, pack in PACKERS.items():
        for kept in (0.03, 0.2, 0.5, 0.8, 0.99):
            yield f"{kind} cut at {kept}", lambda pack=pack, kept=kept: _cut(pack(NOISE), kept)  # type: ignore[misc]
        for place in (0.3, 0.6):
            yield f"{kind} flipped at {place}", lambda pack=pack, place=place: _flip(pack(NOISE), place)  # type: ignore[misc]
        yield f"{kind} bomb", lambda pack=pack: pack(bytes(LIMIT + 1))  # type: ignore[misc]
        yield f"{kind} bomb of lines", lambda pack=pack: pack(b"\n" * (LIMIT + 1))  # type: ignore[misc]
        yield f"zip of {kind} in zip", lambda pack=pack: zipped("a.txt", pack(zipped()))  # type: ignore[misc]
    for name in TRAVERSALS:
        yield f"zip with {name!r}", partial(named, name)
    yield "zip of a link", linked
    yield "zip with a password", encrypted
    yield "zip with shared bytes", shared
    yield "zip with a crowded list", crowded
    yield "zip of a gz bomb", lambda: zipped("a.gz", gzip.compress(bytes(LIMIT + 1)))
    yield "zip with a gz cut short", lambda: zipped("a.gz", gzip.compress(NOISE)[:-100])
    yield "xz with a dictionary of 4 GB", greedy
    yield "gz with rubbish behind", lambda: gzip.compress(RUN) + b"rubbish"
    yield "gz of one endless line", lambda: gzip.compress(b"x" * (1 << 20)) * 1024


def _cut(content: bytes, kept: float) -> bytes:
    return content[: max(8, int(len(content) * kept))]


def _flip(content: bytes, place: float) -> bytes:
    at = int(len(content) * place)
    return content[:at] + bytes(byte ^ 0xFF for byte in content[at : at + 16]) + content[at + 16 :]


# files that some door may take


def taken_or_refused() -> Iterator[tuple[str, File]]:
    for seed in range(80):
        yield f"fuzzed {seed}", partial(fuzzed, seed)
    for encoding in ("utf-16", "utf-16-be", "utf-32", "utf-7", "cp037", "shift_jis", "euc_kr", "koi8_r"):
        for kind, text in (("run", RUN), ("documents", TINY.joinpath("documents.jsonl").read_bytes())):
            yield f"{kind} in {encoding}", lambda encoding=encoding, text=text: _recoded(text, encoding)  # type: ignore[misc]
    for name, odd in ODD.items():
        yield name, odd if callable(odd) else partial(bytes, odd)
    for kind, pack in PACKERS.items():
        yield f"{kind} of nothing", lambda pack=pack: pack(b"")  # type: ignore[misc]
        yield f"{kind} twice", lambda pack=pack: pack(pack(RUN))  # type: ignore[misc]


def fuzzed(seed: int) -> bytes:
    """A good file with bytes changed, taken out, put in, and stretches said again."""
    rng = random.Random(seed)
    content = bytearray(TEXTS[seed % len(TEXTS)])
    for _ in range(rng.randint(1, 40)):
        at = rng.randrange(len(content) + 1)
        piece = rng.choice([b"", b"\0", b"\xff", b"\n", b"\t", b'"', b"<", b"&#0;", b"\r", rng.randbytes(4)])
        content[at : at + rng.randint(0, 3)] = rng.choice([piece, bytes(content[at : at + 50]) * 2])
    return bytes(content)


def _recoded(text: bytes, encoding: str) -> bytes:
    return text.decode().replace("one", "日本").encode(encoding, errors="replace")


def row(score: str, rank: str = "1") -> bytes:
    return f"401 Q0 d1 {rank} {score} tag\n".encode()


MANY = 10_000_000
ODD: dict[str, bytes | File] = {
    "nothing": b"",
    "a blank": b" ",
    "blank lines": lambda: b"\n" * (1 << 20),
    "CR only": RUN.replace(b"\n", b"\r"),
    "byte order marks": b"\xef\xbb\xbf" * 3 + RUN,
    "NUL bytes": lambda: bytes(1 << 20),
    "NUL between": RUN.replace(b" ", b"\0"),
    "all bytes": bytes(range(256)) * 100,
    "noise": NOISE,
    "a picture": b"\x89PNG\r\n\x1a\n" + NOISE,
    "a program": b"\x7fELF" + bytes(100) + NOISE,
    "a PDF": b"%PDF-1.4\n" + NOISE,
    "a tar": b"a.txt".ljust(257, b"\0") + b"ustar  \0" + NOISE,
    "overlong UTF-8": RUN.replace(b"d", b"\xc0\xaf"),
    "surrogates in UTF-8": RUN.replace(b"d", b"\xed\xa0\x80"),
    "UTF-8 cut in a letter": "401 Q0 é".encode()[:-1],
    "columns, blanks": lambda: b"a " * MANY,
    "columns, tabs": lambda: b"a\t" * MANY,
    "columns, commas": lambda: b"docno,text\n" + b"," * MANY,
    "columns, semicolons": lambda: b"docno;text" + b";a" * 100_000 + b"\nd1;a\n",
    "columns named": lambda: b"docno\ttext" + b"\ta" * 100_000 + b"\n",
    "a run's long line": lambda: RUN + b"401 Q0 " + b"d" * 5000 + b" 1 1 t\n",
    "a long docno": b"401 Q0 " + b"d" * 300 + b" 1 1 t\n",
    "score 1e999999": row("1e999999"),
    "score nan": row("nan"),
    "score -inf": row("-inf"),
    "score 0x1p3": row("0x1p3"),
    "score 1_000": row("1_000"),
    "score of digits": row("9" * 3000),
    "score of zeros": row("0." + "0" * 3000 + "1"),
    "score in Arabic digits": row("٣"),
    "score with a comma": row("1,5"),
    "rank of digits": row("1", "9" * 3000),
    "rank -1": row("1", "-1"),
    "grade of digits": b"401 0 d1 " + b"9" * 3000 + b"\n",
    "grade 1e3": b"401 0 d1 1e3\n",
    "grade of a million digits": lambda: b"401 0 d1 " + b"9" * 1_000_000 + b"\n",
    "a document twice": RUN + RUN,
    "a topic of 5,000 lines": lambda: b"".join(b"1 Q0 d%d 1 2 t\n" % n for n in range(5_000)),
    "10,000 topics": lambda: b"".join(b"%d Q0 d 1 2 t\n" % n for n in range(10_000)),
    "JSON, deep": b'{"id": 1, "text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "JSON, wide": lambda: b'{"id": 1, "text": [' + b"{}," * 500_000 + b"0]}\n",
    "JSON, a number of digits": b'{"id": ' + b"9" * 10_000 + b', "text": "a"}\n',
    "JSON, a number beyond": b'{"id": 1e999999, "text": "a"}\n',
    "JSON, NaN": b'{"id": NaN, "text": "a"}\n',
    "JSON, surrogates": rb'{"id": "\ud800", "text": "\udfff"}',
    "JSON, a key twice": b'{"id": 1, "id": 2, "text": "a", "text": "b"}\n',
    "JSON, an array": b'[{"id": 1, "text": "a"}]\n',
    "JSON, cut": b'{"id": 1, "te',
    "JSON, a long text": lambda: json.dumps({"id": 1, "text": "a" * (9 << 20)}).encode(),
    "JSON, documents": lambda: b'{"id":1,"text":""}\n' * 10_000,
    "CSV, open quote": lambda: b'docno,text\nd1,"' + b"a,b\n" * 5_000,
    "CSV, quotes": lambda: b"docno,text\n" + b'"' * 1_000_001,
    "CSV, an endless row": lambda: b"docno,text\n" + b'"\n",' * 5_000,
    "SGML, open document": lambda: b"<DOC>\n<DOCNO>1</DOCNO>\n<TEXT>\n" + b"a\n" * 5_000,
    "SGML, one tag": lambda: b"<DOC><DOCNO>1</DOCNO>" + b"<TEXT>" * 11_000 + b"</DOC>",
    "SGML, tags inside": lambda: b"<DOC><DOCNO>1</DOCNO>" + b"<HL><TI>" * 6_000 + b"</DOC>",
    "SGML, documents inside": b"<DOC>" * 1000,
    "SGML, ends only": b"<A></DOC>" * 1000,
    "SGML, tag without end": lambda: b"<DOC><DOCNO>1</DOCNO><TEXT" + b" a" * 3_000_000,
    "SGML, entities": b"<DOC><DOCNO>&#0;&#x110000;&#99999999999;</DOCNO>&amp;&;&#;&#x;</DOC>",
    "XML, laughs": b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;">]>\n<article><id>&b;</id></article>',
    "XML, a file": b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>\n<DOC><DOCNO>&f;</DOC>',
    "XML, elements": lambda: b"<article><id>1</id>" + b"<body>" * 10_000 + b"</article>",
    "XML, ends": lambda: b"<article><id>1</id>" + b"<body>" * 10_000 + b"</sec>" * 10_000 + b"</article>",
    "XML, attributes": lambda: b"<REUTERS " + b"a" * 3_000_000 + b" NEWID='1'><BODY>a</BODY></REUTERS>",
    "XML, open comment": lambda: b"<article><id>1</id>" + b"<!--" * 1_000_000 + b"</article>",
    "HTML, tags": lambda: b"<!DOCTYPE html>" + b"<a " * 1_000_000,
    "HTML, quotes": lambda: b"<!DOCTYPE html>" + b"<a b='" * 500_000,
    "HTML, comments": lambda: b"<!DOCTYPE html>" + b"<!--" * 1_000_000,
    "HTML, scripts": lambda: b"<!DOCTYPE html>" + b"<script>" * 500_000,
    "HTML, entities": lambda: b"<!DOCTYPE html>" + b"&#" + b"9" * 1_000_000 + b";",
    "HTML, a strange encoding": b"<!DOCTYPE html><meta charset=idna>" + b"\xff" * 1000,
    "SMART, no section": b".I 1\ntext\n",
    "SMART, one document": lambda: b".I 1\n.W\n" + b"ab\n" * 5_000,
    "SMART, entries": lambda: b".I 1\n" * 10_000,
    "WARC, no length": b"WARC/1.0\r\nWARC-Type: response\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc",
    "WARC, a length beyond": b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: " + b"9" * 50 + b"\r\n\r\n",
    "WARC, headers": lambda: b"WARC/1.0\r\n" + (b"X: " + b"y" * 1000 + b"\r\n") * 2000,
    "WARC, a page's bomb": lambda: warc(gzip.compress(bytes(20 << 20))),
    "topics, open comment": b"<top><num>1<title>a<!--" * 100,
    "topics, one": lambda: b"<top><num> 1 <title> " + b"a\n" * 5_000,
    "zip of many files": lambda: zipped(again=100),
    "zip with a comment": lambda: zipped()[:-2] + b"\xff\xff" + b"c" * 65535,
}  # fmt: skip


def warc(page: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" + page
    return (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        b"WARC-Target-URI: http://example.org/\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(http), http)
    )


REFUSED, ODDITIES = dict(refused()), dict(taken_or_refused())


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST, f"{peak >> 20} MB"


def test_there_are_two_hundred_of_them() -> None:
    assert len(REFUSED) + len(ODDITIES) >= 200


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_attacks_whoever_unpacks_it_is_refused_at_every_door(name: str) -> None:
    content = REFUSED[name]()
    with little_memory():
        for door in DOORS.values():
            with pytest.raises(BadFile) as caught:
                door(io.BytesIO(content))
            assert caught.value.name.startswith("my.")
            assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ODDITIES)
def test_an_odd_file_is_read_or_refused_and_nothing_else_happens(name: str) -> None:
    content = ODDITIES[name]()
    refusals = 0
    with little_memory():
        for door in DOORS.values():
            try:
                door(io.BytesIO(content))
            except BadFile as error:
                assert len(str(error)) < 1000
                refusals += 1
    assert refusals  # no file is good at every door


class Endless(io.RawIOBase):
    """A gigabyte in one line, made while it is read. given: how much of it was asked for."""

    def __init__(self, start: bytes) -> None:
        self.given, self._start = 0, start

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.given

    def seek(self, place: int, whence: int = 0) -> int:
        self.given = place
        return place

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), (1 << 30) - self.given)
        start = self._start[self.given : self.given + size]
        buffer[:size] = start + b"x" * (size - len(start))
        self.given += size
        return size


STARTS = [b"", b"401 Q0 ", b'docno,text\nd1,"', b'{"id": "', b"<DOC>", b".I 1\n.W\n", b"WARC/1.0\r\nX: "]


@pytest.mark.parametrize("start", STARTS)
def test_a_line_of_a_gigabyte_is_refused_after_a_hundredth_of_it(start: bytes) -> None:
    with little_memory():
        for door in DOORS.values():
            file = Endless(start)
            with pytest.raises(BadFile):
                door(file)  # type: ignore[arg-type]
            assert file.given < 10 << 20


ENDLESS = {
    "trec": [b"<DOC>\n", b"<DOCNO>1</DOCNO><TEXT>\n"],
    "inex": [b"<article><id>1</id><body>\n"],
    "smart": [b".I 1\n", b".W\n"],
    "csv": [b"docno,text\n", b'd1,"\n'],
    "text": [],
    "html": [b"<html>\n"],
}


@pytest.mark.parametrize("form", ENDLESS)
def test_a_document_that_never_ends_is_refused(form: str) -> None:
    lines = chain(ENDLESS[form], repeat(b"word " * 200 + b"\n"))
    with little_memory(), pytest.raises(BadFile, match=r"my\.file.*expected at most 8,388,608 characters"):
        next(read_documents(lines, "my.file", form))


def test_a_topic_that_never_ends_is_refused() -> None:
    content = b"<top>\n<num> 1 <title>\n" + (b"word " * 200 + b"\n") * 9000
    with little_memory(), pytest.raises(BadFile, match="line 1: expected at most 8,388,608 characters"):
        read_topics(content)
