"""Numbers as text -> doubles and integers, a column at a time, eight digits in one word.

Decimals come out as the C library reads them: digits as an integer below 2^53, divided once by a power of
ten, are correctly rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pooling.arrays import Bytes, Flags, IntVector, Vector, Words

from .columns import Block, windows

ZERO, ONE = np.uint64(ord("0")), np.uint64(1)
ZEROS = np.uint64(0x3030303030303030)
DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
ONES = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
EXACT = np.uint64(1 << 53)  # integers up to here are doubles, so one division by a power of ten rounds once
POWERS = 10.0 ** np.arange(17)


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
    window = windows(text)
    spare = np.uint64(64 - 8 * fraction)
    behind = (window[ends - 8].view("<u8") >> spare << spare) | (ZEROS ^ (ZEROS >> spare << spare))
    whole, whole_read = _number(_last(window[ends - (9 + fraction)].view("<u8"), before))
    part, part_read = _number(behind)
    mantissa = whole * np.uint64(10**fraction) + part
    read = whole_read & part_read & (mantissa <= EXACT)
    return Digits(negative, mantissa, np.array([fraction], dtype=np.uint8), np.array([True]), read)


def _floating(text: Bytes, ends: IntVector, lengths: IntVector, negative: Flags) -> Digits:
    """Any numbers of at most 16 characters: the dot is taken out of the digits."""
    window = windows(text)
    tail, head = _last(window[ends - 8].view("<u8"), lengths), None
    tail_dot = _dot(tail)
    dotted, fraction = tail_dot != 0, _behind(tail_dot)
    if int(lengths.max()) > 8:
        head = _last(window[ends - 16].view("<u8"), lengths - 8)
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
