"""The terms of a topic that are highlighted in its documents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import snowballstemmer

from assess.stopwords import STOP_WORDS

_STEMMER = snowballstemmer.stemmer("english")
STEMMING = Lock()  # a stemmer stores the word that it works on: one thread at a time
COLOURS = 8  # from the ninth term on colours repeat; the list of terms shows which is which

# Scripts without blanks between words: here every character is a word, and a run of them is a phrase.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# All other separators of words. Not [^\W_]: in Python's \w the vowel signs of Hindi are no letters.
_BETWEEN = (
    r"\s\x00-\x1f!-/:-@\[-`{-~\x7f-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7\u060c\u061b\u061f\u0964\u0965"
    r"\u2000-\u200b\u200e-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u3004\u3006-\u303f\ufe10-\ufe6f\uff01-\uff0f\ufffd"
)
WORD = re.compile(rf"[{UNSPACED}]|[^{_BETWEEN}{UNSPACED}]+")
_RUN = re.compile(
    r"[\u30a1-\u30ff]+|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_COMPOUND = re.compile(rf"[^{_BETWEEN}]+(?:[-‐‑][^{_BETWEEN}]+)*")


class Term(NamedTuple):
    """A highlighted word or phrase.

    number: its place among the topic's terms, from 0. text: as written. stems: of its words. own: whether the
    judge added it.
    """

    number: int
    text: str
    stems: tuple[str, ...]
    own: bool = False

    @property
    def colour(self) -> int:
        """The number of its colour, 0 to 7, in the CSS classes `term-0` to `term-7`."""
        return self.number % COLOURS


def topic_terms(title: str, description: str = "", own: Iterable[str] = ()) -> list[Term]:
    """Return the terms of a topic: words of its title, then of its description, then the judge's own.

    Different forms of a word are one term. Stop words are left out, and so are single letters and numbers
    that are part of a word (COVID-19 is COVID), unless nothing else is left; F-16 is a phrase. own: words or
    phrases that the judge added, in that order. Each has the number of its place, so a removed one is passed
    as "" and the others keep their colours.

    >>> [term.text for term in topic_terms("Effects of vaccines on the vaccinated", own=["heart attack"])]
    ['Effects', 'vaccines', 'heart attack']
    """
    text_of: dict[tuple[str, ...], str] = {}
    for text in (title, description):
        for words in _highlighted_words(text):
            text_of.setdefault(_stems(words), words)
    if not text_of:  # "Who", a topic about the band
        text_of = {_stems(word): word for word in WORD.findall(title)}
    terms = [Term(number, text, stems) for number, (stems, text) in enumerate(text_of.items())]
    for number, text in enumerate(own, start=len(terms)):
        stems = _stems(text)
        if stems and stems not in text_of:
            text_of[stems] = text
            terms.append(Term(number, text, stems, own=True))
    return terms


def _highlighted_words(text: str) -> Iterator[str]:
    """Yield the words and phrases of a topic's text that are worth highlighting, as written."""
    for compound in _COMPOUND.findall(text):
        if re.search(f"[{UNSPACED}]", compound):  # characters between the runs, such as hiragana, are grammar
            yield from _RUN.findall(compound)
        words = re.findall(rf"[^{_BETWEEN}{UNSPACED}]+", compound)
        specific = [word for word in words if len(word) > 1 and not (word.isdecimal() and len(words) > 1)]
        if not specific and len(words) > 1:
            yield compound
        yield from (word for word in specific if folded(word) not in STOP_WORDS)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(folded(word)) for word in WORD.findall(text))


def folded(word: str) -> str:
    """Return a word in lower case and Unicode normal form C."""
    return word.lower() if word.isascii() else unicodedata.normalize("NFC", word).lower()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the English Snowball stem of a word in lower case (Porter 2001).

    A word whose stem would be empty, such as "s", is its own stem. Stemming takes some 20 microseconds a
    word, so results are cached.

    >>> stem("vaccines") == stem("vaccinated")
    True
    """
    with STEMMING:
        stemmed: str = _STEMMER.stemWord(word)
    return stemmed or word


def beginning(word: str) -> str:
    """Return the letters that a word in lower case has in common with its stem: at most two.

    Comparing beginnings is fast, so that few words of a long text have to be stemmed. The stemmer changes
    endings: the first two letters stay, or the first one in a stem of up to three letters (dying, lying and
    tying: die, lie, tie). Accents are removed.

    >>> beginning("dying"), beginning("\u00e9lan")
    ('dy', 'el')
    """
    start = word[:4]
    if not start.isascii():
        start = "".join(c for c in unicodedata.normalize("NFD", start) if not unicodedata.combining(c))
    return start[:2]
