"""The formulas of retrieval: from an index and queries to scores, every topic at once.

Queries are counts of shape (topics, vocabulary). Scores are float64 of shape (topics, documents), -inf where
a document shares no term with the topic and so is not retrieved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from config.demo.index import Index, Matrix, Vector

Scores = NDArray[np.float64]


def bm25_weights(index: Index, k1: float = 1.2, b: float = 0.75) -> Matrix:
    """BM25 weight of each term in each document, shape (documents, terms). Robertson & Zaragoza 2009.

    The inverse document frequency is ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative.
    """
    documents, occurrences = len(index.lengths), index.counts.data
    frequencies = index.document_frequencies
    idf = np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5))
    norm = k1 * (1 - b + b * index.lengths / max(index.lengths.mean(), 1e-9))
    saturated = occurrences * (k1 + 1) / (occurrences + norm[index.rows])
    return index.with_values(saturated * idf[index.counts.indices])


def tfidf_weights(counts: Matrix, document_frequencies: Vector, documents: int) -> Matrix:
    """(1 + ln tf) ln(N / n), each row of length 1: `ltc`. Salton & Buckley 1988."""
    idf = np.log(documents / document_frequencies)
    weights = csr_array(
        ((1 + np.log(counts.data)) * idf[counts.indices], counts.indices, counts.indptr), shape=counts.shape
    )
    return unit_rows(weights)


def unit_rows(weights: Matrix) -> Matrix:
    """Return the rows divided by their Euclidean length; a row of zeros stays one."""
    lengths = np.sqrt(np.asarray(weights.power(2).sum(axis=1)))
    return diags_array(1 / np.where(lengths > 0, lengths, 1)) @ weights


def matched(products: Matrix) -> Scores:
    """Return the scores densely, -inf for documents that share no term with the topic."""
    scores: Scores = products.toarray()
    return np.where(scores > 0, scores, -np.inf)


def bm25(index: Index, queries: Matrix) -> Scores:
    """BM25 with each query term counted as often as it is written. Robertson & Zaragoza 2009."""
    return matched(queries @ bm25_weights(index).T)


def cosine(index: Index, queries: Matrix) -> Scores:
    """Cosine of the `ltc` vectors of topic and document. Salton & Buckley 1988."""
    frequencies, documents = index.document_frequencies, len(index.lengths)
    vectors = tfidf_weights(queries, frequencies, documents)
    return matched(vectors @ tfidf_weights(index.counts, frequencies, documents).T)


def dirichlet(index: Index, queries: Matrix, mu: float = 100.0) -> Scores:
    """ln p(query | document) with Dirichlet smoothing, up to a constant per topic. Zhai & Lafferty 2004.

    mu is small because the documents are: 37 terms on average.
    """
    expected = mu * index.collection_probabilities[index.counts.indices]
    present = queries @ index.with_values(np.log1p(index.counts.data / expected)).T
    query_lengths = np.asarray(queries.sum(axis=1))
    prior = np.outer(query_lengths, np.log(mu / (mu + index.lengths)))
    scores: Scores = matched(present) + prior
    return scores


def jelinek_mercer(index: Index, queries: Matrix, collection_share: float = 0.4) -> Scores:
    """ln p(query | document), linearly smoothed, up to a constant per topic. Zhai & Lafferty 2004."""
    own = (1 - collection_share) * index.counts.data / index.lengths[index.rows]
    expected = collection_share * index.collection_probabilities[index.counts.indices]
    return matched(queries @ index.with_values(np.log1p(own / expected)).T)


def relevance_model(index: Index, queries: Matrix, documents: int = 10, terms: int = 25) -> Matrix:
    """Queries expanded from their own best documents: RM3. Abdul-Jaleel et al. 2004.

    Half of each expanded query is the topic, half the `terms` likeliest terms of its best `documents`, each
    weighted by its BM25 score. Returns shape (topics, vocabulary), rows that sum to 1.
    """
    first = bm25(index, queries)
    models = diags_array(1 / np.maximum(index.lengths, 1)) @ index.counts
    expanded = []
    for row, scores in enumerate(first):
        best = np.argsort(-scores, kind="stable")[:documents]
        weights = np.where(np.isfinite(scores[best]), scores[best], 0)
        feedback = np.asarray(models[best].T @ weights)
        feedback[np.argsort(-feedback, kind="stable")[terms:]] = 0
        original = queries[[row]].toarray()[0]
        expanded.append((original / max(original.sum(), 1) + feedback / max(feedback.sum(), 1e-9)) / 2)
    return csr_array(np.array(expanded))
