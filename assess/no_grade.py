"""What stands in a column of numbers where a grade would stand."""

from __future__ import annotations

from enum import IntEnum


class NoGrade(IntEnum):
    """Why there is no grade; every grade is 0 or more.

    MISSING: nobody gave one: the judge has no label of the document, or no adjudicator settled it.
    REFUSED: the judge said that they cannot judge it.
    NO_LINE: qrels have no line of the document. These may write -1 or -2 for what nobody could judge.
    """

    MISSING = -1
    REFUSED = -2
    NO_LINE = -3
