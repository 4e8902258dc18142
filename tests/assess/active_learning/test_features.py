"""Features: words, stems, tf-idf weights against their definition, in one part or many."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.active_learning import features as module
from assess.active_learning.features import stemmer, text_features, words_of
from pooling.refusals import Refused
from tests.assess.active_learning.labelled_texts import themed

WORDS = st.sampled_from(
    ["wing", "wings", "flow", "flowing", "heat", "a", "Über", "東京都", "2024", "x1y", "naïve"]
)
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), min_size=1, max_size=12)


def defined(texts: list[str]) -> list[dict[str, float]]:
    """Return stem -> weight of each text, by the formula."""
    stem = stemmer()
    counts = [Counter(stem(word) for word in words_of(text)) for text in texts]
    frequencies = Counter(term for own in counts for term in own)
    rows = []
    for own in counts:
        weights = {
            term: (1 + log(tf)) * log(len(texts) / frequencies[term])
            for term, tf in own.items()
            if frequencies[term] >= 2
        }
        length = sqrt(sum(weight**2 for weight in weights.values())) or 1
        rows.append({term: weight / length for term, weight in weights.items()})
    return rows


@given(texts=TEXTS)
def test_weights_are_those_of_the_formula(texts: list[str]) -> None:
    features = text_features(texts)
    assert features.matrix.shape == (len(texts), len(features.columns))
    for row, expected in zip(features.matrix.toarray(), defined(texts), strict=True):
        found = {term: row[column] for term, column in features.columns.items()}
        assert {term for term, weight in found.items() if weight} <= expected.keys()
        assert all(found[term] == pytest.approx(weight, abs=1e-12) for term, weight in expected.items())


@given(texts=TEXTS)
def test_the_vector_of_a_document_s_own_text_is_its_row(texts: list[str]) -> None:
    features = text_features(texts)
    for row, text in enumerate(texts):
        assert features.vector_of(text).toarray() == pytest.approx(features.matrix[row].toarray(), abs=1e-12)


@given(texts=TEXTS, size=st.integers(1, 20))
def test_documents_that_are_counted_in_parts_have_the_same_features(texts: list[str], size: int) -> None:
    whole = text_features(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK_WORDS", size)
        patch.setattr(module, "MOST_KNOWN_WORDS", 2)
        parts = text_features(iter(texts))
    assert parts.columns == whole.columns
    assert (parts.matrix != whole.matrix).nnz == 0 and (parts.idf == whole.idf).all()


def test_rows_are_of_length_one_or_empty() -> None:
    features = text_features([*themed(50, seed=1).texts, "", "7 8 9", "unique"])
    lengths = np.sqrt(features.matrix.multiply(features.matrix).sum(axis=1)).A1
    assert lengths[:50] == pytest.approx(1) and not lengths[50:].any()
    assert features.matrix.has_sorted_indices


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Mach 2 is a SPEED", ["mach", "is", "speed"]),
        ("snake_case x1yz c3po", ["snake", "case", "yz", "po"]),
        ("ﬁnal ＦＵＬＬ", ["final", "full"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("漢 漢字 漢字体", ["漢字", "漢字", "字体"]),
        ("don't e-mail", ["don", "mail"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_features_of_nothing_are_refused() -> None:
    with pytest.raises(Refused, match="at least one document"):
        text_features([])


def test_documents_without_a_common_word_have_no_features() -> None:
    features = text_features(["one", "two", ""])
    assert features.matrix.shape == (3, 0) and features.vector_of("one").nnz == 0
