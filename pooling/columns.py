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

BLOCK = 1 << 18  # bytes: what one block's temporary arrays need stays in a processor's cache
FRONT = 16  # zero bytes before a block, so that the 16 bytes that end with a short field can be read
LONGEST_FIELD = 200  # bytes that the fast path takes in a topic or docno
BACK = 256  # zero bytes behind a block, so that a field can be read at a fixed width
LONGEST_LINE = 4096  # bytes; longer ones are not lines of these formats
BOM = b"\xef\xbb\xbf"

ZERO, ONE = np.uint64(ord("0")), np.uint64(1)
ZEROS = np.uint64(0x3030303030303030)
DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
ONES = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
EXACT = np.uint64(1 << 53)  # integers up to here are doubles, so one division by a power of ten rounds once
POWERS = 10.0 ** np.arange(17)


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
    return sum(int(np.count_nonzero(codes[at : at + BLOCK] == 10)) for at in range(0, len(codes), BLOCK))


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
    """Yield the content's blocks, split into `fields` columns; None for one that is not as it should be.

    A block holds until the next one is asked for: its text is written over.
    """
    room: Bytes = np.empty(FRONT + BLOCK + BACK + 1, dtype=np.uint8)
    for text in texts(content):
        yield split(text, fields, room)


def split(text: bytes | memoryview, fields: int, room: Bytes | None = None) -> Block | None:
    """Split whole lines into fields; None unless every line has exactly `fields` of them and is clean UTF-8.

    None also for blank lines, control characters and lines longer than LONGEST_LINE. room: where the block's
    text may be written, if it fits.
    """
    open_ended = text[-1] != 10
    size = len(text) + open_ended
    needed = FRONT + size + BACK
    if room is None or len(room) < needed:
        room = np.empty(needed, dtype=np.uint8)
    padded = room[:needed]
    padded[:FRONT] = padded[FRONT + size :] = 0
    padded[FRONT : FRONT + len(text)] = np.frombuffer(text, dtype=np.uint8)
    if open_ended:
        padded[FRONT + size - 1] = 10
    body = padded[FRONT : FRONT + size]
    lines = int(np.count_nonzero(body == 10))
    if not _clean(body, lines, text):
        return None
    return _single(padded, body, lines, fields) or _spaced(padded, body, lines, fields)


def _clean(body: Bytes, lines: int, text: bytes | memoryview) -> bool:
    """Tell whether the text is UTF-8 without control characters other than tab, LF and CR."""
    control = int(np.count_nonzero(body < 32)) - lines
    control = control and control - int(np.count_nonzero(body == 9))
    if control and control != np.count_nonzero(body == 13):
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
    blank = body <= 32
    if blank[0] or (blank[1:] & blank[:-1]).any():
        return None
    places = np.flatnonzero(blank)
    if len(places) != lines * fields:
        return None
    bounds: IntVector = np.empty(len(places) + 1, dtype=np.int64)
    bounds[0] = FRONT - 1
    np.add(places, FRONT, out=bounds[1:])
    starts, ends = bounds[:-1].reshape(lines, fields), bounds[1:].reshape(lines, fields)
    if (padded[ends[:, -1]] != 10).any() or (ends[:, -1] - starts[:, 0]).max() > LONGEST_LINE:
        return None
    return Block(padded, starts, ends, shift=1)


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


