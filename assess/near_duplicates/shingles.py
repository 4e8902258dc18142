"""Words, shingles and their hashes: what two texts have in common."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from tempfile import TemporaryFile
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]
Ints: TypeAlias = NDArray[np.int64]

SHINGLE_WORDS = 3
WORD = re.compile(r"\w+")
CHUNK_WORDS = 500_000  # words of the documents that are hashed at once
MOST_KNOWN_WORDS = 500_000  # words whose hashes are remembered
MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def words_of(text: str) -> list[str]:
    """Return the words of a text after NFKC normalisation, in lower case.

    >>> words_of("The ﬁrst: CAT, sat!")
    ['the', 'first', 'cat', 'sat']
    """
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


def shingles_of(text: str) -> set[tuple[str, ...]]:
    """Return the shingles of a text: its sequences of 3 words.

    A text of 1 or 2 words is one shingle; a text without words has none.

    >>> sorted(shingles_of("the cat sat down"))
    [('cat', 'sat', 'down'), ('the', 'cat', 'sat')]
    """
    words = words_of(text)
    count = max(1, len(words) - SHINGLE_WORDS + 1) if words else 0
    return {tuple(words[place : place + SHINGLE_WORDS]) for place in range(count)}


def jaccard(first: str, second: str) -> float:
    """Return the Jaccard coefficient of the shingles of two texts; 0 where neither has a word.

    >>> round(jaccard("the cat sat on the mat today", "The cat sat on the mat yesterday"), 4)
    0.6667
    """
    left, right = shingles_of(first), shingles_of(second)
    return len(left & right) / len(left | right) if left or right else 0.0


class ShingleSets(NamedTuple):
    """The shingles of documents, as hashes of 63 bits, which are valid column numbers of a sparse matrix.

    values: the hashes of all documents one after another, of each document ascending and unique; they are in
    a temporary file. starts: where each document begins, of shape (documents + 1,).
    """

    values: Hashes
    starts: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)


class DistinctTexts(NamedTuple):
    """Documents reduced to their distinct texts.

    text: place of each document's text among the distinct ones, -1 for a document without words; shape
    (documents,). lengths: characters of each normalised text, shape (documents,). shingles: of each distinct
    text.
    """

    text: Ints
    lengths: Ints
    shingles: ShingleSets


class _WordHashes(dict[str, int]):
    def __missing__(self, word: str) -> int:
        if len(self) >= MOST_KNOWN_WORDS:
            self.clear()
        self[word] = number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
        return number


def distinct_texts(texts: Iterable[str]) -> DistinctTexts:
    """Find exact copies (equal words in equal order) and hash the shingles of each distinct text once.

    Only the words of about CHUNK_WORDS are in memory at a time.
    """
    known: dict[bytes, int] = {}
    text, lengths, sizes = [], [], list[int]()
    hashes = _WordHashes()
    waiting: list[Hashes] = []
    with TemporaryFile() as file:

        def write() -> None:
            for shingles in _shingle_hashes(waiting):
                sizes.append(len(shingles))
                shingles.tofile(file)
            waiting.clear()

        words_waiting = 0
        for each in texts:
            words = words_of(each)
            normalised = " ".join(words)
            lengths.append(len(normalised))
            if not words:
                text.append(-1)
                continue
            key = hashlib.blake2b(normalised.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            place = known.setdefault(key, len(known))
            text.append(place)
            if place == len(sizes) + len(waiting):
                waiting.append(np.fromiter(map(hashes.__getitem__, words), np.uint64, len(words)))
                words_waiting += len(words)
                if words_waiting > CHUNK_WORDS:
                    write()
                    words_waiting = 0
        write()
        file.flush()
        values = np.memmap(file, np.uint64, "r") if any(sizes) else np.zeros(0, dtype=np.uint64)
    starts = np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int64)
    return DistinctTexts(
        np.array(text, dtype=np.int64), np.array(lengths, dtype=np.int64), ShingleSets(values, starts)
    )


def _shingle_hashes(documents: list[Hashes]) -> list[Hashes]:
    """Return the distinct shingle hashes of each document, ascending. documents: hashes of their words."""
    if not documents:
        return []
    words = np.concatenate(documents)
    padded = np.concatenate([words, np.zeros(SHINGLE_WORDS - 1, dtype=np.uint64)])
    mixed = np.zeros(len(words), dtype=np.uint64)
    for place, multiplier in enumerate(MULTIPLIERS):
        mixed = _mixed(mixed ^ (padded[place : place + len(words)] * multiplier))
    sets, start = [], 0
    for document in documents:
        count = len(document)
        if count < SHINGLE_WORDS:
            sets.append(_short(document))
        else:
            sets.append(np.unique(mixed[start : start + count - SHINGLE_WORDS + 1]))
        start += count
    return sets


def _short(document: Hashes) -> Hashes:
    """Return the one shingle of a text of fewer than 3 words."""
    number = np.zeros(1, dtype=np.uint64)
    for place in range(len(document)):
        number = _mixed(number ^ (document[place : place + 1] * MULTIPLIERS[place]))
    return _mixed(number ^ np.uint64(len(document)))


def _mixed(numbers: Hashes) -> Hashes:
    """Return numbers of 63 bits, each of whose bits depends on all bits (the finaliser of SplitMix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (numbers ^ (numbers >> np.uint64(31))) >> np.uint64(1)
