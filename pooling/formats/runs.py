"""A run file -> columns, what makes a run invalid, and the two orders in which a run is read.

A run has six columns: topic, a word that is ignored (`Q0`), docno, a rank that is ignored, score, tag.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pooling.arrays import Docnos, IntVector, Vector, Words, as_words, word_width
from pooling.formats.columns import (
    BLOCK_BYTES,
    Block,
    BlockSplitter,
    changed_rows,
    check_name,
    count_lines,
    field_words,
    has_comment,
    split_fields,
    text_pieces,
)
from pooling.formats.files import BadFile, BadLine
from pooling.formats.grouping import group_rows, may_repeat, repeated_rows, topic_spans
from pooling.formats.numbers import decimal_column
from pooling.intake.run_tables import NUMBER, RunText, run_lines
from pooling.intake.tables import AS_IT_IS, Reading
from pooling.notebook import markup

FIELDS = 6
TOPIC, DOCNO, RANK, SCORE, TAG = 0, 2, 3, 4, 5
LINE_BY_LINE_BYTES = 1 << 12  # lines are read one by one where a text of this size is not as it should be
BY_SCORE, LOWEST_FIRST, BY_RANK = "score", "lowest", "rank"  # how the documents of a run are ordered


class RunRow(NamedTuple):
    """One line of a run file. number: of the line, from 1. rank: as it stands there."""

    number: int
    topic: bytes
    docno: bytes
    rank: bytes
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class RunFile:
    """A run's columns, rows grouped by topic, inside a topic in the order of the file.

    tag: of the last line. topics: in the order of their first line. offsets: int64, shape (topics + 1,); the
    rows of topic t are offsets[t] to offsets[t + 1]. docnos: bytes of shape (rows,), at a width that is a
    multiple of 8. scores: float64 of shape (rows,). notes: how a file of another form was read. renamed: as
    `parse_run` was told.
    """

    tag: str
    topics: tuple[str, ...]
    offsets: IntVector
    docnos: Docnos
    scores: Vector
    notes: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        rows = [
            [topic, f"{count:,}"] for topic, count in zip(self.topics, self.lengths.tolist(), strict=True)
        ]
        caption = f"run {self.tag}: {len(self.docnos):,} documents of {len(self.topics):,} topics"
        return markup(["topic", "documents"], rows, caption)

    @property
    def lengths(self) -> IntVector:
        """How many documents each topic has."""
        return np.diff(self.offsets)

    def topic_of_rows(self) -> IntVector:
        """The index in `topics` of every row."""
        return np.repeat(np.arange(len(self.topics)), self.lengths)

    def pieces(self) -> Iterator[tuple[int, RunFile]]:
        """Yield (first topic, those topics): the run a few whole topics at a time, nothing copied."""
        for first, last in topic_spans(self.offsets):
            start, end = int(self.offsets[first]), int(self.offsets[last])
            offsets = self.offsets[first : last + 1] - start
            part = self.docnos[start:end], self.scores[start:end]
            yield first, RunFile(self.tag, self.topics[first:last], offsets, *part)


def parse_run(
    content: bytes,
    name: str = "",
    *,
    as_trec_eval: bool = False,
    comments: bool = False,
    order: str = BY_SCORE,
    reading: Reading = AS_IT_IS,
    renamed: Mapping[str, str] | None = None,
) -> RunFile:
    """Return the columns of an unpacked run file.

    Blanks and tabs, any number of them, separate fields; byte order marks, CRLF and blank lines are accepted.
    Raises BadLine for fewer or more than six fields, a score that is not a finite decimal number, a docno
    twice in a topic, bytes that are not UTF-8, control characters, and fields or lines beyond all bounds;
    BadFile for an empty file.

    Tables with a header and JSON are read, too (`intake.run_tables`). as_trec_eval: take more than six
    fields and nothing but lines, as trec_eval does. reading: what the fields of a file mean. comments:
    leave out lines that begin with `#`, as trec_eval 10 does. order: as in `RunLines.run`. renamed: topic in
    the file -> its number in the campaign, where they differ.
    """
    with_ranks = order == BY_RANK
    text = RunText(content) if as_trec_eval else run_lines(content, name, reading)
    lines = RunLines(text.content, name, as_trec_eval=as_trec_eval, comments=comments, with_ranks=with_ranks)
    try:
        lines.read()
    except BadLine as error:
        raise lines.first_repeat() or error from error
    if not lines.count:
        raise BadFile("expected at least one line of six fields, found an empty file", name=name)
    lines.rename_topics(renamed or {})
    if may_repeat(lines.docnos, lines.offsets) and (repeat := lines.first_repeat()):
        raise repeat
    return replace(lines.run(order), notes=text.notes)


class RunLines:
    """The lines of a run file as columns: read a block at a time, and line by line where a block is refused.

    Usage: `read`, then `group`ed rows. docnos: uint64 words of shape (rows, words). scores: float64 of shape
    (rows,). ranks: float64 of the same shape, nan for what is not a number; of shape (0,) unless asked for.
    topics, offsets: as in `RunFile`. tag: of the last line. count: how many rows there are. first_line: of
    the content in its file, where a header stands before it.
    """

    def __init__(
        self,
        content: bytes,
        name: str = "",
        *,
        as_trec_eval: bool = False,
        comments: bool = False,
        with_ranks: bool = False,
        first_line: int = 1,
    ) -> None:
        self.content, self.name, self.with_ranks = content, name, with_ranks
        self.as_trec_eval, self.comments, self.first_line = as_trec_eval, comments, first_line
        self.count = 0
        self.tag = b""
        lines = count_lines(content) + 1
        self._docnos: Words = np.empty((lines, 1), dtype=np.uint64)
        self._scores: Vector = np.empty(lines)
        self._ranks: Vector = np.empty(lines if with_ranks else 0)
        self._topics: list[bytes] = []
        self._first_rows: list[int] = []  # of each stretch of rows with the same topic
        self._renamed: Mapping[str, str] = {}
        self._numbers: list[tuple[int, int]] = []  # (row, line number) wherever lines before it were left out
        self._room = BlockSplitter(BLOCK_BYTES)

    def read(self, wrong: Callable[[BadLine, bytes], None] | None = None) -> None:
        """Read all lines. wrong: called with each error and its line, which is left out.

        Raises BadLine at the first error where `wrong` is None, and whatever `wrong` raises.
        """
        number = self.first_line
        for text in text_pieces(self.content):
            number = self._add_text(text, number, wrong or _refuse)

    def run(self, order: str = BY_SCORE) -> RunFile:
        """Return the run; `content` must have at least one line, and no docno twice in a topic.

        order: BY_SCORE, LOWEST_FIRST or BY_RANK. For the last two, the scores are those of the file with the
        sign changed, or the ranks with the sign changed, so that the highest score is always the first.
        Raises BadFile for an order by ranks that give none.
        """
        tag, width = self.tag.decode(), self.docnos.shape[1] * 8
        docnos = self.docnos.view(f"S{width}").ravel()
        return RunFile(tag, self.topics, self.offsets, docnos, self._scores_in(order), renamed=self._renamed)

    def topic_names(self) -> list[str]:
        """Return the topics as the file names them, in the order of their first lines."""
        return [topic.decode() for topic in dict.fromkeys(self._topics)]

    def rename_topics(self, renamed: Mapping[str, str]) -> None:
        """Give topics other names, before rows are grouped. renamed: topic in the file -> its new name."""
        self._renamed = dict(renamed)
        self._topics = [renamed.get(topic.decode(), topic.decode()).encode() for topic in self._topics]

    def _scores_in(self, order: str) -> Vector:
        if order == BY_SCORE:
            return self.scores
        if order == LOWEST_FIRST:
            return -self.scores
        ranks = self.ranks
        if len(wrong := np.flatnonzero(~np.isfinite(ranks))):
            line = int(self.lines_of(wrong).min())
            raise BadLine(
                line, "expected a number as rank, because the run is ordered by its ranks", self.name
            )
        if len(ranks) > len(self.topics) and (ranks == ranks[0]).all():
            message = f"expected ranks that give an order, but every rank is {ranks[0]:g}"
            raise BadFile(message, name=self.name)
        return -ranks

    @cached_property
    def _grouped(self) -> tuple[tuple[str, ...], IntVector, IntVector | None]:
        offsets = np.array([*self._first_rows, self.count], dtype=np.int64)
        return group_rows([topic.decode() for topic in self._topics], offsets)

    @property
    def topics(self) -> tuple[str, ...]:
        return self._grouped[0]

    @property
    def offsets(self) -> IntVector:
        return self._grouped[1]

    @cached_property
    def docnos(self) -> Words:
        docnos, order = self._docnos[: self.count], self._grouped[2]
        return docnos if order is None else docnos[order]

    @cached_property
    def scores(self) -> Vector:
        scores, order = self._scores[: self.count], self._grouped[2]
        return scores if order is None else scores[order]

    @property
    def ranks(self) -> Vector:
        ranks, order = self._ranks[: self.count], self._grouped[2]
        return ranks if order is None or not self.with_ranks else ranks[order]

    def lines_of(self, rows: IntVector) -> IntVector:
        """Return the line numbers, from 1, of rows that are grouped by topic."""
        order = self._grouped[2]
        rows = rows if order is None else order[rows]
        first, numbers = np.array(self._numbers, dtype=np.int64).T
        at = np.searchsorted(first, rows, side="right") - 1
        line_numbers: IntVector = rows - first[at] + numbers[at]
        return line_numbers

    def docno_of(self, row: int) -> str:
        """Return the docno of a row, grouped by topic."""
        docno: bytes = self.docnos[row].tobytes()
        return docno.rstrip(b"\0").decode()

    def first_repeat(self) -> BadLine | None:
        """Return the error of the first line whose docno stands earlier in its topic, None without one."""
        if not self.count:
            return None
        rows, firsts = repeated_rows(self.docnos, self.offsets)
        if not len(rows):
            return None
        lines = self.lines_of(rows)
        at = int(np.argmin(lines))
        row, topic = int(rows[at]), self.topics[int(np.searchsorted(self.offsets, rows[at], "right")) - 1]
        first = int(self.lines_of(firsts[at : at + 1])[0])
        message = f"expected each document once in a topic, found {self.docno_of(row)!r} of topic {topic!r}"
        return BadLine(int(lines[at]), f"{message} again (first on line {first})", self.name)

    def _add_text(
        self, text: bytes | memoryview, number: int, wrong: Callable[[BadLine, bytes], None]
    ) -> int:
        """Take whole lines, of which the first has this number; return the number of the line behind them.

        Where lines are not as they should be, each half is tried by itself, so that few are read one by one.
        """
        if not (self.comments and has_comment(text)):
            if len(text) > self._room.size:  # a line longer than a block
                self._room = BlockSplitter(len(text))
            block = self._room.split(text, FIELDS)
            if block is not None and self._add_block(block, number):
                return number + len(block.starts)
        text = bytes(text)
        if not text.strip(b" \t\r\n"):
            return number + text.count(b"\n")
        middle = text.rfind(b"\n", 0, len(text) // 2) + 1
        if len(text) <= LINE_BY_LINE_BYTES or not middle:
            return self._add_lines(text, number, wrong)
        number = self._add_text(text[:middle], number, wrong)
        return self._add_text(text[middle:], number, wrong)

    def _add_lines(self, text: bytes, number: int, wrong: Callable[[BadLine, bytes], None]) -> int:
        rows: list[RunRow] = []
        try:
            for line in io.BytesIO(text):
                if not line.endswith(b"\n") and not line.strip(b" \t\r"):
                    break  # blanks behind the last line end
                try:
                    rows += self._row(line.removesuffix(b"\n"), number)
                except BadLine as error:
                    wrong(error, line)
                number += 1
        finally:
            self._add_rows(rows)
        return number

    def _row(self, line: bytes, number: int) -> list[RunRow]:
        """Return the row of a line, none for one that is left out. Raises BadLine."""
        if self.comments and line.startswith(b"#"):
            return []
        fields = split_fields(line, number, self.name)
        if not fields:  # trec_eval skips blank lines too
            return []
        row, self.tag = checked_row(fields, number, self.name, self.as_trec_eval)
        return [row]

    def _add_rows(self, rows: list[RunRow]) -> None:
        if not rows:
            return
        width = word_width(max(len(row.docno) for row in rows))
        self._add_docnos(as_words(np.array([row.docno for row in rows], dtype=f"S{width}")))
        for row in rows:
            self._note_line(row.number)
            self._add_topic(row.topic, self.count)
            self._scores[self.count] = row.score
            if self.with_ranks:
                self._ranks[self.count] = _number(row.rank)
            self.count += 1

    def _add_block(self, block: Block, number: int) -> bool:
        """Take a block's columns; False when its lines need a look, and then nothing is taken."""
        scores, left = decimal_column(block, SCORE)
        for line in left:
            text = block.field(line, SCORE)
            if not NUMBER.fullmatch(text):
                return False
            scores[line] = float(text)
        docnos, topics = field_words(block, DOCNO), field_words(block, TOPIC)
        if docnos is None or topics is None or (len(left) and not np.isfinite(scores).all()):
            return False
        self._note_line(number)
        self._add_docnos(docnos)
        for line in changed_rows(topics):
            self._add_topic(block.field(line, TOPIC), self.count + line)
        self._scores[self.count : self.count + len(scores)] = scores
        if self.with_ranks:
            self._ranks[self.count : self.count + len(scores)] = _ranks_of(block)
        self.count += len(scores)
        self.tag = block.field(-1, TAG)
        return True

    def _note_line(self, number: int) -> None:
        """Remember the line number of the next row, unless it follows from that of the row before."""
        if not self._numbers or number - self.count != self._numbers[-1][1] - self._numbers[-1][0]:
            self._numbers.append((self.count, number))

    def _add_docnos(self, docnos: Words) -> None:
        width = docnos.shape[1]
        if width > self._docnos.shape[1]:
            wider = np.zeros((len(self._docnos), width), dtype=np.uint64)
            wider[: self.count, : self._docnos.shape[1]] = self._docnos[: self.count]
            self._docnos = wider
        rows = self._docnos[self.count : self.count + len(docnos)]
        rows[:, width:] = 0
        rows[:, :width] = docnos

    def _add_topic(self, topic: bytes, row: int) -> None:
        if not self._topics or topic != self._topics[-1]:
            self._topics.append(topic)
            self._first_rows.append(row)


