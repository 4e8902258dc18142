"""Numbers as text -> doubles and integers, a column at a time, eight digits in one word.

Doubles are the nearest to the text, as Python's `float` gives them. A number is read as a whole number below
10 ** 19 (the mantissa) and a power of ten to divide it by. Where both are doubles, one division gives the
nearest double. Otherwise the quotient is a long double, and is rounded to a double twice, less and plus the
error that the division may have: where both are the same double, it is the nearest one. Where they differ,
the text lies about halfway between two doubles, and is left to `float`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pooling.arrays import Bytes, Flags, IntVector, Vector, Words
from pooling.formats.columns import FRONT_PADDING, Block, windows

ZERO, ONE = np.uint64(ord("0")), np.uint64(1)
ZEROS = np.uint64(0x3030303030303030)
DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
LETTERS = np.uint64(0x6565656565656565)  # e
LOWER = np.uint64(0x2020202020202020)  # the bits that E lacks
ONES = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
MAX_DIGITS = FRONT_PADDING  # longer texts are left
TENS = np.array([10**power if power < 20 else 0 for power in range(MAX_DIGITS + 1)], dtype=np.uint64)
BOUNDS = np.array([10 ** max(19 - power, 0) for power in range(MAX_DIGITS + 1)], dtype=np.uint64)
EXACT = np.uint64(1 << 53)  # whole numbers up to here are doubles
EXACT_POWERS = 22  # powers of ten up to this one are doubles, and up to 27 long doubles of 64 bits
LONG_POWERS = np.multiply.accumulate(np.array([1] + [10] * 27, dtype=np.longdouble))
POWERS = LONG_POWERS.astype(np.float64)
LONG_ERROR = np.finfo(np.longdouble).eps  # where a long double is a double, everything that needs one is left


class Digits(NamedTuple):
    """Decimal numbers without their sign: mantissa / 10 ** fraction where `read`.

    fraction has one element when it holds for all.
    """

    mantissa: Words
    fraction: npt.NDArray[np.uint8]
    read: Flags


def decimal_column(block: Block, field: int) -> tuple[Vector, IntVector]:
    """Return a field's numbers as the nearest doubles, and the lines whose text is not such a number.

    What is left over (more digits than fit, large exponents, words) is for the caller to read or to refuse.
    """
    text, ends = block.text, block.end(field)
    negative, lengths = _sign(text, block.start(field), ends)
    expected, other = _without_exponent, _with_exponent
    if b"e" in block.field(0, field).lower():
        expected, other = other, expected
    value, read = expected(text, ends, lengths)
    left = np.flatnonzero(~read)
    if len(left):
        value[left], read = other(text, ends[left], lengths[left])
        left = left[~read]
    np.negative(value, out=value, where=negative)
    return value, left


def whole_number_column(block: Block, field: int, most_digits: int = 16) -> tuple[IntVector, IntVector]:
    """Return a field's numbers as integers, and the lines whose text is not a whole number.

    most_digits: of a number, leading zeros included; at most 16.
    """
    text, ends = block.text, block.end(field)
    negative, lengths = _sign(text, block.start(field), ends)
    number, read = _number(_last(text, ends, lengths))
    value = number.astype(np.int64)
    np.negative(value, out=value, where=negative)
    return value, np.flatnonzero(~read | (lengths == 0) | (lengths > most_digits))


def _sign(text: Bytes, starts: IntVector, ends: IntVector) -> tuple[Flags, IntVector]:
    """Return where a minus stands, and the lengths without a sign."""
    first = text[starts]
    negative = first == 45
    return negative, ends - starts - (negative | (first == 43))


def _without_exponent(text: Bytes, ends: IntVector, lengths: IntVector) -> tuple[Vector, Flags]:
    """Return the doubles nearest to numbers without an exponent, and where the text is one."""
    return _doubles(_digits(text, ends, lengths))


def _with_exponent(text: Bytes, ends: IntVector, lengths: IntVector) -> tuple[Vector, Flags]:
    """Return the doubles nearest to numbers with an exponent, as 1.5e-05, and where the text is one.

    Exponents that ask for a power of ten beyond those in LONG_POWERS are not read.
    """
    letter = _first(_last(text, ends, np.minimum(lengths, 8))[0] | LOWER, LETTERS)
    letters = ends - 1 - np.where(letter != 0, _behind(letter), 0)
    mantissa, behind, read = _digits(text, letters, lengths - (ends - letters))
    negative, places = _sign(text, letters + 1, ends)
    exponent, exponent_read = _number(_last(text, ends, places))
    fraction = behind - np.where(negative, -1, 1) * exponent.astype(np.int64)
    read &= exponent_read & (places > 0) & (fraction >= 0) & (fraction < len(LONG_POWERS))
    return _doubles(Digits(mantissa, np.where(read, fraction, 0).astype(np.uint8), read))


def _doubles(digits: Digits) -> tuple[Vector, Flags]:
    """Return mantissa / 10 ** fraction, and where that was read and is the nearest double."""
    mantissa, fraction, read = digits
    value = mantissa / POWERS[fraction]
    if mantissa.max() > EXACT or fraction.max() > EXACT_POWERS:
        rows = np.flatnonzero((mantissa > EXACT) | (fraction > EXACT_POWERS))
        fractions = fraction[rows] if len(fraction) > 1 else fraction
        quotient = mantissa[rows].astype(np.longdouble) / LONG_POWERS[fractions]
        error = quotient * LONG_ERROR
        value[rows] = (quotient - error).astype(np.float64)
        read[rows] &= value[rows] == (quotient + error).astype(np.float64)
    return value, read


def _digits(text: Bytes, ends: IntVector, lengths: IntVector) -> Digits:
    """Read digits with or without a dot; `read` is False for anything else, and for too many of them."""
    return _fixed_point(text, ends, lengths) or _floating(text, ends, lengths)


def _fixed_point(text: Bytes, ends: IntVector, lengths: IntVector) -> Digits | None:
    """The usual case: all have as many digits behind the dot."""
    first = text[ends[0] - lengths[0] : ends[0]].tobytes()
    fraction = len(first) - 1 - first.find(b".")
    before = lengths - (1 + fraction)
    fits = 0 < fraction <= MAX_DIGITS and before.min() >= 0 and before.max() <= MAX_DIGITS
    if not fits or (text[ends - (1 + fraction)] != 46).any():
        return None
    whole, whole_read = _number(_last(text, ends - (1 + fraction), before))
    part, part_read = _number(_last(text, ends, np.array([fraction])))
    read = whole_read & part_read & (whole < BOUNDS[fraction])
    return Digits(whole * TENS[fraction] + part, np.array([fraction], dtype=np.uint8), read)


def _floating(text: Bytes, ends: IntVector, lengths: IntVector) -> Digits:
    """Any numbers: the dot is taken out of the digits."""
    words = _last(text, ends, lengths)
    fraction: npt.NDArray[np.uint8] = np.zeros(len(ends), dtype=np.uint8)
    dotted: Flags = np.zeros(len(ends), dtype=bool)
    for index, word in enumerate(words):
        carried = words[index + 1] >> np.uint64(56) if index + 1 < len(words) else ZERO
        dot = _first(word, DOTS)
        has_dot = (dot != 0) & ~dotted  # a second dot stays, and is no digit
        moved = np.where(dotted, (word << np.uint64(8)) | carried, word) if index else word
        words[index] = np.where(has_dot, _without(word, dot, carried), moved)
        fraction = np.where(has_dot, _behind(dot) + np.uint8(8 * index), fraction)
        dotted |= has_dot
    mantissa, read = _number(words)
    return Digits(mantissa, fraction, read & (lengths > dotted) & (lengths <= MAX_DIGITS))


def _last(text: Bytes, ends: IntVector, counts: IntVector) -> list[Words]:
    """Return the last `counts` bytes before each end, 8 to a word, the last word first; digits 0 before them.

    As many words as the longest text needs, up to three; bytes before those are left out.
    """
    words = []
    for skipped in range(0, min(max(int(counts.max()), 1), MAX_DIGITS), 8):
        word: Words = windows(text)[ends - (8 + skipped)].view("<u8")
        spare = np.maximum(64 + 8 * skipped - 8 * counts, 0).astype(np.uint64)  # 64 and more clear the word
        words.append(((word >> spare) << spare) | (ZEROS ^ ((ZEROS >> spare) << spare)))
    return words


def _number(words: list[Words]) -> tuple[Words, Flags]:
    """Return the number below 10 ** 19 that words of digits write, the last word first, and where they do."""
    value, read = _eight_digits(words[0])
    for index, word in enumerate(words[1:], start=1):
        higher, higher_read = _eight_digits(word)
        read &= higher_read & (higher < BOUNDS[8 * index])
        value += higher * TENS[8 * index]
    return value, read


def _first(word: Words, wanted: np.uint64) -> Words:
    """Return the highest bit of the first byte of each word that is as wanted, 0 where none is."""
    other = word ^ wanted
    flags = (other - ONES) & ~other & HIGH
    return flags & (~flags + ONE)


def _behind(byte: Words) -> npt.NDArray[np.uint8]:
    """Return how many bytes stand in the word behind the one whose highest bit this is."""
    count: npt.NDArray[np.uint8] = (np.uint8(63) - np.bitwise_count(byte - ONE)) >> np.uint8(3)
    return count


def _without(word: Words, dot: Words, carried: Words | np.uint64) -> Words:
    """Take the dot's byte out of each word: what stands before it moves up, a carried byte comes in."""
    before, upto = (dot >> np.uint64(7)) - ONE, (dot << ONE) - ONE
    return ((word & before) << np.uint64(8)) | (word & ~upto) | carried


def _eight_digits(word: Words) -> tuple[Words, Flags]:
    """Return the number that 8 ASCII digits represent, and whether all bytes are digits.

    Source: D. Lemire, "Quickly parsing eight digits" (2018). Each multiplication adds neighbours:
    digits, pairs, quadruples. 2561 = 10 * 2**8 + 1, 6553601 = 100 * 2**16 + 1,
    42949672960001 = 10000 * 2**32 + 1. Adding 0x76 to a byte above 9 sets its highest bit.
    """
    value = word ^ ZEROS
    read = ((value + np.uint64(0x7676767676767676)) | value) & HIGH == 0
    value = (value * np.uint64(2561)) >> np.uint64(8)
    value = ((value & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    value = ((value & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return value, read
