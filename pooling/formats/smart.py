"""The SMART form of the Cranfield, CACM, CISI and MED collections: `.I 1` and then sections `.T .A .B .W`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from pooling.formats.fields import shown
from pooling.formats.files import BadLine
from pooling.formats.text_lines import Length, Lines

_MARKER = re.compile(r"\.([A-Z])(?:\s+(.*))?")


class Entry(NamedTuple):
    """What one `.I` opens. sections: letter -> its lines; a letter met twice goes on."""

    line: int
    label: str
    sections: defaultdict[str, list[str]]

    def text(self, letter: str) -> str:
        """Return the section's lines as they stand, "" when there is no such section."""
        return "\n".join(self.sections.get(letter, [])).strip("\n")


def entries(lines: Lines) -> Iterator[Entry]:
    """Yield the entries in the order of the file. Raises BadLine for text that stands in no section."""
    entry: Entry | None = None
    section: list[str] | None = None
    length = Length(0)
    for number, line in lines:
        marker = _MARKER.fullmatch(line.rstrip())
        if marker and marker[1] == "I":
            if entry:
                yield entry
            length = Length(number)
            entry, section = Entry(number, marker[2] or "", defaultdict(list)), None
        elif marker and not marker[2] and entry:
            section = entry.sections[marker[1]]
        elif section is not None:
            length.add(line)
            section.append(line)
        elif line.strip():
            raise BadLine(number, f"expected a section such as .W before any text, found {shown(line)}")
    if entry:
        yield entry
