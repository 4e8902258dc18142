"""The words of a topic, where they occur in a text, and the passages with most of them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import snowballstemmer

from assess.document.characters import BETWEEN, UNSPACED
from assess.document.text import Layout, layout_of, line_ends, paragraph_spans

# Words that occur in every text, and words with which a topic introduces its subject ("find documents that
# discuss ..."). The list is short on purpose: an unnecessary highlight is seen at once, a missing one is not.
_WORDS = """
    a about after against all also am an and any are as at be because been before being between both but
    by can could did do does doing during each few for from had has have having he her here hers him his
    how i if in into is it its itself just may me might more most must my no nor not of on once only or
    other our out over own same shall she should so some such than that the their them then there these
    they this those through to too under until up upon us very was we were what when where whether which
    while who whom whose why will with within without would you your describe describes discuss
    discusses discussing document documents find identify information relevant
"""
STOP_WORDS = frozenset(_WORDS.split())


_STEMMER = snowballstemmer.stemmer("english")
STEMMER_LOCK = Lock()  # a stemmer stores the word that it works on: one thread at a time
COLOURS = 8  # from the ninth term on colours repeat; the list of terms shows which is which

WORD = re.compile(rf"[{UNSPACED}]|[^{BETWEEN}{UNSPACED}]+")
_RUN = re.compile(
    r"[\u30a1-\u30ff]+|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_COMPOUND = re.compile(rf"[^{BETWEEN}]+(?:[-‐‑][^{BETWEEN}]+)*")


class Term(NamedTuple):
    """A highlighted word or phrase.

    number: its place among the topic's terms, from 0. text: as written. stems: of its words.
    """

    number: int
    text: str
    stems: tuple[str, ...]

    @property
    def colour(self) -> int:
        """The number of its colour, 0 to 7, in the CSS classes `term-0` to `term-7`."""
        return self.number % COLOURS


def topic_terms(title: str, description: str = "", more: Iterable[str] = ()) -> list[Term]:
    """Return the terms of a topic: words of its title, then of its description, then more.

    Different forms of a word are one term. Stop words are left out, and so are single letters and numbers
    that are part of a word (COVID-19 is COVID), unless nothing else is left; F-16 is a phrase. more: other
    words or phrases, in that order.

    >>> [term.text for term in topic_terms("Effects of vaccines on the vaccinated", more=["heart attack"])]
    ['Effects', 'vaccines', 'heart attack']
    """
    text_of: dict[tuple[str, ...], str] = {}
    for text in (title, description):
        for words in _highlighted_words(text):
            text_of.setdefault(_stems(words), words)
    if not text_of:  # "Who", a topic about the band
        text_of = {_stems(word): word for word in WORD.findall(title)}
    terms = [Term(number, text, stems) for number, (stems, text) in enumerate(text_of.items())]
    for text in more:
        stems = _stems(text)
        if stems and stems not in text_of:
            text_of[stems] = text
            terms.append(Term(len(terms), text, stems))
    return terms


def _highlighted_words(text: str) -> Iterator[str]:
    """Yield the words and phrases of a topic's text that are worth highlighting, as written."""
    for compound in _COMPOUND.findall(text):
        if re.search(f"[{UNSPACED}]", compound):  # characters between the runs, such as hiragana, are grammar
            yield from _RUN.findall(compound)
        words = re.findall(rf"[^{BETWEEN}{UNSPACED}]+", compound)
        specific = [word for word in words if len(word) > 1 and not (word.isdecimal() and len(words) > 1)]
        if not specific and len(words) > 1:
            yield compound
        yield from (word for word in specific if normalised(word) not in STOP_WORDS)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(normalised(word)) for word in WORD.findall(text))


def normalised(word: str) -> str:
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
    with STEMMER_LOCK:
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


PASSAGE_LENGTH = 400  # characters of a passage: about five lines on the screen
MAX_CACHED_WORDS = 20_000  # words of a topic's documents whose stems are cached: about 2 MB
_GAP = re.compile(r"[\s\-‐‑–]{1,20}")  # between the words of a phrase
_NO_GAP = re.compile(r"\s{0,3}")  # in scripts without blanks, lines may still be wrapped
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SENTENCE = re.compile(r"""[.!?]["')\]]*\s+|\n\s*\n""")


