"""Text files of blank-separated columns, read into NumPy arrays a block at a time.

Nothing here knows a run from qrels, and nothing here explains what is wrong: a block that is not exactly as
expected gives None, and the caller's line-by-line reader then finds the line and the reason. Bytes are
compared as bytes; what separates fields is a blank or a tab, what ends lines is LF or CRLF.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pooling.arrays import Bytes, Flags, IntVector, Words
from pooling.formats.files import BadLine
from pooling.limits import MAX_NAME_BYTES, MAX_ROW_BYTES, MAX_TOPIC_BYTES

BLOCK_BYTES = 1 << 18  # bytes: what one block's temporary arrays need stays in a processor's cache
FRONT_PADDING = 24  # zero bytes before a block, so that the 24 bytes that end with a short field can be read
BACK_PADDING = 256  # zero bytes behind a block, so that a field can be read at a fixed width
BOM = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Whole lines of a file with zeros around them, and where each field begins and ends.

    text: uint8. starts, ends: int64 of shape (lines, fields), positions in `text`, the end exclusive; `shift`
    is still to be added to the starts.
    """

    text: Bytes
    starts: IntVector
    ends: IntVector
    shift: int = 0

    def start(self, field: int) -> IntVector:
        """Where a field begins, on every line."""
        return self.starts[:, field] + self.shift

    def end(self, field: int) -> IntVector:
        """Where a field ends, on every line."""
        return np.ascontiguousarray(self.ends[:, field])

    def field(self, line: int, field: int) -> bytes:
        """Return one field's bytes."""
        return self.text[self.starts[line, field] + self.shift : self.ends[line, field]].tobytes()


def count_lines(content: bytes) -> int:
    """Return how many line ends there are."""
    codes = np.frombuffer(content, dtype=np.uint8)
    return sum(
        int(np.count_nonzero(codes[at : at + BLOCK_BYTES] == 10)) for at in range(0, len(codes), BLOCK_BYTES)
    )


def without_marks(content: bytes) -> bytes:
    """Return the content without byte order marks at the start of lines: joined files have several."""
    if BOM[0] not in content:  # one byte is found faster than several
        return content
    content = content.removeprefix(BOM)
    return content.replace(b"\n" + BOM, b"\n") if b"\n" + BOM in content else content


def text_pieces(content: bytes) -> Iterator[bytes | memoryview]:
    """Yield the content in pieces of about BLOCK bytes that end where a line ends; no byte order marks."""
    content = without_marks(content)
    view, here = memoryview(content), 0
    while here < len(content):
        cut = content.rfind(b"\n", here, here + BLOCK_BYTES) + 1
        if cut == 0:
            cut = content.find(b"\n", here + BLOCK_BYTES) + 1 or len(content)
        yield view[here:cut]
        here = cut


def blocks(content: bytes, fields: int) -> Iterator[Block | None]:
    """Yield the content's blocks, split into `fields` columns; None for a malformed block.

    A block is valid until the next one is read, because its buffer is reused.
    """
    room = BlockSplitter(BLOCK_BYTES)
    for text in text_pieces(content):
        if len(text) > room.size:  # a line longer than a block
            room = BlockSplitter(len(text))
        yield room.split(text, fields)


