from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from assess.document.highlighting import WORD, beginning, normalised, stem, topic_terms


def texts(title: str, description: str = "") -> list[str]:
    return [term.text for term in topic_terms(title, description)]


@pytest.mark.parametrize(
    ("title", "marked"),
    [
        ("coronavirus response to weather changes", ["coronavirus", "response", "weather", "changes"]),
        ("Find documents that discuss vaccines for the vaccinated", ["vaccines"]),
        ("COVID-19 origin", ["COVID", "origin"]),
        ("F-16 crashes", ["F-16", "crashes"]),
        ("Alzheimer's disease", ["Alzheimer", "disease"]),
        ("who", ["who"]),
        ("東京の観光スポット", ["東京", "観光", "スポット"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("?!", []),
        ("", []),
    ],
)
def test_the_telling_words_of_a_title_are_marked(title: str, marked: list[str]) -> None:
    assert texts(title) == marked


def test_the_description_comes_after_the_title_and_says_nothing_twice() -> None:
    assert texts("vaccine", "Find vaccines against malaria.") == ["vaccine", "malaria"]


def test_a_further_term_that_the_topic_has_already_is_not_marked_twice() -> None:
    terms = topic_terms("cats", more=["cat", "", "dog", "heart attack", "dogs"])
    assert [(term.number, term.text) for term in terms] == [(0, "cats"), (1, "dog"), (2, "heart attack")]


def test_the_ninth_term_has_the_first_ones_colour_and_its_own_number() -> None:
    terms = topic_terms("alpha bravo charlie delta echo foxtrot golf hotel india")
    assert [term.colour for term in terms] == [0, 1, 2, 3, 4, 5, 6, 7, 0]
    assert len({term.number for term in terms}) == 9


@given(st.text(), st.lists(st.text()), st.text())
def test_one_more_term_changes_nothing_before_it(title: str, terms: list[str], last: str) -> None:
    before = topic_terms(title, more=terms)
    assert topic_terms(title, more=[*terms, last])[: len(before)] == before


ENDINGS = [
    *("", "s", "es", "ies", "ied", "ing", "ed", "ly", "ally", "ation", "ational", "ization", "ousness"),
    *("ability", "ibilities", "ement", "ness", "ful", "y", "e"),
]


def in_common(word: str) -> bool:
    stemmed = stem(word)
    letters = 2 if len(stemmed) > 3 else 1
    return beginning(word)[:letters] == beginning(stemmed)[:letters]


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8), st.sampled_from(ENDINGS))
def test_a_word_and_its_stem_have_the_beginning_in_common(root: str, ending: str) -> None:
    assert in_common(root + ending)


@pytest.mark.parametrize("word", ["dying", "lying", "tying", "skies", "skis", "idly", "gently", "only"])
def test_words_with_irregular_stems_have_it_too(word: str) -> None:
    assert in_common(word)


def test_a_word_that_is_nothing_but_an_ending_is_its_own_stem() -> None:
    for word in filter(str.isalpha, [*ENDINGS, *map(chr, range(0x61, 0x600))]):
        assert stem(word.lower())


@given(st.text())
def test_every_letter_and_digit_is_in_a_word(text: str) -> None:
    outside = WORD.sub("", text)
    assert not [character for character in outside if character.isalpha() or character.isdecimal()]


def test_both_ways_to_write_an_accent_are_one() -> None:
    assert normalised("Cafe\u0301") == normalised("CAF\u00c9") == "caf\u00e9"


def test_threads_that_stem_at_once_do_not_disturb_each_other() -> None:
    """A stemmer keeps the word that it works on in itself, and the web server works in threads."""
    words = [
        f"{beginning}{number}ational" for beginning in ("oper", "gener", "rel") for number in range(3000)
    ]
    alone = snowballstemmer.stemmer("english")
    wanted = [alone.stemWord(word) for word in words]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            parts = [words[start::4] for start in range(4)]
            found = list(threads.map(lambda part: [stem(word) for word in part], parts))
    finally:
        sys.setswitchinterval(before)
    assert found == [wanted[start::4] for start in range(4)]