def words(block: Block, field: int) -> Words | None:
    """Return a field as uint64 words of shape (lines, words), zeros behind the field's own bytes.

    As many words as the longest field needs; their bytes in memory are the field's. None where one is longer
    than LONGEST_FIELD.
    """
    starts = block.start(field)
    lengths = block.end(field) - starts
    shortest, longest = int(lengths.min()), int(lengths.max())
    if longest > LONGEST_FIELD:
        return None
    count = -(-longest // 8)
    found: Words = _windows(block.text, 8 * count)[starts].view(np.uint64).reshape(len(starts), count)
    for word in range(shortest // 8, count):
        beyond = 8 * (8 * word + 8 - (lengths if shortest < longest else shortest))
        spare = np.clip(beyond, 0, 64).astype(np.uint64)
        found[:, word] = found[:, word] << spare >> spare
    return found


def changes(found: Words) -> list[int]:
    """Return the rows that differ from the row before them, the first row included."""
    changed = found[1:, 0] != found[:-1, 0]
    for word in range(1, found.shape[1]):
        changed |= found[1:, word] != found[:-1, word]
    return [0, *(np.flatnonzero(changed) + 1).tolist()]


def _windows(text: Bytes, width: int = 8) -> npt.NDArray[np.void]:
    """Every `width` consecutive bytes of the text, overlapping, without a copy."""
    return np.ndarray((len(text) - width + 1,), dtype=f"V{width}", buffer=text, strides=(1,))


def rounded(length: int) -> int:
    """Return the width in whole words, at least one, that holds `length` bytes."""
    return max(8, -(-length // 8) * 8)


class Digits(NamedTuple):
    """Decimal numbers: (-1 if negative) * mantissa / 10 ** fraction where `read`.

    fraction and dotted have one element when it holds for all.
    """

    negative: Flags
    mantissa: Words
    fraction: npt.NDArray[np.uint8]
    dotted: Flags
    read: Flags


def digits(text: Bytes, starts: IntVector, ends: IntVector) -> Digits:
    """Read decimal numbers, 8 digits a step; `read` is False for anything else, as 1e-5 or 17 digits."""
    first = text[starts]
    negative = first == 45
    lengths = ends - starts - (negative | (first == 43))
    return _fixed_point(text, ends, lengths, negative) or _floating(text, ends, lengths, negative)


def _fixed_point(text: Bytes, ends: IntVector, lengths: IntVector, negative: Flags) -> Digits | None:
    """The usual case: all have as many digits behind the dot, and at most 8 on either side of it."""
    places = text[ends[0] - lengths[0] : ends[0]].tobytes()
    fraction = len(places) - 1 - places.find(b".")
    before = lengths - (1 + fraction)
    fits = 0 < fraction <= 8 and before.min() >= 0 and before.max() <= 8
    if not fits or (text[ends - (1 + fraction)] != 46).any():
        return None
    windows = _windows(text)
    spare = np.uint64(64 - 8 * fraction)
    behind = (windows[ends - 8].view("<u8") >> spare << spare) | (ZEROS ^ (ZEROS >> spare << spare))
    whole, whole_read = _number(_last(windows[ends - (9 + fraction)].view("<u8"), before))
    part, part_read = _number(behind)
    mantissa = whole * np.uint64(10**fraction) + part
    read = whole_read & part_read & (mantissa <= EXACT)
    return Digits(negative, mantissa, np.array([fraction], dtype=np.uint8), np.array([True]), read)


def _floating(text: Bytes, ends: IntVector, lengths: IntVector, negative: Flags) -> Digits:
    """Any numbers of at most 16 characters: the dot is taken out of the digits."""
    windows = _windows(text)
    tail, head = _last(windows[ends - 8].view("<u8"), lengths), None
    tail_dot = _dot(tail)
    dotted, fraction = tail_dot != 0, _behind(tail_dot)
    if int(lengths.max()) > 8:
        head = _last(windows[ends - 16].view("<u8"), lengths - 8)
        head_dot = _dot(head)
        tail = np.where(dotted & (head_dot == 0), _without(tail, tail_dot, head >> np.uint64(56)), tail)
        # a dot in the tail moved the head's last digit there
        shifted = (head << np.uint64(8)) | ZERO
        head = np.where(head_dot != 0, _without(head, head_dot, ZERO), np.where(dotted, shifted, head))
        fraction = np.where(head_dot != 0, _behind(head_dot) + np.uint8(8), fraction)
        dotted = dotted | (head_dot != 0)
    else:
        tail = np.where(dotted, _without(tail, tail_dot, ZERO), tail)
    mantissa, read = _number(tail)
    if head is not None:
        more, head_read = _number(head)
        mantissa += more * np.uint64(10**8)
        read &= head_read & (mantissa <= EXACT)
    read &= (lengths <= 16) & (lengths > dotted)
    return Digits(negative, mantissa, fraction, dotted, read)


def _last(word: Words, count: IntVector) -> Words:
    """Keep the last `count` bytes of each word, all of them from 8 on, and write the digit 0 before them."""
    spare = np.maximum(64 - 8 * count, 0).astype(np.uint64)  # 64 and more shift everything out
    zeros = ZEROS ^ ((ZEROS >> spare) << spare)
    return ((word >> spare) << spare) | zeros


def _dot(word: Words) -> Words:
    """Return the highest bit of the first byte of each word that is a dot, 0 where none is."""
    other = word ^ DOTS
    flags = (other - ONES) & ~other & HIGH
    return flags & (~flags + ONE)


def _behind(dot: Words) -> npt.NDArray[np.uint8]:
    """Return how many bytes stand behind the dot in its word, 0 where there is none."""
    return np.where(dot != 0, (np.uint8(63) - np.bitwise_count(dot - ONE)) >> np.uint8(3), np.uint8(0))


def _without(word: Words, dot: Words, carried: Words | np.uint64) -> Words:
    """Take the dot's byte out of each word: what stands before it moves up, a carried byte comes in."""
    before, upto = (dot >> np.uint64(7)) - ONE, (dot << ONE) - ONE
    return ((word & before) << np.uint64(8)) | (word & ~upto) | carried


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
    found = digits(block.text, block.start(field), block.end(field))
    low, high = int(found.fraction.min()), int(found.fraction.max())
    value = found.mantissa / (POWERS[low] if low == high else POWERS[found.fraction])
    np.negative(value, out=value, where=found.negative)
    return value, np.flatnonzero(~found.read)


def whole_numbers(block: Block, field: int) -> tuple[IntVector, IntVector]:
    """Return a field's numbers as integers, and the lines whose text is not a whole number."""
    found = digits(block.text, block.start(field), block.end(field))
    value = found.mantissa.astype(np.int64)
    np.negative(value, out=value, where=found.negative)
    return value, np.flatnonzero(~found.read | found.dotted)


def _odd_numbers(count: int) -> Words:
    """Return fixed odd multipliers (the steps of Knuth's MMIX generator) for the hash below."""
    found, state = [], 1442695040888963407
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        found.append(state | 1)
    return np.array(found, dtype=np.uint64)


MIXERS = _odd_numbers(LONGEST_LINE // 8 + 1)


def stretches(offsets: IntVector, rows: int) -> Iterator[tuple[int, int, IntVector]]:
    """Yield (first row, end, topic of each row) of whole topics that together have about `rows` rows."""
    lengths = np.diff(offsets)
    first = 0
    while first < len(lengths):
        last = max(int(np.searchsorted(offsets, offsets[first] + rows)), first + 1)
        last = min(last, len(lengths))
        codes = np.repeat(np.arange(first, last), lengths[first:last])
        yield int(offsets[first]), int(offsets[last]), codes
        first = last


def topic_of_rows(rows: IntVector, offsets: IntVector) -> IntVector:
    """Return the topic of ascending rows, where topic t has the rows offsets[t] to offsets[t + 1]."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(np.searchsorted(rows, offsets)))


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
