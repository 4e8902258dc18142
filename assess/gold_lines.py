"""Files of gold or training documents, `topic docno grade [why]`."""

from __future__ import annotations

from typing import NamedTuple

from pooling.formats.files import BadFile, BadLine, decode

LONGEST_DOCNO = 200
LONGEST_REASON = 2_000
EXPECTED_FIELDS = "topic, docno and grade, and an optional reason"


class GoldLine(NamedTuple):
    """A document with its correct grade, and the reason, which may be empty."""

    line: int
    topic: str
    docno: str
    grade: int
    why: str


def read_gold_lines(content: bytes, name: str = "") -> list[GoldLine]:
    """Return the lines of a file, in order. Blank lines and lines that begin with # are skipped.

    Raises BadLine for an invalid line and for a document that occurs twice in a topic, and BadFile for a file
    without any.

    >>> read_gold_lines(b"7 D1 2 Says it in so many words.")
    [GoldLine(line=1, topic='7', docno='D1', grade=2, why='Says it in so many words.')]
    """
    probes: dict[tuple[str, str], GoldLine] = {}
    for number, line in enumerate(decode(content, name).split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            probe = _probe(number, line, name)
            pair = probe.topic, probe.docno
            if pair in probes:
                message = f"{probe.docno} of topic {probe.topic} is already on line {probes[pair].line}"
                raise BadLine(number, message, name)
            probes[pair] = probe
    if not probes:
        raise BadFile(f"expected lines of {EXPECTED_FIELDS}, found none", name=name)
    return list(probes.values())


def _probe(number: int, line: str, name: str) -> GoldLine:
    fields = line.split(maxsplit=3)
    if len(fields) < 3:
        raise BadLine(number, f"expected {EXPECTED_FIELDS}, found {len(fields)} fields", name)
    topic, docno, grade, *why = fields
    if "\0" in line:
        raise BadLine(number, "expected text, found a NUL character", name)
    if not (grade.isascii() and grade.isdigit() and len(grade) < 6):
        raise BadLine(number, f"expected a grade, a whole number, found {grade[:40]!r}", name)
    if len(docno) > LONGEST_DOCNO:
        raise BadLine(number, f"expected a docno of at most {LONGEST_DOCNO} characters", name)
    reason = "".join(why).strip()
    if len(reason) > LONGEST_REASON:
        message = f"expected at most {LONGEST_REASON:,} characters in the reason, found {len(reason):,}"
        raise BadLine(number, message, name)
    return GoldLine(number, topic, docno, int(grade), reason)
