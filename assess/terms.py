"""The words of a topic that are marked in its documents, and the words that a judge adds to them."""

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
COLOURS = 8  # from the ninth term on, colours come again; the list of terms tells such two apart

# Scripts that put no blanks between words: here every character is a word, and a run of them is a phrase.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Everything else that parts words. Not [^\W_]: to Python's \w the vowel signs of Hindi are no letters.
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
    """What is marked: a word or a phrase.

    number: its place among the topic's terms, from 0, which it keeps. text: as it was written. stems: of its
    words. own: the judge added it.
    """

    number: int
    text: str
    stems: tuple[str, ...]
    own: bool = False

    @property
    def colour(self) -> int:
        """Which of the eight colours is its own: the class `term-0` to `term-7`."""
        return self.number % COLOURS


def topic_terms(title: str, description: str = "", own: Iterable[str] = ()) -> list[Term]:
    """Return what is marked for a topic: words of its title, then of its description, then the judge's own.

    A word that comes again in another form is one term. Stop words are left out, as are single letters and
    numbers that hang on a word (COVID-19 is marked as COVID), unless nothing else is left; F-16 is a phrase.
    own: words or phrases as the judge added them, all of them and in that order: each has the number of its
    place, so an own term that was taken away is given as "" and the others keep their colours. language: one
    of LANGUAGES, or "" for no stemming. Raises KeyError for another one.

    >>> [term.text for term in topic_terms("Effects of vaccines on the vaccinated", own=["heart attack"])]
    ['Effects', 'vaccines', 'heart attack']
    """
    found: dict[tuple[str, ...], str] = {}
    for text in (title, description):
        for words in _highlighted_words(text):
            found.setdefault(_stems(words), words)
    if not found:  # "Who", a topic about the band
        found = {_stems(word): word for word in WORD.findall(title)}
    terms = [Term(number, text, stems) for number, (stems, text) in enumerate(found.items())]
    for number, text in enumerate(own, start=len(terms)):
        stems = _stems(text)
        if stems and stems not in found:
            found[stems] = text
            terms.append(Term(number, text, stems, own=True))
    return terms


def _highlighted_words(text: str) -> Iterator[str]:
    """Yield the words and phrases of a topic's text that are worth marking, as they are written."""
    for compound in _COMPOUND.findall(text):
        if re.search(f"[{UNSPACED}]", compound):  # what stands between the runs, as hiragana, is grammar
            yield from _RUN.findall(compound)
        words = re.findall(rf"[^{_BETWEEN}{UNSPACED}]+", compound)
        telling = [word for word in words if len(word) > 1 and not (word.isdecimal() and len(words) > 1)]
        if not telling and len(words) > 1:
            yield compound
        yield from (word for word in telling if folded(word) not in STOP_WORDS)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(folded(word)) for word in WORD.findall(text))


def folded(word: str) -> str:
    """Return a word in lower case, and in one of the two ways to write its accents."""
    return word.lower() if word.isascii() else unicodedata.normalize("NFC", word).lower()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the English Snowball stem of a word in lower case (Porter 2001).

    A word whose stem would be empty, such as "s", is its own stem. Stemming takes some 20 microseconds a word,
    so results are cached.

    >>> stem("vaccines") == stem("vaccinated")
    True
    """
    with STEMMING:
        stemmed: str = _STEMMER.stemWord(word)
    return stemmed or word


def beginning(word: str) -> str:
    """Return the letters that a word in lower case has in common with its stem: at most two.

    A comparison of beginnings is fast, so that few words of a long text have to be stemmed. The stemmer changes
    endings: the first two letters stay, or the first one in a stem of up to three letters (dying, lying and
    tying: die, lie, tie). Accents are removed.

    >>> beginning("dying"), beginning("\u00e9lan")
    ('dy', 'el')
    """
    start = word[:4]
    if not start.isascii():
        start = "".join(c for c in unicodedata.normalize("NFD", start) if not unicodedata.combining(c))
    return start[:2]
