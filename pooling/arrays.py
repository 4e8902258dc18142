"""The types of arrays that hold runs, judgments and pools, and byte strings seen as whole words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
IntVector = npt.NDArray[np.int64]
Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]  # of two dimensions or more
Flags = npt.NDArray[np.bool_]
Docnos = npt.NDArray[np.bytes_]


def word_width(length: int) -> int:
    """Return the width in whole words, at least one, that holds `length` bytes."""
    return max(8, -(-length // 8) * 8)


def pad_to_words(docnos: Docnos) -> Docnos:
    """Return the same bytes at a width of whole words."""
    return docnos if docnos.itemsize % 8 == 0 else docnos.astype(f"S{word_width(docnos.itemsize)}")


def as_words(docnos: Docnos) -> Words:
    """See a bytes array, whose width is a multiple of 8, as uint64 words of shape (rows, width / 8)."""
    seen: Words = np.ascontiguousarray(docnos).view(np.uint64)
    return seen.reshape(len(docnos), docnos.itemsize // 8)


def as_bytes(words: Words) -> Docnos:
    """See words of shape (rows, width / 8) as the bytes array that `as_words` took."""
    return np.ascontiguousarray(words).view(f"S{words.shape[1] * 8}").reshape(len(words))
