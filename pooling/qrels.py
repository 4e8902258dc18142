"""A TREC qrels file -> columns, and what makes qrels invalid.

Qrels have four columns: topic, iteration, docno, grade. The iteration is usually 0 and ignored; measures of
judgment groups and of subtopics read the group or the subtopic from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .columns import Block, Docnos, IntVector, Words, blocks, changes, rounded, words
from .decimals import whole_numbers
from .grouping import grouped, hashed, may_repeat
from .lines import checked_name, numbered_lines, without_comments
from .textfile import BadFile, BadLine

FIELDS = 4
TOPIC, ITERATION, DOCNO, GRADE = range(4)
WHOLE = re.compile(rb"[+-]?\d{1,9}")
LARGEST = 999_999_999  # no scale has more grades; larger numbers are damage


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
        place = self.topics.index(topic)
        rows = slice(self.offsets[place], self.offsets[place + 1])
        return Qrels(
            (topic,),
            np.array([0, rows.stop - rows.start]),
            self.docnos[rows],
            self.grades[rows],
            self.iterations[rows],
            None if self.strata is None else self.strata[rows],
        )


def parse_qrels(
    content: bytes, name: str = "", *, by_iteration: bool = False, comments: bool = True
) -> Qrels:
    """Return the columns of an unpacked qrels file.

    Blanks and tabs, any number of them, separate fields; a byte order mark and CRLF are accepted; blank lines
    and comments are skipped (`lines.numbered_lines`). Raises BadLine for fewer or more than four fields, a
    grade that is not a whole number, a docno twice in a topic, bytes that are not UTF-8, control characters,
    and fields or lines beyond all bounds; BadFile for a file without judgments.

    by_iteration: a docno may be judged once in each iteration of a topic (judgment groups, subtopics).
    comments: False to read lines that begin with `#` as judgments, as trec_eval 9 does.
    """
    clean = without_comments(content) if comments else content
    pieces = [_piece(block) for block in blocks(clean, FIELDS)]
    taken = [piece for piece in pieces if piece is not None]
    if taken and len(taken) == len(pieces):
        qrels = _joined(taken, by_iteration)
        if qrels is not None:
            return qrels
    return _parse_lines(content, name, by_iteration, comments)


_Piece = tuple[list[bytes], list[int], Words, IntVector, Words]


def _piece(block: Block | None) -> _Piece | None:
    """Return a block's topics, their first rows, docnos, grades and iterations; None when it needs a look."""
    if block is None:
        return None
    grades, left = whole_numbers(block, GRADE)
    topics, iterations, docnos = (words(block, field) for field in (TOPIC, ITERATION, DOCNO))
    if topics is None or iterations is None or docnos is None:
        return None
    if len(left) or np.abs(grades).max() > LARGEST:
        return None
    first_rows = changes(topics)
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
    unique, offsets, order = grouped(topics, np.array([*starts, rows]))
    if order is not None:
        docnos, iterations, grades = docnos[order], iterations[order], grades[order]
    told_apart = np.hstack([docnos, hashed(iterations)[:, None]]) if by_iteration else docnos
    if may_repeat(told_apart, offsets):
        return None
    return Qrels(unique, offsets, _as_bytes(docnos), grades, _as_bytes(iterations))


def _stacked(pieces: list[Words]) -> Words:
    """Put blocks of words under each other, zeros where a block is narrower."""
    width = max(piece.shape[1] for piece in pieces)
    return np.vstack([np.pad(piece, ((0, 0), (0, width - piece.shape[1]))) for piece in pieces])


def _as_bytes(fields: Words) -> Docnos:
    return np.ascontiguousarray(fields).view(f"S{fields.shape[1] * 8}").ravel()


def _parse_lines(content: bytes, name: str, by_iteration: bool, comments: bool) -> Qrels:
    """Read qrels line by line: slower, and able to say what is wrong with which line."""
    first_line: dict[tuple[bytes, ...], int] = {}
    rows: dict[str, list[tuple[bytes, bytes, int]]] = {}
    for number, fields in numbered_lines(content, name, comments):
        if not fields:
            continue
        topic, iteration, docno, grade = _checked_row(fields, number, name)
        key = (topic, docno, iteration if by_iteration else b"")
        if key in first_line:
            wish = f"expected each document once in a topic, found {docno.decode()!r} of {topic.decode()!r}"
            raise BadLine(number, f"{wish} again (first on line {first_line[key]})", name)
        first_line[key] = number
        rows.setdefault(topic.decode(), []).append((docno, iteration, grade))
    if not rows:
        raise BadFile("expected at least one line of four fields, found an empty file", name=name)
    offsets = np.cumsum([0, *map(len, rows.values())])
    docnos, iterations, grades = zip(*(row for judged in rows.values() for row in judged), strict=True)
    return Qrels(tuple(rows), offsets, _fixed(docnos), np.array(grades, dtype=np.int64), _fixed(iterations))


def _fixed(fields: tuple[bytes, ...]) -> Docnos:
    return np.array(fields, dtype=f"S{rounded(max(map(len, fields)))}")


def _checked_row(fields: list[bytes], number: int, name: str) -> tuple[bytes, bytes, bytes, int]:
    if len(fields) != FIELDS:
        wish = f"expected 4 fields (topic iteration docno grade), found {len(fields)}"
        raise BadLine(number, wish, name)
    topic = checked_name(fields[TOPIC], "topic", number, name)
    iteration = checked_name(fields[ITERATION], "iteration", number, name)
    docno = checked_name(fields[DOCNO], "docno", number, name)
    if not WHOLE.fullmatch(fields[GRADE]):
        shown = fields[GRADE][:40].decode(errors="replace")
        raise BadLine(number, f"expected a whole number of at most 9 digits as grade, found {shown!r}", name)
    return topic, iteration, docno, int(fields[GRADE])
