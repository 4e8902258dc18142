"""The formulas of retrieval, against numbers worked out by hand and definitions written out."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity

from config.demo.index import Index, build_index
from config.demo.scoring import bm25, cosine, dirichlet, jelinek_mercer, relevance_model

TEXTS = ["red apple", "red red pear plum", "green"]


@pytest.fixture
def index() -> Index:
    return build_index(TEXTS, str.split)


def test_counts_lengths_and_frequencies_are_those_of_the_texts(index: Index) -> None:
    assert list(index.vocabulary) == ["apple", "green", "pear", "plum", "red"]
    assert index.counts.toarray().tolist() == [[1, 0, 0, 0, 1], [0, 0, 1, 1, 2], [0, 1, 0, 0, 0]]
    assert index.lengths.tolist() == [2, 4, 1]
    assert index.document_frequencies.tolist() == [1, 1, 1, 1, 2]
    assert_allclose(index.collection_probabilities, [1 / 7, 1 / 7, 1 / 7, 1 / 7, 3 / 7])


def test_bm25_gives_what_a_hand_computes(index: Index) -> None:
    # "red" is in 2 of 3 documents: idf = ln(1 + 1.5 / 2.5) = 0.470004.
    # "apple" is in 1: idf = ln(1 + 2.5 / 1.5) = 0.980829. The mean length is 7/3.
    # D1: norm = 1.2 (0.25 + 0.75 · 6/7) = 1.071429; each term once: 2.2 / 2.071429 = 1.062069.
    # D2: norm = 1.2 (0.25 + 0.75 · 12/7) = 1.842857; "red" twice: 4.4 / 3.842857 = 1.144981.
    scores = bm25(index, index.queries(["red", "red apple", "red red", "blue"]))
    expected = [
        [0.499177, 0.538146, -np.inf],
        [0.499177 + 1.041708, 0.538146, -np.inf],
        [2 * 0.499177, 2 * 0.538146, -np.inf],
        [-np.inf, -np.inf, -np.inf],
    ]
    assert_allclose(scores, expected, atol=2e-6)


def test_cosine_equals_scikit_learns_up_to_its_idf(index: Index) -> None:
    # scikit-learn adds 1 to ln(N / n), so its idf is off and the columns are weighed here.
    idf = np.log(3 / index.document_frequencies)
    plain = TfidfTransformer(norm=None, use_idf=False, sublinear_tf=True)
    queries = index.queries(["red apple", "red red plum"])
    weights, asked = (plain.fit_transform(counts).toarray() * idf for counts in (index.counts, queries))
    expected = cosine_similarity(asked, weights)
    assert_allclose(cosine(index, queries), np.where(expected > 0, expected, -np.inf))


def probability(term: str, text: str, mu: float | None, share: float | None) -> float:
    """p(term | document): Dirichlet smoothing with mu, else linear with the collection's share."""
    words, everything = text.split(), " ".join(TEXTS).split()
    background = everything.count(term) / len(everything)
    if mu is not None:
        return (words.count(term) + mu * background) / (len(words) + mu)
    assert share is not None
    return (1 - share) * words.count(term) / len(words) + share * background


@pytest.mark.parametrize("mu", [1.0, 100.0])
def test_dirichlet_orders_by_the_probability_of_the_query(index: Index, mu: float) -> None:
    found = dirichlet(index, index.queries(["red red apple"]), mu)[0]
    likelihood = [sum(log(probability(t, text, mu, None)) for t in ("red", "red", "apple")) for text in TEXTS]
    assert found[0] - found[1] == pytest.approx(likelihood[0] - likelihood[1])
    assert found[2] == -np.inf


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_jelinek_mercer_orders_by_the_probability_of_the_query(index: Index, share: float) -> None:
    found = jelinek_mercer(index, index.queries(["red plum"]), share)[0]
    likelihood = [sum(log(probability(t, text, None, share)) for t in ("red", "plum")) for text in TEXTS]
    assert found[0] - found[1] == pytest.approx(likelihood[0] - likelihood[1])
    assert found[2] == -np.inf


def test_feedback_brings_in_the_words_of_the_best_documents(index: Index) -> None:
    expanded = relevance_model(index, index.queries(["pear"]), documents=1, terms=2).toarray()[0]
    # The only document found is "red red pear plum": half of the weight for the topic's own word, the other
    # half for the two likeliest words, "red" (1/2) and the first of the others (1/4).
    expected = dict.fromkeys(index.vocabulary, 0.0) | {"pear": 0.5 + 0.5 / 3, "red": 0.5 * 2 / 3}
    assert_allclose(expanded, list(expected.values()))


def test_feedback_without_any_document_keeps_the_query(index: Index) -> None:
    assert relevance_model(index, index.queries(["blue"])).toarray().tolist() == [[0.0] * 5]