class Hit(NamedTuple):
    """One occurrence of a term: `text[start:end]`."""

    start: int
    end: int
    term: Term


class TextSpan(NamedTuple):
    """A segment of text; term: None if not highlighted. hit: number of the hit in the whole text, from 0."""

    text: str
    term: Term | None = None
    hit: int | None = None


class MarkedParagraph(NamedTuple):
    """A paragraph in segments; together they are its text."""

    spans: list[TextSpan]
    layout: Layout


class Snippet(NamedTuple):
    """A quoted passage. hit: number of its first hit, for a link to it."""

    spans: list[TextSpan]
    hit: int


def find_terms(text: str, terms: Sequence[Term]) -> list[Hit]:
    """Return the occurrences of terms in a text, in text order, without overlaps.

    A word is a hit of the term with the same stem. Where a word and a phrase begin at the same place, the
    phrase is the hit. The words of a phrase follow each other, separated by blanks, a line end or a hyphen,
    or are written together.
    """
    stems = frozenset(stem for term in terms for stem in (*term.stems, "".join(term.stems)))
    known = _known(stems)
    words = [(m.start(), m.end(), stem) for m in WORD.finditer(text) if (stem := known[m[0]])]
    starting: dict[str, list[Term]] = {}
    for term in sorted(terms, key=lambda term: -len(term.stems)):
        starting.setdefault(term.stems[0], []).append(term)
        if len(term.stems) > 1:
            starting.setdefault("".join(term.stems), []).append(term)
    hits, place = [], 0
    while place < len(words):
        start, _, first = words[place]
        taken = 1
        for term in starting.get(first, ()):
            taken = _length(term, words, place, text)
            if taken:
                hits.append(Hit(start, words[place + taken - 1][1], term))
                break
        place += taken or 1
    return hits


class _Known(dict[str, str]):
    """A cache: word as written -> its stem if that is one of the wanted stems, else ""."""

    def __init__(self, stems: frozenset[str]) -> None:
        super().__init__()
        self._stems = stems
        self._beginnings = {beginning(stem)[: 1 if len(stem) <= 3 else 2] for stem in stems}

    def __missing__(self, word: str) -> str:
        lower = normalised(word)
        start = beginning(lower)
        may_match = start in self._beginnings or start[:1] in self._beginnings
        stemmed = stem(lower) if may_match else ""
        wanted = stemmed if stemmed in self._stems else ""
        if len(self) >= MAX_CACHED_WORDS:
            self.clear()
        self[word] = wanted
        return wanted


_known = lru_cache(maxsize=64)(_Known)  # judges stay with one topic, whose documents repeat the same words


def _length(term: Term, words: list[tuple[int, int, str]], place: int, text: str) -> int:
    """Return how many words the term covers from this place on, 0 if it does not occur here."""
    if len(term.stems) == 1 or words[place][2] == "".join(term.stems):
        return 1
    upto = place + len(term.stems)
    if tuple(stem for _, _, stem in words[place:upto]) != term.stems:
        return 0
    for (_, end, _), (start, _, _) in zip(words[place : upto - 1], words[place + 1 : upto], strict=True):
        gap = _NO_GAP if _UNSPACED.match(text, end - 1) and _UNSPACED.match(text, start) else _GAP
        if not gap.fullmatch(text, end, start):
            return 0
    return len(term.stems)


def term_counts(hits: Sequence[Hit], terms: Sequence[Term]) -> list[tuple[Term, int]]:
    """Return the number of hits of each term, in the order of the terms; 0 where there is none."""
    counts = Counter(hit.term.number for hit in hits)
    return [(term, counts[term.number]) for term in terms]


def densest_passage(hits: Sequence[Hit], window: int = PASSAGE_LENGTH) -> int | None:
    """Return the number of the hit with which the densest passage begins; None without hits.

    It is the stretch of `window` characters with most different terms, then most hits; then the first one.
    """
    ranked = _densities(hits, window)
    return max(range(len(hits)), key=ranked.__getitem__) if hits else None


