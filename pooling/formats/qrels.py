"""Judgments in files: TREC qrels, sampled judgments (prels), BEIR and NTCIR; and what makes them invalid.

TREC qrels have four columns: topic, iteration, docno, grade. The iteration is usually 0 and ignored; measures
of judgment groups and of subtopics read the group or the subtopic from it. Prels have five: topic, a word
that is ignored, docno, stratum, grade; a grade of -1 says that the document stands in the stratum and was not
sampled. Inferred measures (xinfAP, infNDCG) estimate from them. BEIR and NTCIR: see `read_judgments`.

One rule for all: blanks and tabs, any number of them, separate fields; a byte order mark and CRLF are
accepted; blank lines and lines that begin with `#` are skipped (`lines.numbered_lines`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from pooling.arrays import Docnos, IntVector, Words, word_width
from pooling.formats.columns import (
    Block,
    blocks,
    changed_rows,
    check_name,
    field_words,
    numbered_lines,
    without_comments,
    without_marks,
)
from pooling.formats.files import BadFile, BadLine
from pooling.formats.grouping import group_rows, hash_rows, may_repeat
from pooling.formats.numbers import whole_number_column

FIELDS = 4
TOPIC, ITERATION, DOCNO, GRADE = range(4)
MAX_GRADE_DIGITS = 9  # of a grade, leading zeros included; longer numbers are damage
GRADE_PATTERN = re.compile(rb"([+-]?\d{1,%d})" % MAX_GRADE_DIGITS)
NTCIR_LEVEL_PATTERN = re.compile(rb"[Ll](\d{1,%d})" % MAX_GRADE_DIGITS)
LARGEST_GRADE = 10**MAX_GRADE_DIGITS - 1


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgments as columns, rows grouped by topic, inside a topic in the order of the file.

    topics: in the order of their first line. offsets: int64, shape (topics + 1,); the rows of topic t are
    offsets[t] to offsets[t + 1]. docnos, iterations: bytes of shape (rows,), at a width that is a multiple of
    8. grades: int64 of shape (rows,); negative ones are pooled but not judged. strata: of shape (rows,), the
    stratum that each document was sampled from, None unless the file was one of sampled judgments (`prels`).
    """

    topics: tuple[str, ...]
    offsets: IntVector
    docnos: Docnos
    grades: IntVector
    iterations: Docnos
    strata: Docnos | None = None

    def topic_of_rows(self) -> IntVector:
        """The index in `topics` of every row."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def of_topic(self, topic: str) -> Qrels | None:
        """Return the rows of one topic; None where it has none."""
        if topic not in self.topics:
            return None
        index = self.topics.index(topic)
        rows = slice(self.offsets[index], self.offsets[index + 1])
        return Qrels(
            (topic,),
            np.array([0, rows.stop - rows.start]),
            self.docnos[rows],
            self.grades[rows],
            self.iterations[rows],
            None if self.strata is None else self.strata[rows],
        )


class Layout(NamedTuple):
    """A form of judgments: the topic comes first and the grade last.

    expected: the fields in words. counts: how many a line may have. docno: its place among them.
    iteration: the least number of fields that a line with an iteration has; it is the second. stratum: its
    place, if any.
    """

    expected: str
    counts: tuple[int, ...]
    docno: int
    iteration: int = 4
    stratum: int | None = None
    grade: re.Pattern[bytes] = GRADE_PATTERN
    expected_grade: str = "a whole number of at most 9 digits"


TREC = Layout("4 fields (topic iteration docno grade)", (4,), 2)
PRELS = Layout("5 fields (topic 0 docno stratum grade)", (5,), 2, stratum=3)
BEIR = Layout("3 fields (query-id corpus-id score)", (3,), 1)
NTCIR = Layout(
    "3 fields (topic docno grade), or 4 with an iteration",
    (3, 4), -2, grade=NTCIR_LEVEL_PATTERN, expected_grade="L and a whole number",
)  # fmt: skip
BEIR_HEADER = [b"query-id", b"corpus-id", b"score"]


class QrelsLine(NamedTuple):
    """One judgment, and the number of its line, from 1. stratum: empty where the layout has none."""

    number: int
    topic: bytes
    iteration: bytes
    docno: bytes
    stratum: bytes
    grade: int


class JudgmentRecord(NamedTuple):
    """One judged pair. line: where it stands in its file, so that the caller can name it too."""

    topic: str
    docno: str
    grade: int
    line: int


def parse_qrels(
    content: bytes, name: str = "", *, by_iteration: bool = False, comments: bool = True
) -> Qrels:
    """Return the columns of an unpacked TREC qrels file.

    Raises BadLine for fewer or more than four fields, a grade that is not a whole number, a docno twice in a
    topic, bytes that are not UTF-8, control characters, and fields or lines beyond all bounds; BadFile for a
    file without judgments.

    by_iteration: a docno may be judged once in each iteration of a topic (judgment groups, subtopics).
    comments: False to read lines that begin with `#` as judgments, as trec_eval 9 does.
    """
    content = without_marks(content)
    clean = without_comments(content) if comments else content
    pieces = [_piece(block) for block in blocks(clean, FIELDS)]
    taken = [piece for piece in pieces if piece is not None]
    if taken and len(taken) == len(pieces):
        qrels = _joined(taken, by_iteration)
        if qrels is not None:
            return qrels
    lines = numbered_lines(content, name, comments)
    return _as_columns(_judgments(lines, name, TREC, by_iteration), TREC, name)


def parse_prels(content: bytes, name: str = "") -> Qrels:
    """Return the columns of an unpacked prels file; `strata` holds each row's stratum.

    Raises BadLine and BadFile as `parse_qrels`, for five fields.
    """
    return _as_columns(_judgments(numbered_lines(content, name), name, PRELS), PRELS, name)


def read_judgments(content: bytes, name: str = "") -> list[JudgmentRecord]:
    """Return the judgments of a TREC, BEIR or NTCIR file in their order; its first line tells which it is.

    BEIR has three columns behind the header `query-id corpus-id score`, NTCIR has `topic docno L2`, or four
    columns as TREC's with `L2` for the grade. Grades may be negative; the campaign's scale is not checked
    here. Raises BadLine and BadFile as `parse_qrels`.
    """
    lines = ((number, fields) for number, fields in numbered_lines(content, name) if fields)
    number, first = next(lines, (0, []))
    layout = _layout(first)
    rest = lines if layout is BEIR else chain([(number, first)] if first else [], lines)
    records = [
        JudgmentRecord(line.topic.decode(), line.docno.decode(), line.grade, line.number)
        for line in _judgments(rest, name, layout)
    ]
    if not records:
        message = (
            "expected judgments: TREC qrels (topic iteration docno grade), BEIR (first line query-id"
            " corpus-id score) or NTCIR (topic, docno, L0 to L3); found none"
        )
        raise BadFile(message, name=name)
    return records


def _layout(fields: list[bytes]) -> Layout:
    if [field.lower() for field in fields] == BEIR_HEADER:
        return BEIR
    return NTCIR if len(fields) in NTCIR.counts and NTCIR_LEVEL_PATTERN.fullmatch(fields[-1]) else TREC


_Piece = tuple[list[bytes], list[int], Words, IntVector, Words]


def _piece(block: Block | None) -> _Piece | None:
    """Return a block's topics, their first rows, docnos, grades and iterations; None when it needs a look."""
    if block is None:
        return None
    grades, left = whole_number_column(block, GRADE, MAX_GRADE_DIGITS)
    topics, iterations, docnos = (field_words(block, field) for field in (TOPIC, ITERATION, DOCNO))
    if topics is None or iterations is None or docnos is None:
        return None
    if len(left):
        return None
    first_rows = changed_rows(topics)
    return [block.field(row, TOPIC) for row in first_rows], first_rows, docnos, grades, iterations


