"""Texts as vectors: tf-idf weights of word stems."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from assess.document.characters import BETWEEN, UNSPACED
from pooling.arrays import IntVector, Vector
from pooling.extras import import_extra
from pooling.refusals import Refused

MIN_DOCUMENTS = 2  # a term of fewer documents is dropped
CHUNK_WORDS = 2_000_000  # words that are counted at once
MOST_KNOWN_WORDS = 1_000_000  # words whose stems are remembered

_ASCII_WORD = re.compile("[a-z]{2,}")
_WORD = re.compile(rf"[{UNSPACED}]+|[^{BETWEEN}\d{UNSPACED}]{{2,}}")
_IS_UNSPACED = re.compile(rf"[{UNSPACED}]")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case: its runs of two or more letters, in order.

    Digits and punctuation separate words. In scripts without blanks between words (Chinese, Japanese, Thai
    ...) every two neighbouring characters count as one word. The text is normalised (NFKC).

    >>> words_of("Mach-2 flows, 3 m/s over a WING's flap")
    ['mach', 'flows', 'over', 'wing', 'flap']
    >>> words_of("Zürich 東京都")
    ['zürich', '東京', '京都']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    words = _WORD.findall(unicodedata.normalize("NFKC", text).lower())
    return [part for word in words for part in _parts(word)]


def _parts(word: str) -> Iterable[str]:
    if not _IS_UNSPACED.match(word):
        return (word,)
    return (word[place : place + 2] for place in range(len(word) - 1))


def stemmer() -> Callable[[str], str]:
    """Return a function word -> stem by Porter's algorithm (1980). It is for one thread: it keeps state.

    >>> [stemmer()(word) for word in ("flows", "flowing", "wing")]
    ['flow', 'flow', 'wing']
    """
    stem: Callable[[str], str] = import_extra("snowballstemmer").stemmer("porter").stemWord
    return stem


class TextFeatures(NamedTuple):
    """Documents as tf-idf vectors.

    matrix: CSR matrix of shape (documents, terms), float64; each row has length 1, or is 0 where a document
    has no known term. columns: stem -> column. idf: ln(N / df) of each column, shape (terms,); 0 for a term
    that is in every document.
    """

    matrix: Any
    columns: Mapping[str, int]
    idf: Vector

    def vector_of(self, text: str) -> Any:
        """Return the vector of another text, a CSR matrix of shape (1, terms); 0 without a known term.

        Document frequencies stay those of the documents.
        """
        csr_matrix = import_extra("scipy.sparse").csr_matrix
        stem, counts = stemmer(), dict[int, int]()
        for word in words_of(text):
            column = self.columns.get(stem(word))
            if column is not None:
                counts[column] = counts.get(column, 0) + 1
        columns = np.array(sorted(counts), dtype=np.int64)
        tf = np.array([counts[column] for column in sorted(counts)], dtype=np.float64)
        values = (1 + np.log(tf)) * self.idf[columns]
        length = np.sqrt(values @ values)
        starts = np.array([0, len(columns)])
        return csr_matrix((values / length if length else values, columns, starts), shape=(1, len(self.idf)))


def text_features(texts: Iterable[str]) -> TextFeatures:
    """Return the tf-idf vectors of documents; a document's place in `texts` is its row.

    A term is the stem of a word (`words_of`, Porter). Its weight is (1 + ln tf) ln(N / df), for N documents,
    df of which have it; rows are then scaled to length 1. Terms of fewer than 2 documents are dropped. The
    texts are read once and not kept. Raises Refused without a document.

    >>> features = text_features(["Wings in a flow", "A wing; two wings", "flow of heat"])
    >>> list(features.columns), features.matrix.shape
    (['wing', 'flow'], (3, 2))
    >>> features.matrix.toarray().round(4).tolist()
    [[0.7071, 0.7071], [1.0, 0.0], [0.0, 1.0]]
    """
    known = _Columns()
    parts = list(_counted(texts, known))
    documents = sum(len(part.sizes) for part in parts)
    if not documents:
        raise Refused("expected at least one document, found none")
    frequencies = np.zeros(len(known.stems), dtype=np.int64)
    for part in parts:
        frequencies[: part.width] += np.bincount(part.columns, minlength=part.width)
    kept = frequencies >= MIN_DOCUMENTS
    idf: Vector = np.log(documents / frequencies[kept])
    columns = {stem: place for place, stem in enumerate(_chosen(known.stems, kept))}
    matrix = _weighted(parts, documents, kept, idf, int(frequencies[kept].sum()))
    return TextFeatures(matrix, columns, idf)


def _chosen(stems: Iterable[str], kept: Any) -> Iterator[str]:
    return (stem for stem, is_kept in zip(stems, kept.tolist(), strict=True) if is_kept)


class _Columns(dict[str, int]):
    """word -> column of its stem; a new stem gets the next column."""

    def __init__(self) -> None:
        super().__init__()
        self.stems: dict[str, int] = {}
        self._stem = stemmer()

    def __missing__(self, word: str) -> int:
        if len(self) >= MOST_KNOWN_WORDS:
            self.clear()
        self[word] = column = self.stems.setdefault(self._stem(word), len(self.stems))
        return column


class _Part(NamedTuple):
    """Some documents. columns, counts: the terms of each, one document after another, ascending.

    sizes: the number of terms of each document. width: the number of columns that were known then.
    """

    columns: Any
    counts: Any
    sizes: IntVector
    width: int


def _counted(texts: Iterable[str], known: _Columns) -> Iterator[_Part]:
    waiting, lengths = array("q"), list[int]()
    for text in texts:
        before = len(waiting)
        waiting.extend(map(known.__getitem__, words_of(text)))
        lengths.append(len(waiting) - before)
        if len(waiting) >= CHUNK_WORDS:
            yield _part(waiting, lengths, len(known.stems))
            waiting, lengths = array("q"), []
    if lengths:
        yield _part(waiting, lengths, len(known.stems))


def _part(waiting: array[int], lengths: list[int], width: int) -> _Part:
    tokens = np.frombuffer(waiting, dtype=np.int64) if waiting else np.zeros(0, dtype=np.int64)
    row_of = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    keys, counts = np.unique(row_of * max(width, 1) + tokens, return_counts=True)
    rows, columns = np.divmod(keys, max(width, 1))
    sizes = np.bincount(rows, minlength=len(lengths))
    return _Part(columns.astype(np.int32), counts.astype(np.int32), sizes, width)


def _weighted(parts: list[_Part], documents: int, kept: Any, idf: Vector, size: int) -> Any:
    """Return the matrix of the kept terms. `parts` is emptied, so that memory holds the terms once."""
    csr_matrix = import_extra("scipy.sparse").csr_matrix
    place_of = np.cumsum(kept) - 1
    values, columns = np.empty(size, dtype=np.float64), np.empty(size, dtype=np.int32)
    starts = np.zeros(documents + 1, dtype=np.int64)
    row = first = 0
    parts.reverse()
    while parts:
        part = parts.pop()
        chosen = kept[part.columns]
        rows = np.repeat(np.arange(len(part.sizes)), part.sizes)[chosen]
        here = place_of[part.columns[chosen]]
        weights = (1 + np.log(part.counts[chosen])) * idf[here]
        squares = np.bincount(rows, weights=weights * weights, minlength=len(part.sizes))
        lengths = np.sqrt(np.where(squares > 0, squares, 1))
        last = first + len(here)
        values[first:last], columns[first:last] = weights / lengths[rows], here
        sizes = np.bincount(rows, minlength=len(part.sizes))
        starts[row + 1 : row + 1 + len(sizes)] = first + np.cumsum(sizes)
        row, first = row + len(sizes), last
    return csr_matrix((values, columns, starts), shape=(documents, len(idf)), copy=False)
