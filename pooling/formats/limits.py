"""How long the parts of a file may be, in every format."""

from __future__ import annotations

LONGEST_NAME = 200  # bytes of a docno, a topic number, an iteration or a stratum
LONGEST_ROW = 4096  # bytes of a line of runs and judgments
LONGEST_LINE = 1 << 23  # bytes of a line of text: what a reader makes of it still fits in memory
LONGEST_TEXT = 1 << 23  # characters of a topic or document: more than War and Peace twice over