def _joined(pieces: list[_Piece], by_iteration: bool) -> Qrels | None:
    """Put the blocks together; None when a docno may stand twice."""
    topics: list[str] = []
    starts: list[int] = []
    rows = 0
    for names, first_rows, _, grades, _ in pieces:
        topics += [name.decode() for name in names]
        starts += [rows + row for row in first_rows]
        rows += len(grades)
    docnos, iterations = _stacked([piece[2] for piece in pieces]), _stacked([piece[4] for piece in pieces])
    grades = np.concatenate([piece[3] for piece in pieces])
    unique, offsets, order = group_rows(topics, np.array([*starts, rows]))
    if order is not None:
        docnos, iterations, grades = docnos[order], iterations[order], grades[order]
    identifiers = np.hstack([docnos, hash_rows(iterations)[:, None]]) if by_iteration else docnos
    if may_repeat(identifiers, offsets):
        return None
    return Qrels(unique, offsets, _as_bytes(docnos), grades, _as_bytes(iterations))


def _stacked(pieces: list[Words]) -> Words:
    """Put blocks of words under each other, zeros where a block is narrower."""
    width = max(piece.shape[1] for piece in pieces)
    return np.vstack([np.pad(piece, ((0, 0), (0, width - piece.shape[1]))) for piece in pieces])


