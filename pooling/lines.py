"""One line of a file of columns, looked at with care: for when something is wrong with it."""

from __future__ import annotations

import re

from .columns import LONGEST_FIELD, LONGEST_LINE
from .textfile import BadLine


def checked_fields(line: bytes, number: int, name: str) -> list[bytes]:
    """Return one line's fields; raises BadLine for what no line of a columns file may hold."""
    line = line.removesuffix(b"\r")
    if len(line) > LONGEST_LINE:
        raise BadLine(number, f"expected at most {LONGEST_LINE:,} bytes, found {len(line):,}", name)
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise BadLine(
            number, f"expected UTF-8 text, found the byte 0x{line[error.start]:02x}", name
        ) from error
    control = next((code for code in line if (code < 32 and code != 9) or code == 127), None)
    if control is not None:
        raise BadLine(number, f"expected text, found the control character 0x{control:02x}", name)
    return re.split(rb"[ \t]+", stripped) if (stripped := line.strip(b" \t")) else []


def checked_name(field: bytes, kind: str, number: int, name: str) -> bytes:
    """Return a topic or docno; raises BadLine when it is longer than LONGEST_FIELD bytes."""
    if len(field) > LONGEST_FIELD:
        raise BadLine(
            number, f"expected a {kind} of at most {LONGEST_FIELD} bytes, found {len(field):,}", name
        )
    return field
