"""Sampled judgments (prels) -> columns: which documents of a pool were sampled for judging, by stratum.

Prels have five columns: topic, a word that is ignored, docno, stratum, grade. A grade of -1 says that the
document stands in the stratum and was not sampled. Inferred measures (xinfAP, infNDCG) estimate from them.
"""

from __future__ import annotations

import numpy as np

from .columns import Docnos, rounded
from .lines import checked_name, numbered_lines
from .qrels import DOCNO, ITERATION, TOPIC, WHOLE, Qrels
from .textfile import BadFile, BadLine

FIELDS = 5
STRATUM, GRADE = 3, 4


def parse_prels(content: bytes, name: str = "") -> Qrels:
    """Return the columns of an unpacked prels file; `strata` holds each row's stratum.

    Blanks and tabs, any number of them, separate fields; a byte order mark and CRLF are accepted; blank lines
    and comments are skipped (`lines.numbered_lines`). Raises BadLine for fewer or more than five fields, a
    grade that is not a whole number, a docno twice in a topic, bytes that are not UTF-8, control characters,
    and fields or lines beyond all bounds; BadFile for a file without judgments.
    """
    first_line: dict[tuple[str, bytes], int] = {}
    rows: dict[str, list[list[bytes]]] = {}
    for number, fields in numbered_lines(content, name):
        if not fields:
            continue
        topic = _checked_topic(fields, number, name)
        first = first_line.setdefault((topic, fields[DOCNO]), number)
        if first != number:
            wish = f"expected each document once in a topic, found {fields[DOCNO].decode()!r} of {topic!r}"
            raise BadLine(number, f"{wish} again (first on line {first})", name)
        rows.setdefault(topic, []).append(fields)
    if not rows:
        raise BadFile("expected at least one line of five fields, found an empty file", name=name)
    offsets = np.cumsum([0, *map(len, rows.values())])
    columns = list(zip(*(fields for judged in rows.values() for fields in judged), strict=True))
    grades = np.array([int(grade) for grade in columns[GRADE]], dtype=np.int64)
    docnos, iterations, strata = (_fixed(columns[field]) for field in (DOCNO, ITERATION, STRATUM))
    return Qrels(tuple(rows), offsets, docnos, grades, iterations, strata)


def _fixed(fields: tuple[bytes, ...]) -> Docnos:
    return np.array(fields, dtype=f"S{rounded(max(map(len, fields)))}")


def _checked_topic(fields: list[bytes], number: int, name: str) -> str:
    """Return the topic of a line that is as it should be; raises BadLine for any other."""
    if len(fields) != FIELDS:
        wish = f"expected 5 fields (topic 0 docno stratum grade), found {len(fields)}"
        raise BadLine(number, wish, name)
    for field, kind in (
        (TOPIC, "topic"),
        (ITERATION, "second field"),
        (DOCNO, "docno"),
        (STRATUM, "stratum"),
    ):
        checked_name(fields[field], kind, number, name)
    if not WHOLE.fullmatch(fields[GRADE]):
        shown = fields[GRADE][:40].decode(errors="replace")
        raise BadLine(number, f"expected a whole number of at most 9 digits as grade, found {shown!r}", name)
    return fields[TOPIC].decode()