def _as_bytes(fields: Words) -> Docnos:
    return np.ascontiguousarray(fields).view(f"S{fields.shape[1] * 8}").ravel()


def _judgments(
    lines: Iterable[tuple[int, list[bytes]]], name: str, layout: Layout, by_iteration: bool = False
) -> Iterator[QrelsLine]:
    """Yield the judgments of numbered lines: slower than blocks, and able to say what is wrong with one."""
    first: dict[tuple[bytes, ...], QrelsLine] = {}
    for number, fields in lines:
        if not fields:
            continue
        line = _checked(fields, number, name, layout)
        key = (line.topic, line.docno, line.iteration if by_iteration else b"")
        if (earlier := first.setdefault(key, line)) is not line:
            message = f"expected each document once in a topic, found {line.docno.decode()!r} of"
            repetition = f"{line.topic.decode()!r} again (first on line {earlier.number})"
            other = (
                "" if earlier.grade == line.grade else f" with grade {line.grade} instead of {earlier.grade}"
            )
            raise BadLine(number, f"{message} {repetition}{other}", name)
        yield line


def _checked(fields: list[bytes], number: int, name: str, layout: Layout) -> QrelsLine:
    if len(fields) not in layout.counts:
        raise BadLine(number, f"expected {layout.expected}, found {len(fields)}", name)
    topic = check_name(fields[TOPIC], "topic", number, name)
    docno = check_name(fields[layout.docno], "docno", number, name)
    iteration, stratum = b"0", b""
    if len(fields) >= layout.iteration:
        iteration = check_name(fields[ITERATION], "iteration", number, name)
    if layout.stratum is not None:
        stratum = check_name(fields[layout.stratum], "stratum", number, name)
    grade = layout.grade.fullmatch(fields[-1])
    if not grade:
        shown = fields[-1][:40].decode(errors="replace")
        raise BadLine(number, f"expected {layout.expected_grade} as grade, found {shown!r}", name)
    return QrelsLine(number, topic, iteration, docno, stratum, int(grade[1]))


def _as_columns(lines: Iterable[QrelsLine], layout: Layout, name: str) -> Qrels:
    rows: dict[bytes, list[QrelsLine]] = {}
    for line in lines:
        rows.setdefault(line.topic, []).append(line)
    if not rows:
        raise BadFile(f"expected at least one line of {layout.expected}, found an empty file", name=name)
    offsets = np.cumsum([0, *map(len, rows.values())])
    judged = [line for of_topic in rows.values() for line in of_topic]
    return Qrels(
        tuple(topic.decode() for topic in rows),
        offsets,
        _fixed([line.docno for line in judged]),
        np.array([line.grade for line in judged], dtype=np.int64),
        _fixed([line.iteration for line in judged]),
        None if layout.stratum is None else _fixed([line.stratum for line in judged]),
    )


def _fixed(fields: list[bytes]) -> Docnos:
    return np.array(fields, dtype=f"S{word_width(max(map(len, fields)))}")
