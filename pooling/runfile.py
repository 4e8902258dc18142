"""A run file -> columns, what makes a run invalid, and the two orders in which a run is read.

A run has six columns: topic, a word that is ignored (`Q0`), docno, a rank that is ignored, score, tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .columns import (
    Block,
    Docnos,
    Flags,
    IntVector,
    Vector,
    Words,
    as_words,
    blocks,
    changes,
    count_lines,
    rounded,
    words,
)
from .decimals import decimals
from .grouping import grouped, may_repeat, spans
from .lines import checked_name, numbered_lines, without_comments
from .textfile import BadFile, BadLine

FIELDS = 6
TOPIC, DOCNO, SCORE, TAG = 0, 2, 4, 5
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
Compared = npt.NDArray[np.float32] | Vector


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run's columns, rows grouped by topic, inside a topic in the order of the file.

    tag: of the last line. topics: in the order of their first line. offsets: int64, shape (topics + 1,); the
    rows of topic t are offsets[t] to offsets[t + 1]. docnos: bytes of shape (rows,), at a width that is a
    multiple of 8. scores: float64 of shape (rows,).
    """

    tag: str
    topics: tuple[str, ...]
    offsets: IntVector
    docnos: Docnos
    scores: Vector

    @property
    def lengths(self) -> IntVector:
        """How many documents each topic has."""
        return np.diff(self.offsets)

    def topic_of_rows(self) -> IntVector:
        """The index in `topics` of every row."""
        return np.repeat(np.arange(len(self.topics)), self.lengths)

    def pieces(self) -> Iterator[tuple[int, Run]]:
        """Yield (first topic, those topics): the run a few whole topics at a time, nothing copied."""
        for first, last in spans(self.offsets):
            start, end = int(self.offsets[first]), int(self.offsets[last])
            offsets = self.offsets[first : last + 1] - start
            part = self.docnos[start:end], self.scores[start:end]
            yield first, Run(self.tag, self.topics[first:last], offsets, *part)


def parse_run(content: bytes, name: str = "", *, as_trec_eval: bool = False, comments: bool = False) -> Run:
    """Return the columns of an unpacked run file.

    Blanks and tabs, any number of them, separate fields; a byte order mark and CRLF are accepted. Raises
    BadLine for fewer or more than six fields, a blank line, a score that is not a finite decimal number, a
    docno twice in a topic, bytes that are not UTF-8, control characters, and fields or lines beyond all
    bounds; BadFile for an empty file.

    as_trec_eval: take blank lines and more than six fields, as trec_eval does. comments: leave out lines that
    begin with `#`, as trec_eval 10 does.
    """
    clean = without_comments(content) if comments else content
    columns = _Columns(count_lines(clean) + 1)
    if all(block is not None and columns.add(block) for block in blocks(clean, FIELDS)):
        run = columns.run()
        if run is not None:
            return run
    return _parse_lines(content, name, as_trec_eval, comments)


