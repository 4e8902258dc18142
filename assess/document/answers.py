"""An answer laid out for a reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Protocol

HEADING = re.compile(r"\s*#{1,6}[ \t]+(?=[^#\s])([^\n]*)(?:\n|\Z)")
ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+(?=\S)")


def answer_text(sentences: Sequence[str]) -> str:
    """Return an answer as one text, without citations. Headings and items of lists begin a line.

    >>> answer_text(["Boats float.", "They carry goods.", "- grain"])
    'Boats float. They carry goods.\\n- grain'
    """
    text = ""
    for sentence in sentences:
        begins_line = HEADING.match(sentence) or ITEM.match(sentence) or text.endswith("\n")
        text += ("\n" if begins_line else " ") + sentence
    return text.strip()


class SentenceText(Protocol):
    """What is read of a sentence; `answer_files.Sentence` and `StoredSentence` have it."""

    @property
    def text(self) -> str: ...

    @property
    def citations(self) -> Sequence[str]: ...


class CitationMark(NamedTuple):
    """The mark of a citation. number: of the document in this answer, from 1.

    has_text: whether the document can be read. page, fragment: addresses of the whole page with the document,
    and of the part that shows it.
    """

    number: int
    docno: str
    has_text: bool
    page: str
    fragment: str

    @property
    def name(self) -> str:
        return self.docno if self.has_text else f"{self.docno}, no text"


class ReadSentence(NamedTuple):
    """A sentence without the marks of a heading or of a list.

    place: in the answer, from 1. anchor: the id of its element.
    """

    place: int
    anchor: str
    text: str
    marks: list[CitationMark]


class Heading(NamedTuple):
    """A heading of an answer. anchor: the id of its element."""

    text: str
    anchor: str


class Block(NamedTuple):
    """A heading, or a paragraph or item of a list with its sentences."""

    heading: Heading | None
    is_item: bool
    sentences: list[ReadSentence]


class CitedReference(NamedTuple):
    """A cited document. places: of the sentences that cite it."""

    number: int
    docno: str
    has_text: bool
    places: list[int]


class AnswerView(NamedTuple):
    """An answer as it is read. Nothing here names the run."""

    blocks: list[Block]
    references: list[CitedReference]

    @property
    def headings(self) -> list[Heading]:
        return [block.heading for block in self.blocks if block.heading]


Addresses = Callable[[int, int], tuple[str, str]]
"""(place of the sentence, place of the citation in it, both from 1) -> page and fragment of the document."""


def answer_view(
    sentences: Sequence[SentenceText], with_text: Collection[str], addresses: Addresses, prefix: str = ""
) -> AnswerView:
    """Return the layout of an answer.

    with_text: the cited documents that can be read. prefix: of the ids of headings and sentences, where a
    page has several answers. A line at the start of a sentence that begins with # is a heading, and a
    sentence that begins with - or 1. is an item of a list, as in Markdown; other marks of Markdown are text.
    """
    numbers: dict[str, int] = {}
    places: dict[str, list[int]] = {}
    blocks: list[Block] = []
    ends_paragraph = True
    for place, sentence in enumerate(sentences, start=1):
        marks = []
        for citation, docno in enumerate(sentence.citations, start=1):
            number = numbers.setdefault(docno, len(numbers) + 1)
            places.setdefault(docno, []).append(place)
            marks.append(CitationMark(number, docno, docno in with_text, *addresses(place, citation)))
        text = sentence.text
        while heading := HEADING.match(text):
            count = sum(block.heading is not None for block in blocks)
            blocks.append(
                Block(Heading(heading[1].rstrip("# \t\r"), f"{prefix}heading-{count + 1}"), False, [])
            )
            text, ends_paragraph = text[heading.end() :], True
        if not text.strip() and not marks:
            continue
        item = ITEM.match(text)
        if item or ends_paragraph or _breaks(text, text.lstrip()) or not blocks:
            blocks.append(Block(None, item is not None, []))
        shown = text[item.end() :] if item else text
        blocks[-1].sentences.append(ReadSentence(place, f"{prefix}sentence-{place}", shown.strip(), marks))
        ends_paragraph = _breaks(text, text.rstrip())
    references = [
        CitedReference(number, docno, docno in with_text, places[docno]) for docno, number in numbers.items()
    ]
    return AnswerView(blocks, references)


def _breaks(text: str, stripped: str) -> bool:
    """Return whether the white space that was stripped at one end of a text holds an empty line."""
    return text.count("\n") - stripped.count("\n") > 1


def bare_text(sentence: str) -> str:
    """Return the text of a sentence without headings before it and without the mark of a list."""
    while heading := HEADING.match(sentence):
        sentence = sentence[heading.end() :]
    return ITEM.sub("", sentence, count=1).strip() if ITEM.match(sentence) else sentence.strip()
