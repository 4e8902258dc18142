"""Where a topic's terms occur in a text, and the passages with most of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assess.reading import Layout, layout_of, line_ends, places
from assess.terms import UNSPACED, WORD, Term, beginning, folded, stem

WINDOW = 400  # characters of a passage: about five lines on the screen
MOST_KNOWN = 20_000  # words of a topic's documents whose stems are cached: about 2 MB
_GAP = re.compile(r"[\s\-‐‑–]{1,20}")  # between the words of a phrase
_NO_GAP = re.compile(r"\s{0,3}")  # in scripts without blanks, lines may still be wrapped
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SENTENCE = re.compile(r"""[.!?]["')\]]*\s+|\n\s*\n""")


class Hit(NamedTuple):
    """One occurrence of a term: `text[start:end]`."""

    start: int
    end: int
    term: Term


class Span(NamedTuple):
    """A segment of text; term: None if not highlighted. hit: number of the hit in the whole text, from 0."""

    text: str
    term: Term | None = None
    hit: int | None = None


class Marked(NamedTuple):
    """A paragraph in segments; together they are its text."""

    spans: list[Span]
    layout: Layout


class Snippet(NamedTuple):
    """A quoted passage. hit: number of its first hit, for a link to it."""

    spans: list[Span]
    hit: int


def find(text: str, terms: Sequence[Term]) -> list[Hit]:
    """Return the occurrences of terms in a text, in text order, without overlaps.

    A word is a hit of the term with the same stem. Where a word and a phrase begin at the same place, the
    phrase is the hit. The words of a phrase follow each other, separated by blanks, a line end or a hyphen,
    or are written together.
    """
    stems = frozenset(stem for term in terms for stem in (*term.stems, "".join(term.stems)))
    known = _known(stems)
    words = [(m.start(), m.end(), found) for m in WORD.finditer(text) if (found := known[m[0]])]
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
        lower = folded(word)
        start = beginning(lower)
        may_match = start in self._beginnings or start[:1] in self._beginnings
        stemmed = stem(lower) if may_match else ""
        wanted = stemmed if stemmed in self._stems else ""
        if len(self) >= MOST_KNOWN:
            self.clear()
        self[word] = wanted
        return wanted


_known = lru_cache(maxsize=64)(_Known)  # judges stay with one topic, whose documents repeat the same words


def _length(term: Term, words: list[tuple[int, int, str]], place: int, text: str) -> int:
    """Return how many words the term covers from this place on, 0 if it does not occur here."""
    if len(term.stems) == 1 or words[place][2] == "".join(term.stems):
        return 1
    upto = place + len(term.stems)
    if tuple(found for _, _, found in words[place:upto]) != term.stems:
        return 0
    for (_, end, _), (start, _, _) in zip(words[place : upto - 1], words[place + 1 : upto], strict=True):
        gap = _NO_GAP if _UNSPACED.match(text, end - 1) and _UNSPACED.match(text, start) else _GAP
        if not gap.fullmatch(text, end, start):
            return 0
    return len(term.stems)


def counts(hits: Sequence[Hit], terms: Sequence[Term]) -> list[tuple[Term, int]]:
    """Return the number of hits of each term, in the order of the terms; 0 where there is none."""
    found = Counter(hit.term.number for hit in hits)
    return [(term, found[term.number]) for term in terms]


def densest(hits: Sequence[Hit], window: int = WINDOW) -> int | None:
    """Return the number of the hit with which the densest passage begins; None without hits.

    It is the stretch of `window` characters with most different terms, then most hits; then the first one.
    """
    ranked = _densities(hits, window)
    return max(range(len(hits)), key=ranked.__getitem__) if hits else None


def _densities(hits: Sequence[Hit], window: int) -> list[tuple[int, int]]:
    """Return, for the window that begins at each hit, the number of different terms and of hits."""
    inside: Counter[int] = Counter()
    found, last, different = [], 0, 0
    for place, first in enumerate(hits):
        while last < len(hits) and (last == place or hits[last].end <= first.start + window):
            number = hits[last].term.number
            inside[number] += 1
            different += inside[number] == 1
            last += 1
        found.append((different, last - place))
        inside[first.term.number] -= 1
        different -= not inside[first.term.number]
    return found


def snippets(text: str, hits: Sequence[Hit], most: int = 3, window: int = WINDOW) -> list[Snippet]:
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


def _quoted(text: str, hits: Sequence[Hit], start: int, end: int) -> list[Span]:
    spans = [
        span._replace(text=re.sub(r"\s+", " ", span.text)) for span in spans_between(text, hits, start, end)
    ]
    before, after = text[:start].rstrip(), text[end:].strip()
    if before and before[-1] not in ".!?\"')]":
        spans.insert(0, Span("… "))
    if after and text[start:end].rstrip()[-1:] not in (".", "!", "?"):
        spans.append(Span(" …"))
    return spans


def marked(text: str, hits: Sequence[Hit], start: int = 0, end: int | None = None) -> Iterator[Marked]:
    """Yield the paragraphs of a text, or of the part between `start` and `end`, in segments.

    The paragraphs are those of `paragraphs`. A hit has the same number whichever part is shown; a hit across
    the end of a part is highlighted in the first part only.
    """
    for at, to in places(text, start, end):
        layout = layout_of(line_ends(text[at:to]))
        spans = spans_between(text, hits, at, to)
        yield Marked([span._replace(text=line_ends(span.text)) for span in spans], layout)


def spans_between(text: str, hits: Sequence[Hit], start: int, end: int) -> list[Span]:
    """Return a stretch of the text in segments, none of them empty."""
    spans = []
    number = bisect_left(hits, start, key=lambda hit: hit.start)
    while number < len(hits) and hits[number].start < end:
        hit = hits[number]
        if hit.start > start:
            spans.append(Span(text[start : hit.start]))
        start = min(hit.end, end)
        spans.append(Span(text[hit.start : start], hit.term, number))
        number += 1
    return [*spans, Span(text[start:end])] if start < end else spans
