"""A tolerant scanner for TREC's mark-up: SGML with or without closing tags, and XML of the same shape.

TREC's files are not valid SGML (a bare &, undeclared tags, no document type), so no parser is asked: only the
tags named by the caller count, in either case, and everything else is text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import NamedTuple

from pooling.formats.files import BadLine
from pooling.formats.text import TextLength, TextLines, quoted

MAX_PARTS = 10_000


class MarkupPart(NamedTuple):
    """The text of one field, without what the fields inside it hold. tag: in lower case."""

    tag: str
    line: int
    pieces: list[str]
    attributes: str = ""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class MarkupBlock:
    """One topic or document: its parts in the order in which they open.

    The first part has no tag and holds what stands outside every field. A field that is never closed goes on
    until the next one opens; after a closed field the text belongs to the one around it again.
    """

    def __init__(self, tag: str, line: int, attributes: str) -> None:
        self.tag, self.line, self.attributes = tag, line, attributes
        self.parts = [MarkupPart("", line, [])]
        self._open = self.parts[:]
        self._length = TextLength(line)

    def write(self, text: str) -> None:
        """Add text. Raises BadLine beyond the limits of one document."""
        self._length.add(text)
        if len(self.parts) > MAX_PARTS:
            message = f"expected at most {MAX_PARTS:,} fields between <{self.tag}> and its end, found more"
            raise BadLine(self.line, message)
        self._open[-1].pieces.append(text)

    def open(self, tag: str, line: int, attributes: str) -> None:
        self.close(tag)  # a field does not hold itself: the one before was left unclosed
        self.parts.append(MarkupPart(tag, line, [], attributes))
        self._open.append(self.parts[-1])

    def close(self, tag: str) -> None:
        while tag in (part.tag for part in self._open):
            if self._open.pop().tag == tag:
                return


def markup_blocks(lines: TextLines, names: Collection[str], fields: Collection[str]) -> Iterator[MarkupBlock]:
    """Yield the blocks that the tags in `names` enclose, cut into parts at the tags in `fields`.

    Text between blocks is skipped. Raises BadLine when a block is not closed before the next one or the end
    of the file, or closed without being open: a file cut short must not pass for a whole one.
    """
    mark = re.compile(rf"<(/?)({'|'.join([*names, *fields])})((?:\s[^<>]*|/)?)>", re.IGNORECASE)
    block: MarkupBlock | None = None
    for number, line in lines:
        at = 0
        for match in mark.finditer(line) if "<" in line else ():
            if block:
                block.write(line[at : match.start()])
            at = match.end()
            closes, tag, attributes = bool(match[1]), match[2].lower(), match[3]
            if tag in names:
                _check_turn(block, closes, tag, number)
                if block:
                    yield block
                block = None if closes else MarkupBlock(tag, number, attributes)
            elif block and closes:
                block.close(tag)
            elif block and not attributes.endswith("/"):
                block.open(tag, number, attributes)
        if block:
            block.write(line[at:] + "\n")
    if block:
        raise BadLine(block.line, f"expected </{block.tag}> for this <{block.tag}>, the file ends before it")


def _check_turn(block: MarkupBlock | None, closes: bool, tag: str, line: int) -> None:
    if closes and block is None:
        raise BadLine(line, f"expected <{tag}> before </{tag}>")
    if block and not closes:
        raise BadLine(line, f"expected </{block.tag}> for line {block.line} before the next <{tag}>")


_MARKER = re.compile(r"\.([A-Z])(?:\s+(.*))?")


class SmartEntry(NamedTuple):
    """What one `.I` opens. sections: letter -> its lines; a letter met twice goes on."""

    line: int
    label: str
    sections: defaultdict[str, list[str]]

    def text(self, letter: str) -> str:
        """Return the section's lines as they stand, "" when there is no such section."""
        return "\n".join(self.sections.get(letter, [])).strip("\n")


def smart_entries(lines: TextLines) -> Iterator[SmartEntry]:
    """Yield the entries in the order of the file. Raises BadLine for text that stands in no section."""
    entry: SmartEntry | None = None
    section: list[str] | None = None
    length = TextLength(0)
    for number, line in lines:
        marker = _MARKER.fullmatch(line.rstrip())
        if marker and marker[1] == "I":
            if entry:
                yield entry
            length = TextLength(number)
            entry, section = SmartEntry(number, marker[2] or "", defaultdict(list)), None
        elif marker and not marker[2] and entry:
            section = entry.sections[marker[1]]
        elif section is not None:
            length.add(line)
            section.append(line)
        elif line.strip():
            raise BadLine(number, f"expected a section such as .W before any text, found {quoted(line)}")
    if entry:
        yield entry
