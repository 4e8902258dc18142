"""Tables that people open in a spreadsheet, which runs a cell that begins like a formula.

Not for files that programs join with runs or qrels, such as TREC's forms and files of labels as TSV: a docno
there must stay what it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Protocol

# A cell may begin at a semicolon too: where the comma is the decimal sign, spreadsheets split CSV there.
FORMULA = re.compile(r"(^|;)(?=[=+\-@\t\r\n＝＋－＠])")

BYTE_ORDER_MARK = "\ufeff"  # before CSV for people: spreadsheets read UTF-8 only where this begins the file


class Stream(Protocol):
    def write(self, text: str, /) -> object: ...


class Table:
    """Writes rows to a stream as csv.writer does, with nothing in them that a spreadsheet would run."""

    def __init__(self, stream: Stream, delimiter: str = ",", lineterminator: str = "\r\n") -> None:
        self.rows = csv.writer(stream, delimiter=delimiter, lineterminator=lineterminator)

    def writerow(self, row: Iterable[object]) -> None:
        self.rows.writerow([escape_formula(cell) if isinstance(cell, str) else cell for cell in row])

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)


def escape_formula(cell: str) -> str:
    """Return a text that looks like a formula with an apostrophe before it; numbers and the rest as they are.

    The apostrophe is what spreadsheets themselves take for "this is text" (OWASP, CSV injection).

    >>> [escape_formula(cell) for cell in ("=HYPERLINK(A1)", "a;-1+B2", "D-1", "-0.5")]
    ["'=HYPERLINK(A1)", "a;'-1+B2", 'D-1', '-0.5']
    """
    if not FORMULA.search(cell) or is_number(cell):
        return cell
    return FORMULA.sub(r"\1'", cell)


def is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII) is not None