def _densities(hits: Sequence[Hit], window: int) -> list[tuple[int, int]]:
    """Return, for the window that begins at each hit, the number of different terms and of hits."""
    inside: Counter[int] = Counter()
    densities, last, different = [], 0, 0
    for place, first in enumerate(hits):
        while last < len(hits) and (last == place or hits[last].end <= first.start + window):
            number = hits[last].term.number
            inside[number] += 1
            different += inside[number] == 1
            last += 1
        densities.append((different, last - place))
        inside[first.term.number] -= 1
        different -= not inside[first.term.number]
    return densities


def snippets(text: str, hits: Sequence[Hit], most: int = 3, window: int = PASSAGE_LENGTH) -> list[Snippet]:
    """Return the densest passages that do not overlap, in text order.

    Each has at most about `window` characters, begins and ends with a sentence or, with an ellipsis, with a
    word, and is one line: blanks and line ends become one blank.
    """
    ranked = _densities(hits, window)
    order = sorted(range(len(hits)), key=lambda place: (-ranked[place][0], -ranked[place][1], place))
    chosen: list[tuple[int, int, int]] = []
    for place in order:
        if len(chosen) == most:
            break
        first, last = hits[place].start, hits[place + ranked[place][1] - 1].end
        if all(last <= start or first >= end for start, end, _ in chosen):
            start, end = _widened(text, first, last, window)
            lower = max((to for _, to, _ in chosen if to <= first), default=0)
            upper = min((at for at, _, _ in chosen if at >= last), default=len(text))
            chosen.append((max(start, lower), min(end, upper), place))
    return [Snippet(_quoted(text, hits, start, end), place) for start, end, place in sorted(chosen)]


def _widened(text: str, first: int, last: int, window: int) -> tuple[int, int]:
    """Return start and end of a passage around these hits: of a sentence, else of a word."""
    spare = max(0, window - (last - first))
    start, end = max(0, first - spare // 2), min(len(text), last + spare - spare // 2)
    sentences = [match.end() for match in _SENTENCE.finditer(text, start, first)]
    if start and sentences:
        start = sentences[0]
    elif start:
        start = next((match.end() for match in re.finditer(r"\s+", text[start:first])), 0) + start
    sentences = [match.start() + 1 for match in _SENTENCE.finditer(text, last, end)]
    if end < len(text) and sentences:
        end = sentences[-1]
    elif end < len(text):
        end = last + max((match.start() for match in re.finditer(r"\s+", text[last:end])), default=end - last)
    return start, end


def _quoted(text: str, hits: Sequence[Hit], start: int, end: int) -> list[TextSpan]:
    spans = [
        span._replace(text=re.sub(r"\s+", " ", span.text)) for span in spans_between(text, hits, start, end)
    ]
    before, after = text[:start].rstrip(), text[end:].strip()
    if before and before[-1] not in ".!?\"')]":
        spans.insert(0, TextSpan("… "))
    if after and text[start:end].rstrip()[-1:] not in (".", "!", "?"):
        spans.append(TextSpan(" …"))
    return spans


def marked_paragraphs(
    text: str, hits: Sequence[Hit], start: int = 0, end: int | None = None
) -> Iterator[MarkedParagraph]:
    """Yield the paragraphs of a text, or of the part between `start` and `end`, in segments.

    The paragraphs are those of `paragraphs`. A hit has the same number whichever part is shown; a hit across
    the end of a part is highlighted in the first part only.
    """
    for at, to in paragraph_spans(text, start, end):
        layout = layout_of(line_ends(text[at:to]))
        spans = spans_between(text, hits, at, to)
        yield MarkedParagraph([span._replace(text=line_ends(span.text)) for span in spans], layout)


def spans_between(text: str, hits: Sequence[Hit], start: int, end: int) -> list[TextSpan]:
    """Return a stretch of the text in segments, none of them empty."""
    spans = []
    number = bisect_left(hits, start, key=lambda hit: hit.start)
    while number < len(hits) and hits[number].start < end:
        hit = hits[number]
        if hit.start > start:
            spans.append(TextSpan(text[start : hit.start]))
        start = min(hit.end, end)
        spans.append(TextSpan(text[hit.start : start], hit.term, number))
        number += 1
    return [*spans, TextSpan(text[start:end])] if start < end else spans
