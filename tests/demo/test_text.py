"""Words of the demonstration's index."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.demo import text
from config.demo.text import STOP_WORDS, character_ngrams, stem, tokenize


def test_the_examples_in_the_docstrings_hold() -> None:
    outcome = doctest.testmod(text)
    assert outcome.attempted >= 3 and outcome.failed == 0


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("ZipFile.infolist()", ["zip", "file", "infolist"]),
        ("HTTPServer", ["http", "server"]),
        ("rmtree(ignore_errors=False)", ["rmtree", "ignore", "error", "false"]),
        ("b64decode SHA-256", ["64", "decode", "sha", "256"]),
        ("Größen", ["größen"]),
        ("the a I of", []),
    ],
)
def test_identifiers_are_split(written: str, terms: list[str]) -> None:
    assert tokenize(written) == terms


@given(st.text())
def test_terms_are_lower_case_words_that_are_not_stop_words(written: str) -> None:
    terms = tokenize(written)
    assert all(len(term) > 1 and term == term.lower() and not term.isspace() for term in terms)
    assert not {term for term in terms if len(term) <= 3} & STOP_WORDS


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=12))
def test_a_stem_is_never_longer_and_never_empty(word: str) -> None:
    assert len(stem(word)) <= len(word)
    assert bool(stem(word)) == bool(word)


@given(st.text(max_size=30), st.integers(2, 5))
def test_ngrams_have_their_length_unless_the_word_is_shorter(written: str, length: int) -> None:
    assert all(len(ngram) <= length and ngram.strip() for ngram in character_ngrams(written, length))
