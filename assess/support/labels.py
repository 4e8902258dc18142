"""What judges can say of a sentence and a document that it cites."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class SupportWord(StrEnum):
    """How far a document bears out a sentence. CANNOT: it cannot be judged, which is no label."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    CANNOT = "cannot"


class ShownWord(NamedTuple):
    """A button. definition: what it means, because people differ there most."""

    value: SupportWord
    label: str
    definition: str
    key: str


SHOWN = (
    ShownWord(SupportWord.FULL, "Full", "all of it is borne out", "1"),
    ShownWord(SupportWord.PARTIAL, "Partial", "some of it is", "2"),
    ShownWord(SupportWord.NONE, "None", "nothing, or the contrary", "0"),
    ShownWord(SupportWord.CANNOT, "Cannot judge", "no text, other language", "x"),
)
LABELS = {each.value: each.label for each in SHOWN}