class BlockSplitter:
    """Splits text of up to `size` bytes into blocks; its arrays are allocated once, because that is slow."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._text: Bytes = np.empty(FRONT_PADDING + size + 1 + BACK_PADDING, dtype=np.uint8)
        self._flags: Flags = np.empty(size + 3, dtype=bool)
        self._pairs: Flags = np.empty(size + 3, dtype=bool)

    def split(self, text: bytes | memoryview, fields: int) -> Block | None:
        """Split whole lines into fields; None unless each has exactly `fields` of them and is clean UTF-8.

        None also for blank lines, control characters and lines longer than LONGEST_ROW.
        """
        open_ended = text[-1] != 10
        size = len(text) + open_ended
        padded = self._text[: FRONT_PADDING + size + BACK_PADDING]
        padded[:FRONT_PADDING] = padded[FRONT_PADDING + size :] = 0
        padded[FRONT_PADDING : FRONT_PADDING + len(text)] = np.frombuffer(text, dtype=np.uint8)
        if open_ended:
            padded[FRONT_PADDING + size - 1] = 10
        body = padded[FRONT_PADDING : FRONT_PADDING + size]
        lines = self._count(np.equal, body, 10)
        if not self._clean(body, lines, text):
            return None
        return self._single(padded, lines, fields) or self._spaced(padded, body, lines, fields)

    def _count(self, compare: np.ufunc, body: Bytes, code: int) -> int:
        return int(np.count_nonzero(compare(body, code, out=self._flags[: len(body)])))

    def _clean(self, body: Bytes, lines: int, text: bytes | memoryview) -> bool:
        """Tell whether the text is UTF-8 without control characters other than tab, LF and CR."""
        control = self._count(np.less, body, 32) - lines
        control = control and control - self._count(np.equal, body, 9)
        if control and control != self._count(np.equal, body, 13):
            return False
        if int(body.max()) < 127:
            return True
        try:
            str(text, "utf-8")
        except UnicodeDecodeError:
            return False
        return self._count(np.equal, body, 127) == 0

    def _single(self, padded: Bytes, lines: int, fields: int) -> Block | None:
        """The usual case: one separator between fields and nothing else blank."""
        seen = padded[
            FRONT_PADDING - 1 : len(padded) - BACK_PADDING
        ]  # the zero before the text counts as a separator
        blank = np.less_equal(seen, 32, out=self._flags[: len(seen)])
        bounds = np.flatnonzero(blank)
        if len(bounds) != lines * fields + 1:
            return None
        bounds += FRONT_PADDING - 1
        starts, ends = bounds[:-1].reshape(lines, fields), bounds[1:].reshape(lines, fields)
        doubled = np.logical_and(blank[1:], blank[:-1], out=self._pairs[: len(blank) - 1])
        if doubled.any() or (padded[ends[:, -1]] != 10).any():
            return None
        too_long = (ends[:, -1] - starts[:, 0]).max() > MAX_ROW_BYTES
        return None if too_long else Block(padded, starts, ends, shift=1)

    def _spaced(self, padded: Bytes, body: Bytes, lines: int, fields: int) -> Block | None:
        """Any number of blanks between fields, at the start and at the end of a line."""
        seen = padded[
            FRONT_PADDING - 1 : len(padded) - BACK_PADDING + 1
        ]  # a zero before and behind the text too
        blank = np.less_equal(seen, 32, out=self._flags[: len(seen)])
        edges = np.flatnonzero(np.not_equal(blank[1:], blank[:-1], out=self._pairs[: len(blank) - 1]))
        if len(edges) != 2 * lines * fields:
            return None
        edges += FRONT_PADDING
        starts, ends = edges[0::2].reshape(lines, fields), edges[1::2].reshape(lines, fields)
        breaks = np.flatnonzero(np.equal(body, 10, out=self._flags[: len(body)])) + FRONT_PADDING
        if (breaks < ends[:, -1]).any() or (breaks[:-1] >= starts[1:, 0]).any():
            return None
        too_long = np.diff(breaks, prepend=FRONT_PADDING - 1).max() > MAX_ROW_BYTES
        return None if too_long else Block(padded, starts, ends)


def field_words(block: Block, field: int) -> Words | None:
    """Return a field as uint64 words of shape (lines, words), zeros behind the field's own bytes.

    As many words as the longest field needs; their bytes in memory are the field's. None where one is longer
    than LONGEST_NAME.
    """
    starts = block.start(field)
    lengths = block.end(field) - starts
    shortest, longest = int(lengths.min()), int(lengths.max())
    if longest > MAX_NAME_BYTES:
        return None
    count = -(-longest // 8)
    words: Words = windows(block.text, 8 * count)[starts].view(np.uint64).reshape(len(starts), count)
    for word in range(shortest // 8, count):
        beyond = 8 * (8 * word + 8 - (lengths if shortest < longest else shortest))
        spare = np.clip(beyond, 0, 64).astype(np.uint64)
        words[:, word] = words[:, word] << spare >> spare
    return words


def changed_rows(words: Words) -> list[int]:
    """Return the rows that differ from the row before them, the first row included."""
    changed = words[1:, 0] != words[:-1, 0]
    for word in range(1, words.shape[1]):
        changed |= words[1:, word] != words[:-1, word]
    return [0, *(np.flatnonzero(changed) + 1).tolist()]


def windows(text: Bytes, width: int = 8) -> npt.NDArray[np.void]:
    """Every `width` consecutive bytes of the text, overlapping, without a copy."""
    return np.ndarray((len(text) - width + 1,), dtype=f"V{width}", buffer=text, strides=(1,))


def has_comment(text: bytes | memoryview) -> bool:
    """Tell whether a line of the text begins with `#`."""
    content = bytes(text)
    return content.startswith(b"#") or b"\n#" in content


def without_comments(content: bytes) -> bytes:
    """Return the content without the lines that begin with `#`."""
    if not has_comment(content):
        return content
    return b"\n".join(line for line in content.split(b"\n") if not line.startswith(b"#"))


def numbered_lines(
    content: bytes, name: str = "", comments: bool = True
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield (line number from 1, fields) of every line; no fields for a blank one. Raises BadLine.

    The rule for judgments of every format: lines that begin with `#` are comments, as in trec_eval 10, and
    are left out, though they count as lines; callers skip blank lines. No topic number begins with `#`
    (`trec.topics`), so that no judgment is mistaken for a comment. comments: False to yield such lines too.
    """
    # one line at a time: a list of millions of tiny lines would take twenty times the file
    for number, line in enumerate(io.BytesIO(without_marks(content)), start=1):
        if not line.endswith(b"\n") and not line.strip(b" \t\r"):
            return  # what stands behind the last line end
        if not (comments and line.startswith(b"#")):
            yield number, split_fields(line.removesuffix(b"\n"), number, name)


def split_fields(line: bytes, number: int, name: str) -> list[bytes]:
    """Return one line's fields; raises BadLine for what no line of a columns file may hold."""
    line = line.removesuffix(b"\r")
    if len(line) > MAX_ROW_BYTES:
        raise BadLine(number, f"expected at most {MAX_ROW_BYTES:,} bytes, found {len(line):,}", name)
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise BadLine(
            number, f"expected UTF-8 text, found the byte 0x{line[error.start]:02x}", name
        ) from error
    control = next((code for code in line if (code < 32 and code != 9) or code == 127), None)
    if control is not None:
        raise BadLine(number, f"expected text, found the control character 0x{control:02x}", name)
    return re.split(rb"[ \t]+", stripped) if (stripped := line.strip(b" \t")) else []


def check_name(field: bytes, kind: str, number: int, name: str) -> bytes:
    """Return a topic or docno; raises BadLine when it has more bytes than `longest_name`."""
    if len(field) > (longest := longest_name(kind)):
        raise BadLine(number, f"expected a {kind} of at most {longest} bytes, found {len(field):,}", name)
    return field


def longest_name(kind: str) -> int:
    """Return how many bytes a topic, a docno, an iteration or a stratum may have."""
    return MAX_TOPIC_BYTES if kind == "topic" else MAX_NAME_BYTES
