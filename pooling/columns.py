"""Text files of blank-separated columns, read into NumPy arrays a block at a time.

Nothing here knows a run from qrels, and nothing here explains what is wrong: a block that is not exactly as
expected gives None, and the caller's line-by-line reader then finds the line and the reason. Bytes are
compared as bytes; what separates fields is a blank or a tab, what ends lines is LF or CRLF.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
IntVector = npt.NDArray[np.int64]
Vector = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Docnos = npt.NDArray[np.bytes_]

BLOCK = 1 << 19  # bytes: what one block's temporary arrays need stays in a processor's cache
FRONT = 16  # zero bytes before a block, so that the 16 bytes that end with a short field can be read
LONGEST_FIELD = 200  # bytes that the fast path takes in a topic or docno
BACK = 256  # zero bytes behind a block, so that a field can be read at a fixed width
LONGEST_LINE = 4096  # bytes; longer ones are not lines of these formats
BOM = b"\xef\xbb\xbf"

ZEROS = np.uint64(0x3030303030303030)
DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
ONES = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
EXACT = np.uint64(1 << 53)  # integers up to here are doubles, so one division by a power of ten rounds once
POWERS = 10.0 ** np.arange(23)
FIRST = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)  # keeps the first n of 8 bytes
LAST = np.array([(1 << 64) - (1 << (8 * (8 - n))) if n else 0 for n in range(9)], dtype=np.uint64)


class Block(NamedTuple):
    """Whole lines of a file with zeros around them, and where each field begins and ends.

    text: uint8; starts, ends: int64 of shape (lines, fields), positions in `text`, the end exclusive.
    """

    text: Bytes
    starts: IntVector
    ends: IntVector

    def lengths(self, field: int) -> IntVector:
        return self.ends[:, field] - self.starts[:, field]


def texts(content: bytes) -> Iterator[bytes | memoryview]:
    """Yield the content in pieces of about BLOCK bytes that end where a line ends; no byte order mark."""
    view, here = memoryview(content), len(BOM) if content.startswith(BOM) else 0
    while here < len(content):
        cut = content.rfind(b"\n", here, here + BLOCK) + 1
        if cut == 0:
            cut = content.find(b"\n", here + BLOCK) + 1 or len(content)
        yield view[here:cut]
        here = cut


def blocks(content: bytes, fields: int) -> Iterator[Block | None]:
    """Yield the content's blocks, split into `fields` columns; None for one that is not as it should be."""
    for text in texts(content):
        yield split(text, fields)


def split(text: bytes | memoryview, fields: int) -> Block | None:
    """Split whole lines into fields; None unless every line has exactly `fields` of them and is clean UTF-8.

    None also for blank lines, control characters and lines longer than LONGEST_LINE.
    """
    ends_open = text[-1] != 10
    size = len(text) + ends_open
    padded: Bytes = np.zeros(FRONT + size + BACK, dtype=np.uint8)
    padded[FRONT : FRONT + len(text)] = np.frombuffer(text, dtype=np.uint8)
    if ends_open:
        padded[FRONT + size - 1] = 10
    body = padded[FRONT : FRONT + size]
    if not _clean(body, text):
        return None
    lines = int(np.count_nonzero(body == 10))
    return _single(padded, body, lines, fields) or _spaced(padded, body, lines, fields)


def _clean(body: Bytes, text: bytes | memoryview) -> bool:
    """Tell whether the text is UTF-8 without control characters other than tab, LF and CR."""
    known = sum(np.count_nonzero(body == code) for code in (9, 10, 13))
    if np.count_nonzero(body < 32) != known:
        return False
    if int(body.max()) < 127:
        return True
    try:
        str(text, "utf-8")
    except UnicodeDecodeError:
        return False
    return not bool((body == 127).any())


