"""Codes for a missing grade in a column of grades."""

from __future__ import annotations

from enum import IntEnum


class NoGrade(IntEnum):
    """Why there is no grade; every grade is 0 or more.

    MISSING: nobody gave one: the judge has no label of the document, or it is not adjudicated. REFUSED: the
    judge could not judge it. NO_LINE: the qrels have no line of the document; they may write -1 or -2 for
    documents that could not be judged.
    """

    MISSING = -1
    REFUSED = -2
    NO_LINE = -3
