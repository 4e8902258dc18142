"""The term counts of a collection, as a sparse matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Vector = NDArray[np.float64]
Matrix = Any  # a scipy.sparse.csr_array of float64; scipy has no types
Tokenizer = Callable[[str], list[str]]


@dataclass(frozen=True)
class Index:
    """counts: how often each term (column) is in each document (row). vocabulary: term -> column."""

    tokenizer: Tokenizer
    vocabulary: dict[str, int]
    counts: Matrix

    @cached_property
    def lengths(self) -> Vector:
        """Number of terms in each document, shape (documents,)."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @cached_property
    def document_frequencies(self) -> Vector:
        """Number of documents that have each term, shape (terms,); never 0."""
        documents = np.bincount(self.counts.indices, minlength=len(self.vocabulary))
        return np.asarray(documents, dtype=np.float64)

    @cached_property
    def collection_probabilities(self) -> Vector:
        """Share of each term in all that is written, shape (terms,)."""
        totals = np.asarray(self.counts.sum(axis=0), dtype=np.float64)
        return np.asarray(totals / max(totals.sum(), 1.0), dtype=np.float64)

    def queries(self, texts: Iterable[str]) -> Matrix:
        """Return the counts of the texts' terms, shape (texts, terms); unknown terms are left out."""
        return count([self.tokenizer(text) for text in texts], self.vocabulary)

    def with_values(self, values: Vector) -> Matrix:
        """Return a matrix like `counts` whose stored entries are `values`, in the same order."""
        return csr_array((values, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The document of every stored entry of `counts`."""
        return np.repeat(np.arange(len(self.lengths)), np.diff(self.counts.indptr))


def build_index(texts: Iterable[str], tokenizer: Tokenizer) -> Index:
    """Return the index of the texts, in their order."""
    terms = [tokenizer(text) for text in texts]
    vocabulary = {term: column for column, term in enumerate(sorted({t for one in terms for t in one}))}
    return Index(tokenizer, vocabulary, count(terms, vocabulary))


def count(texts: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> Matrix:
    """Return the number of times each known term is in each text, shape (texts, terms)."""
    columns: list[int] = []
    values: list[int] = []
    starts = [0]
    for terms in texts:
        known = Counter(vocabulary[term] for term in terms if term in vocabulary)
        columns += sorted(known)
        values += [known[column] for column in sorted(known)]
        starts.append(len(columns))
    stored = (np.array(values, dtype=np.float64), np.array(columns, dtype=np.int64), np.array(starts))
    return csr_array(stored, shape=(len(texts), len(vocabulary)))
