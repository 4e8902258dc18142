"""One file of documents on its way through the reader of a form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pooling.formats.documents.elements import Elements
from pooling.formats.documents.record import Decoder
from pooling.formats.text_lines import Length, Lines, numbered


@dataclass(frozen=True)
class Source:
    """content: the file's lines with their ends. name: with folders. as_html: pages stay what they are."""

    content: Iterator[bytes]
    name: str = ""
    elements: Elements | None = None
    as_html: bool = False
    decoder: Decoder = field(default_factory=Decoder)

    def lines(self) -> Lines:
        """Yield every line's number and text."""
        return self.decoder.lines(numbered(self.content))

    def whole(self) -> bytes:
        """Return all that is left. Raises BadLine when that is more than one document can be."""
        pieces, length = [], Length(0)
        for piece in self.content:
            length.add(piece)
            pieces.append(piece)
        return b"".join(pieces)