class _Columns:
    """Collects blocks of a run in arrays that are made once."""

    def __init__(self, lines: int) -> None:
        self.filled = 0
        self.tag = b""
        self.docnos: Words = np.empty((lines, 1), dtype=np.uint64)
        self.scores: Vector = np.empty(lines)
        self.topics: list[bytes] = []
        self.first_rows: list[int] = []

    def add(self, block: Block) -> bool:
        """Take a block's columns; False when a line-by-line look is needed."""
        scores, left = decimals(block, SCORE)
        for line in left:
            text = block.field(line, SCORE)
            if not NUMBER.fullmatch(text):
                return False
            scores[line] = float(text)
        if len(left) and not np.isfinite(scores).all():
            return False
        return self._add_docnos(block) and self._add_topics(block) and self._advance(block, scores)

    def _add_docnos(self, block: Block) -> bool:
        found = words(block, DOCNO)
        if found is None:
            return False
        width = found.shape[1]
        if width > self.docnos.shape[1]:
            wider = np.zeros((len(self.docnos), width), dtype=np.uint64)
            wider[: self.filled, : self.docnos.shape[1]] = self.docnos[: self.filled]
            self.docnos = wider
        rows = self.docnos[self.filled : self.filled + len(found)]
        rows[:, width:] = 0
        rows[:, :width] = found
        return True

    def _add_topics(self, block: Block) -> bool:
        found = words(block, TOPIC)
        if found is None:
            return False
        for line in changes(found):
            topic = block.field(line, TOPIC)
            if not self.topics or topic != self.topics[-1]:
                self.topics.append(topic)
                self.first_rows.append(self.filled + line)
        return True

    def _advance(self, block: Block, scores: Vector) -> bool:
        self.scores[self.filled : self.filled + len(scores)] = scores
        self.filled += len(scores)
        self.tag = block.field(-1, TAG)
        return True

    def run(self) -> Run | None:
        """Return the run; None when it is empty or a docno may stand twice in a topic."""
        if not self.filled:
            return None
        offsets = np.array([*self.first_rows, self.filled], dtype=np.int64)
        docnos, scores = self.docnos[: self.filled], self.scores[: self.filled]
        topics, offsets, order = grouped([topic.decode() for topic in self.topics], offsets)
        if order is not None:
            docnos, scores = docnos[order], scores[order]
        if may_repeat(docnos, offsets):
            return None
        width = docnos.shape[1] * 8
        return Run(self.tag.decode(), topics, offsets, docnos.view(f"S{width}").ravel(), scores)


def _parse_lines(content: bytes, name: str, as_trec_eval: bool, comments: bool = False) -> Run:
    """Read a run line by line: slower, and able to say what is wrong with which line."""
    rows: dict[str, dict[bytes, tuple[int, float]]] = {}
    tag = b""
    for number, fields in numbered_lines(content, name, comments):
        if not fields and as_trec_eval:
            continue
        topic, docno, score, tag = checked_row(fields, number, name, as_trec_eval)
        ranked = rows.setdefault(topic, {})
        if docno in ranked:
            wish = f"expected each document once in a topic, found {docno.decode()!r} of topic {topic!r}"
            raise BadLine(number, f"{wish} again (first on line {ranked[docno][0]})", name)
        ranked[docno] = (number, score)
    if not rows:
        raise BadFile("expected at least one line of six fields, found an empty file", name=name)
    offsets = np.cumsum([0, *(len(ranked) for ranked in rows.values())])
    docnos = [docno for ranked in rows.values() for docno in ranked]
    scores = [score for ranked in rows.values() for _, score in ranked.values()]
    width = rounded(max(map(len, docnos)))
    return Run(tag.decode(), tuple(rows), offsets, np.array(docnos, f"S{width}"), np.array(scores))


def checked_row(
    fields: list[bytes], number: int, name: str, as_trec_eval: bool
) -> tuple[str, bytes, float, bytes]:
    if len(fields) < FIELDS or (len(fields) > FIELDS and not as_trec_eval):
        found = f"found {len(fields)}" if fields else "found a blank line"
        raise BadLine(number, f"expected 6 fields (topic Q0 docno rank score tag), {found}", name)
    topic = checked_name(fields[TOPIC], "topic", number, name).decode()
    docno = checked_name(fields[DOCNO], "docno", number, name)
    text = fields[SCORE]
    score = float(text) if NUMBER.fullmatch(text) else float("nan")
    if not np.isfinite(score):
        shown = text[:40].decode(errors="replace")
        raise BadLine(number, f"expected a finite decimal number as score, found {shown!r}", name)
    return topic, docno, score, fields[TAG]


def scoring_order(run: Run, profile: str = "trec_eval-9") -> IntVector:
    """Return the rows as trec_eval ranks them: score descending, ties by docno bytes descending.

    profile: "trec_eval-9" compares scores as float32, "trec_eval-10" as float64. The rank column is ignored.
    """
    return _all_rows(run, _order(run, _compared(run.scores, profile), descending=True))


def pooling_order(run: Run) -> IntVector:
    """Return the rows as pools are drawn: score descending, ties by docno bytes ascending; shape (rows,).

    Scores are compared as float64. This order reproduces NIST's TREC-COVID pools.
    """
    return _all_rows(run, _order(run, run.scores, descending=False))