def _single(padded: Bytes, body: Bytes, lines: int, fields: int) -> Block | None:
    """The usual case: one separator between fields and nothing else blank."""
    blanks = np.flatnonzero(body <= 32)
    if len(blanks) != lines * fields or blanks[0] == 0 or (np.diff(blanks) < 2).any():
        return None
    ends = blanks.reshape(lines, fields)
    if (body[ends[:, -1]] != 10).any():
        return None
    ends += FRONT
    starts = np.empty_like(ends)
    starts.ravel()[0] = FRONT
    starts.ravel()[1:] = ends.ravel()[:-1] + 1
    too_long = (ends[:, -1] - starts[:, 0]).max() > LONGEST_LINE
    return None if too_long else Block(padded, starts, ends)


def _spaced(padded: Bytes, body: Bytes, lines: int, fields: int) -> Block | None:
    """Any number of blanks between fields, at the start and at the end of a line."""
    blank = padded <= 32  # the zeros around the body too
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if len(edges) != 2 * lines * fields:
        return None
    starts, ends = edges[0::2].reshape(lines, fields), edges[1::2].reshape(lines, fields)
    breaks = np.flatnonzero(body == 10) + FRONT
    if (breaks < ends[:, -1]).any() or (breaks[:-1] >= starts[1:, 0]).any():
        return None
    too_long = np.diff(breaks, prepend=FRONT - 1).max() > LONGEST_LINE
    return None if too_long else Block(padded, starts, ends)


