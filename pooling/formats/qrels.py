"""Judgments in files as columns: TREC qrels fast, every other form by `intake.judgments`; and prels.

TREC qrels have four columns: topic, iteration, docno, grade. The iteration is usually 0 and ignored; measures
of judgment groups and of subtopics read the group or the subtopic from it. Prels have five: topic, a word
that is ignored, docno, stratum, grade; a grade of -1 says that the document stands in the stratum and was not
sampled. Inferred measures (xinfAP, infNDCG) estimate from them.

One rule for all: blanks and tabs, any number of them, separate fields; a byte order mark and CRLF are
accepted; blank lines and lines that begin with `#` are skipped (`lines.numbered_lines`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pooling.arrays import Docnos, IntVector, Words, word_width
from pooling.formats.columns import (
    Block,
    blocks,
    changed_rows,
    field_words,
    numbered_lines,
    without_comments,
    without_marks,
)
from pooling.formats.files import BadFile
from pooling.formats.grouping import group_rows, hash_rows, may_repeat
from pooling.formats.numbers import whole_number_column
from pooling.intake.judgments import (
    DOCNO,
    GRADE,
    ITERATION,
    MAX_GRADE_DIGITS,
    PRELS,
    TOPIC,
    TREC,
    Judgments,
    Layout,
    QrelsLine,
    checked_lines,
    no_judgments,
)
from pooling.intake.tables import AS_IT_IS, Reading
from pooling.notebook import markup

FIELDS = 4
LARGEST_GRADE = 10**MAX_GRADE_DIGITS - 1


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgments as columns, rows grouped by topic, inside a topic in the order of the file.

    topics: in the order of their first line. offsets: int64, shape (topics + 1,); the rows of topic t are
    offsets[t] to offsets[t + 1]. docnos, iterations: bytes of shape (rows,), at a width that is a multiple of
    8. grades: int64 of shape (rows,); negative ones are pooled but not judged. strata: of shape (rows,), the
    stratum that each document was sampled from, None unless the file was one of sampled judgments (`prels`).
    notes: how a file of another form was read, and what was left out of it.
    """

    topics: tuple[str, ...]
    offsets: IntVector
    docnos: Docnos
    grades: IntVector
    iterations: Docnos
    strata: Docnos | None = None
    notes: tuple[str, ...] = ()

    def topic_of_rows(self) -> IntVector:
        """The index in `topics` of every row."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def _repr_html_(self) -> str:
        counts = np.diff(self.offsets).tolist()
        rows = [[topic, f"{count:,}"] for topic, count in zip(self.topics, counts, strict=True)]
        caption = f"qrels: {len(self.docnos):,} judgments of {len(self.topics):,} topics"
        return markup(["topic", "judgments"], rows, caption)

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


class JudgmentRecord(NamedTuple):
    """One judged pair. line: where it stands in its file, so that the caller can name it too."""

    topic: str
    docno: str
    grade: int
    line: int


class JudgmentFile(NamedTuple):
    """The judgments of a file. notes: how it was read, and what was left out."""

    records: list[JudgmentRecord]
    notes: list[str]


def parse_qrels(
    content: bytes,
    name: str = "",
    *,
    by_iteration: bool = False,
    comments: bool = True,
    reading: Reading = AS_IT_IS,
    trec_only: bool = False,
) -> Qrels:
    """Return the columns of an unpacked file of judgments, in any form that `Judgments` reads.

    Raises BadLine for a line of another number of fields, a grade that is not a whole number, a docno twice
    in a topic, bytes that are not UTF-8, control characters, and fields or lines beyond all bounds; BadFile
    for a file without judgments.

    by_iteration: a docno may be judged once in each iteration of a topic (judgment groups, subtopics).
    comments: False to read lines that begin with `#` as judgments, as trec_eval 9 does. reading: what the
    fields and words of a file mean. trec_only: refuse every form but TREC qrels, as trec_eval does.
    """
    content = without_marks(content)
    clean = without_comments(content) if comments else content
    if not reading.fields:
        pieces: list[_Piece] = []
        for piece in map(_piece, blocks(clean, FIELDS)):
            if piece is None:
                break
            pieces.append(piece)
        else:
            if pieces and (qrels := _joined(pieces, by_iteration)) is not None:
                return qrels
    if trec_only:
        numbered = numbered_lines(content, name, comments)
        return _as_columns(checked_lines(numbered, name, TREC, by_iteration), TREC, name)
    judgments = Judgments(content, name, reading, comments)
    lines = list(judgments.lines(by_iteration))
    if not lines and judgments.notes:
        raise no_judgments(judgments)
    return replace(_as_columns(lines, judgments.layout, name), notes=tuple(judgments.notes))


def parse_prels(content: bytes, name: str = "") -> Qrels:
    """Return the columns of an unpacked prels file; `strata` holds each row's stratum.

    Raises BadLine and BadFile as `parse_qrels`, for five fields.
    """
    return _as_columns(checked_lines(numbered_lines(content, name), name, PRELS), PRELS, name)


def judgment_file(content: bytes, name: str = "", reading: Reading = AS_IT_IS) -> JudgmentFile:
    """Return the judgments of a file in their order, in any form that `Judgments` reads, and notes.

    Grades may be negative; the campaign's scale is not checked here. Raises BadLine and BadFile as
    `parse_qrels`.
    """
    judgments = Judgments(content, name, reading)
    records = [
        JudgmentRecord(line.topic.decode(), line.docno.decode(), line.grade, line.number)
        for line in judgments.lines()
    ]
    if not records:
        raise no_judgments(judgments)
    return JudgmentFile(records, judgments.notes)


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
