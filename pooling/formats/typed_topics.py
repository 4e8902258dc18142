"""Topics that a person types or pastes: one query a line, or any format of a topic file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pooling.formats.files import BadFile, BadLine
from pooling.intake.topics import names_topics

EXPECTED = "expected one query a line, or a number, a TAB and a title on each line"
_RUN_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+\s+[-+.\deE]+\s+\S+")
_QRELS_LINE = re.compile(r"\S+\s+(?:Q?0|\d+)\s+\S+\s+-?\d+")


def typed_topics(text: str, known: Iterable[str]) -> tuple[bytes, bool]:
    """Return typed topics as the content of a topic file, and whether they got numbers here.

    known: the numbers of the campaign; queries without a number get the whole numbers after the largest of
    them, in the order of the lines. Raises BadFile for lines of a run or of qrels, and where there is none.
    """
    content = text.encode()
    if names_topics(content):
        return content, False
    lines = [
        (line_number, line.strip())
        for line_number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    if not lines:
        raise BadFile(f"{EXPECTED}; found nothing")
    for what, pattern in (("a run", _RUN_LINE), ("qrels", _QRELS_LINE)):
        if all(pattern.fullmatch(line) for _, line in lines):
            raise BadLine(lines[0][0], f"{EXPECTED}; found a line of {what}: load it on its own page")
    number = max((int(number) for number in known if re.fullmatch(r"[0-9]{1,18}", number)), default=0)
    rows = []
    for line_number, line in lines:
        if "\t" in line:
            raise BadLine(
                line_number, "expected a query without a TAB, as in the lines before, found one with a TAB"
            )
        number += 1
        rows.append(f"{number}\t{line}\n")
    return "".join(rows).encode(), True