def words(text: Bytes, starts: IntVector, lengths: IntVector, width: int) -> Words:
    """Return fields as uint64 words of shape (fields, width / 8), zeros behind the field's own bytes.

    width: a multiple of 8, at least the longest field. Its bytes in memory are the field's:
    `.view(f"S{width}")`.
    """
    windows = _windows(text)
    found = np.empty((len(starts), width // 8), dtype=np.uint64)
    for word in range(width // 8):
        kept = FIRST[np.clip(lengths - 8 * word, 0, 8)]
        found[:, word] = windows[starts + 8 * word].view("<u8") & kept
    return found


def _windows(text: Bytes) -> npt.NDArray[np.void]:
    """Every 8 consecutive bytes of the text, overlapping, without a copy."""
    return np.ndarray((len(text) - 7,), dtype="V8", buffer=text, strides=(1,))


def rounded(length: int) -> int:
    """Return the width in whole words, at least one, that holds `length` bytes."""
    return max(8, -(-length // 8) * 8)


class Digits(NamedTuple):
    """Decimal numbers of at most 16 characters: (-1 if negative) * mantissa / 10 ** fraction where `read`."""

    negative: Flags
    mantissa: Words
    fraction: IntVector
    dotted: Flags
    read: Flags


def digits(text: Bytes, starts: IntVector, ends: IntVector) -> Digits:
    """Read decimal numbers, 8 digits a step; `read` is False for anything else, as 1e-5 or 17 digits."""
    first = text[starts]
    negative = first == 45
    starts = starts + (negative | (first == 43))
    lengths = ends - starts
    windows = _windows(text)
    head = _kept(windows[ends - 16].view("<u8"), np.clip(lengths - 8, 0, 8))
    tail = _kept(windows[ends - 8].view("<u8"), np.clip(lengths, 0, 8))
    in_head, in_tail = _dot(head), _dot(tail)
    dotted = (in_head < 8) | (in_tail < 8)
    fraction = np.where(in_head < 8, 15 - in_head, np.where(in_tail < 8, 7 - in_tail, 0))
    tail_whole = np.where(in_head < 8, tail, _without(tail, in_tail, head >> np.uint64(56)))
    head_whole = np.where(in_tail < in_head, _without(head, np.full_like(in_head, 7), ZEROS), head)
    head_whole = np.where(in_head < 8, _without(head, in_head, ZEROS), head_whole)
    head_value, head_read = _number(head_whole)
    tail_value, tail_read = _number(tail_whole)
    mantissa = head_value * np.uint64(10**8) + tail_value
    read = head_read & tail_read & (lengths <= 16) & (lengths > dotted) & (mantissa <= EXACT)
    return Digits(negative, mantissa, fraction, dotted, read)


def _kept(word: Words, count: IntVector) -> Words:
    """Keep the last `count` bytes of each word, and write the digit 0 before them."""
    kept = LAST[count]
    return (word & kept) | (ZEROS & ~kept)


def _dot(word: Words) -> IntVector:
    """Return the byte at which the first dot of each word stands, 8 where there is none."""
    other = word ^ DOTS
    flags = (other - ONES) & ~other & HIGH
    lowest = flags & (~flags + np.uint64(1))
    return np.bitwise_count(lowest - np.uint64(1)).astype(np.int64) >> 3


def _without(word: Words, dot: IntVector, carried: Words | np.uint64) -> Words:
    """Take the byte at `dot` out of each word: what stands before it moves up, a carried byte comes in."""
    before, upto = FIRST[dot], FIRST[np.minimum(dot + 1, 8)]
    shifted = ((word & before) << np.uint64(8)) | (word & ~upto) | (carried & np.uint64(0xFF))
    return np.where(dot < 8, shifted, word)


def _number(word: Words) -> tuple[Words, Flags]:
    """Return the number that 8 digits write, and whether they are digits."""
    value = word ^ ZEROS
    read = ((value + np.uint64(0x7676767676767676)) | value) & HIGH == 0
    value = (value * np.uint64(2561)) >> np.uint64(8)
    value = ((value & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    value = ((value & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return value, read


def decimals(block: Block, field: int) -> tuple[Vector, IntVector]:
    """Return a field's numbers as correctly rounded doubles, and the lines whose text is not such a number.

    What is left over (exponents, more digits than fit, words) is for the caller to read or to refuse.
    """
    found = digits(block.text, block.starts[:, field], block.ends[:, field])
    value = found.mantissa.astype(np.float64) / POWERS[found.fraction]
    return np.where(found.negative, -value, value), np.flatnonzero(~found.read)


def whole_numbers(block: Block, field: int) -> tuple[IntVector, IntVector]:
    """Return a field's numbers as integers, and the lines whose text is not a whole number."""
    found = digits(block.text, block.starts[:, field], block.ends[:, field])
    value = found.mantissa.astype(np.int64)
    return np.where(found.negative, -value, value), np.flatnonzero(~found.read | found.dotted)


def field_text(block: Block, line: int, field: int) -> bytes:
    """Return one field's bytes."""
    return block.text[block.starts[line, field] : block.ends[line, field]].tobytes()


def _odd_numbers(count: int) -> Words:
    """Return fixed odd multipliers (the steps of Knuth's MMIX generator) for the hash below."""
    found, state = [], 1442695040888963407
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        found.append(state | 1)
    return np.array(found, dtype=np.uint64)


MIXERS = _odd_numbers(LONGEST_LINE // 8 + 1)


def hashed(fields: Words, salt: IntVector | int = 0) -> Words:
    """Return a 64-bit hash of each row of words: the same at every width that holds the field.

    salt: shape (rows,), tells equal fields apart, such as the number of the topic.
    """
    mixed: Words = np.asarray(salt).astype(np.uint64) * MIXERS[-1] + fields[:, 0] * MIXERS[0]
    for word in range(1, fields.shape[1]):
        mixed += fields[:, word] * MIXERS[word]
    mixed ^= mixed >> np.uint64(32)
    mixed *= MIXERS[1]
    mixed ^= mixed >> np.uint64(29)
    return mixed


def as_words(docnos: Docnos) -> Words:
    """See a bytes array, whose width is a multiple of 8, as uint64 words of shape (rows, width / 8)."""
    seen: Words = np.ascontiguousarray(docnos).view(np.uint64)
    return seen.reshape(len(docnos), docnos.itemsize // 8)