def scoring_places(run: Run, profile: str = "trec_eval-9") -> IntVector | None:
    """Return where each row stands in the scoring order; None when every row stands where it is."""
    return _inverse(_order(run, _compared(run.scores, profile), descending=True))


def preference_places(run: Run, profile: str = "trec_eval-9") -> IntVector | None:
    """Return where each row stands when trec_eval ranks for preferences: ties by docno bytes ascending."""
    return _inverse(_order(run, _compared(run.scores, profile), descending=False))


def _all_rows(run: Run, order: IntVector | None) -> IntVector:
    return np.arange(len(run.scores)) if order is None else order


def _inverse(order: IntVector | None) -> IntVector | None:
    if order is None:
        return None
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def tie_groups(run: Run, profile: str = "trec_eval-9") -> IntVector:
    """Return where, in the scoring order, each group of equal scores of a topic begins; shape (groups,).

    A score that no other document of the topic has is a group of one.
    """
    _, scores = _by_score(run, _compared(run.scores, profile))  # whichever way documents of equal score come
    starts: Flags = np.append(True, scores[1:] != scores[:-1])
    starts[run.offsets[:-1]] = True
    return np.flatnonzero(starts)


def rankings(run: Run) -> dict[str, list[str]]:
    """Return topic -> docnos, best first, in pooling order."""
    docnos = [docno.decode() for docno in run.docnos[pooling_order(run)].tolist()]
    return {
        topic: docnos[start:end]
        for topic, (start, end) in zip(run.topics, pairwise(run.offsets.tolist()), strict=True)
    }


def _compared(scores: Vector, profile: str) -> Compared:
    """Return the scores at the precision in which the profile compares them."""
    if profile != "trec_eval-9":
        return scores
    with np.errstate(over="ignore"):  # beyond float32 they are infinite and tie, as in C
        return scores.astype(np.float32)


def _order(run: Run, scores: Compared, descending: bool) -> IntVector | None:
    """Order rows by score descending inside each topic, ties by docno; None when they stand so already."""
    order, scores = _by_score(run, scores)
    tied = scores[1:] == scores[:-1]
    tied[run.offsets[1:-1] - 1] = False
    if not tied.any():
        return order
    return _break_ties(_all_rows(run, order), tied, as_words(run.docnos), descending)


def _by_score(run: Run, scores: Compared) -> tuple[IntVector | None, Compared]:
    """Return the rows by score descending inside each topic, None when they stand so, and their scores."""
    rise = scores[1:] > scores[:-1]
    rise[run.offsets[1:-1] - 1] = False
    if not rise.any():
        return None, scores
    order = np.lexsort((-scores, run.topic_of_rows()))
    return order, scores[order]


def _break_ties(order: IntVector, tied: Flags, docnos: Words, descending: bool) -> IntVector:
    """Re-sort by docno the stretches of `order` in which each row ties with the one before it."""
    after, before = (
        np.append(tied, False),
        np.append(False, tied),
    )  # ties with the next row, with the last one
    in_pair = tied & ~before[:-1] & ~after[1:]
    _order_pairs(order, np.flatnonzero(in_pair), docnos, descending)
    after[:-1] &= ~in_pair
    before[1:] &= ~in_pair
    places = np.flatnonzero(after | before)
    if len(places):
        group = np.cumsum(~before)[places]
        keys = docnos[order[places]].byteswap()  # big-endian words compare as their bytes do
        keys = ~keys if descending else keys
        order[places] = order[places][np.lexsort((*keys.T[::-1], group))]
    return order


def _order_pairs(order: IntVector, first: IntVector, docnos: Words, descending: bool) -> None:
    """Order two rows at a time by docno: those at `first` and the places behind it. Most ties are of two."""
    upper, lower = docnos[order[first]].byteswap(), docnos[order[first + 1]].byteswap()
    upper, lower = (lower, upper) if descending else (upper, lower)
    greater: Flags = np.zeros(len(first), dtype=bool)
    for word in reversed(range(docnos.shape[1])):
        greater = np.where(upper[:, word] == lower[:, word], greater, upper[:, word] > lower[:, word])
    swapped = first[greater]
    order[swapped], order[swapped + 1] = order[swapped + 1], order[swapped]
