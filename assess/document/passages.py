"""The passage of a document with most of some terms, and the rest of its text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from assess.document.highlighting import (
    PASSAGE_LENGTH,
    MarkedParagraph,
    Term,
    densest_passage,
    find_terms,
    marked_paragraphs,
)
from assess.document.layout import plain_text
from assess.document.text import paragraph_spans

LONGEST_REST = 40_000  # characters that are shown before and after a passage
LARGEST_SHARE = 0.6  # of a text: a passage that has more of it is not shown alone


class DocumentPassage(NamedTuple):
    """A document at the passage with most of some terms. before, after: the rest of its text.

    found: how many different terms the passage has; 0 where it is only the beginning. words: how many
    there are. is_cut: whether the rest is longer than what is shown.
    """

    passage: list[MarkedParagraph]
    before: list[MarkedParagraph]
    after: list[MarkedParagraph]
    found: int
    words: int
    is_cut: bool


def passage_of(text: str, terms: Sequence[Term]) -> DocumentPassage:
    """Return a document's stored text at its densest passage for some terms: whole paragraphs.

    A paragraph that is much longer than a passage is shown from the start of the passage's first line.
    """
    plain = plain_text(text)
    hits = find_terms(plain, terms)
    first = densest_passage(hits)
    start, end = (hits[first].start, hits[first].start + PASSAGE_LENGTH) if first is not None else (0, 1)
    term_numbers = {hit.term.number for hit in hits if start <= hit.start and hit.end <= end}
    spans = list(paragraph_spans(plain))
    if spans:
        places = [at for at, _ in spans]
        last_hit = max((hit.end for hit in hits if start <= hit.start and hit.end <= end), default=1)
        start = spans[max(0, bisect_right(places, start) - 1)][0]
        end = spans[max(0, bisect_right(places, last_hit - 1) - 1)][1]

    def shown(at: int, to: int) -> list[MarkedParagraph]:
        return list(marked_paragraphs(plain, hits, at, to))

    lower, upper = max(0, start - LONGEST_REST), min(len(plain), end + LONGEST_REST)
    is_cut = lower > 0 or upper < len(plain)
    before, after = shown(lower, start), shown(end, upper)
    return DocumentPassage(shown(start, end), before, after, len(term_numbers), len(terms), is_cut)


def first_passage(text: str, terms: Sequence[Term]) -> DocumentPassage | None:
    """Return the passage that a judge reads first; None where the whole text is better.

    That is where no term occurs, and where the passage is most of the text.

    >>> from assess.document.highlighting import topic_terms
    >>> first_passage("Boats float.", topic_terms("boats")) is None
    True
    """
    passage = passage_of(text, terms)
    length = sum(len(span.text) for paragraph in passage.passage for span in paragraph.spans)
    return passage if passage.found and length <= LARGEST_SHARE * len(plain_text(text)) else None