def _ranks_of(block: Block) -> Vector:
    """Return the rank column; nan for what is not a number."""
    ranks, left = decimal_column(block, RANK)
    for line in left:
        ranks[line] = _number(block.field(line, RANK))
    return ranks


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _refuse(error: BadLine, line: bytes) -> None:
    raise error


def checked_row(fields: list[bytes], number: int, name: str, as_trec_eval: bool) -> tuple[RunRow, bytes]:
    """Return the row of a line's fields, and its tag. Raises BadLine."""
    if len(fields) < FIELDS or (len(fields) > FIELDS and not as_trec_eval):
        expected = "expected 6 fields (topic Q0 docno rank score tag)"
        raise BadLine(number, f"{expected}, found {len(fields)}{_other_line(fields)}", name)
    topic = check_name(fields[TOPIC], "topic", number, name)
    docno = check_name(fields[DOCNO], "docno", number, name)
    text = fields[SCORE]
    score = float(text) if NUMBER.fullmatch(text) else float("nan")
    if not np.isfinite(score):
        shown = text[:40].decode(errors="replace")
        raise BadLine(number, f"expected a finite decimal number as score, found {shown!r}", name)
    return RunRow(number, topic, docno, fields[RANK], score), fields[TAG]


def _other_line(fields: list[bytes]) -> str:
    """Return what a line of another number of fields may be, as the end of a message; "" if unknown."""
    if len(fields) > FIELDS:
        if NUMBER.fullmatch(fields[SCORE]) and not NUMBER.fullmatch(fields[SCORE + 1]):
            return "; a tag must not contain blanks"
        return "; the first column seems to number the lines" if NUMBER.fullmatch(fields[SCORE + 1]) else ""
    if len(fields) in (3, 4) and NUMBER.fullmatch(fields[-1]):
        return ", as qrels have (topic iteration docno grade)"
    return ""
