"""Group rows by topic, in blocks that fit into the cache, and find repeated docnos by their hashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from pooling.arrays import IntVector, Words
from pooling.limits import MAX_ROW_BYTES

ROWS_AT_A_TIME = 1 << 14  # rows that are worked on at a time, so that they stay in the cache


def _odd_numbers(count: int) -> Words:
    """Return fixed odd multipliers (the steps of Knuth's MMIX generator) for the hash below."""
    multipliers, state = [], 1442695040888963407
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        multipliers.append(state | 1)
    return np.array(multipliers, dtype=np.uint64)


HASH_MULTIPLIERS = _odd_numbers(MAX_ROW_BYTES // 8 + 1)


def hash_rows(fields: Words, salt: IntVector | int = 0) -> Words:
    """Return a 64-bit hash of each row of words: the same at every width that holds the field.

    salt: shape (rows,), tells equal fields apart, such as the number of the topic.
    """
    mixed: Words = (
        np.asarray(salt).astype(np.uint64) * HASH_MULTIPLIERS[-1] + fields[:, 0] * HASH_MULTIPLIERS[0]
    )
    for word in range(1, fields.shape[1]):
        mixed += fields[:, word] * HASH_MULTIPLIERS[word]
    mixed ^= mixed >> np.uint64(32)
    mixed *= HASH_MULTIPLIERS[1]
    mixed ^= mixed >> np.uint64(29)
    return mixed


def topic_of_rows(rows: IntVector, offsets: IntVector) -> IntVector:
    """Return the topic of ascending rows, where topic t has the rows offsets[t] to offsets[t + 1]."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(np.searchsorted(rows, offsets)))


def topic_spans(offsets: IntVector, rows: int = ROWS_AT_A_TIME) -> Iterator[tuple[int, int]]:
    """Yield (first topic, end) of whole topics that together have about `rows` rows, one topic at least."""
    first = 0
    while first < len(offsets) - 1:
        enough = int(np.searchsorted(offsets, offsets[first] + rows))
        last = min(max(enough, first + 1), len(offsets) - 1)
        yield first, last
        first = last


def group_rows(
    names: Sequence[str], offsets: IntVector
) -> tuple[tuple[str, ...], IntVector, IntVector | None]:
    """Bring stretches of rows with the same topic together.

    names: the topic of each stretch. offsets: shape (stretches + 1,). Returns the topics once each in the
    order of their first row, their offsets, and the rows in the new order; None when they stand so already.
    """
    codes: dict[str, int] = {}
    code_of_stretch: IntVector = np.array(
        [codes.setdefault(name, len(codes)) for name in names], dtype=np.int64
    )
    places = np.flatnonzero(np.append(True, code_of_stretch[1:] != code_of_stretch[:-1]))
    if len(places) == len(codes):
        return tuple(codes), np.append(offsets[places], offsets[-1]), None
    code_of_row = np.repeat(code_of_stretch, np.diff(offsets))
    order = np.argsort(code_of_row, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(code_of_row, minlength=len(codes)))])
    return tuple(codes), starts, order


def may_repeat(docnos: Words, offsets: IntVector) -> bool:
    """Return whether a docno may be repeated in a topic. True may be a false positive (equal hashes).

    docnos: shape (rows, words); offsets: shape (topics + 1,).
    """
    for first, last in topic_spans(offsets):
        codes = np.repeat(np.arange(first, last), np.diff(offsets[first : last + 1]))
        hashes = hash_rows(docnos[offsets[first] : offsets[last]], codes)
        hashes.sort()
        if (hashes[1:] == hashes[:-1]).any():
            return True
    return False


def repeated_rows(docnos: Words, offsets: IntVector) -> tuple[IntVector, IntVector]:
    """Return the rows whose docno stands in an earlier row of the topic, and the first such row of each.

    docnos: shape (rows, words), offsets: shape (topics + 1,). Both results are ascending by topic only.
    """
    repeats = [
        _repeats_of_topic(docnos[start:end], int(start))
        for start, end in pairwise(offsets.tolist())
        if end - start > 1
    ]
    rows, firsts = zip(*repeats, strict=True) if repeats else ((), ())
    nothing = np.empty(0, dtype=np.int64)
    return np.concatenate([nothing, *rows]), np.concatenate([nothing, *firsts])


def _repeats_of_topic(docnos: Words, start: int) -> tuple[IntVector, IntVector]:
    order = np.lexsort(docnos.T)  # stable, so equal docnos keep the order of their rows
    ordered = docnos[order]
    same = np.append(False, (ordered[1:] == ordered[:-1]).all(axis=1))
    first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    return start + order[same], start + order[first[same]]
