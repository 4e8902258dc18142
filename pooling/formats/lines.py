"""One line of a file of columns, looked at with care: for when something is wrong with it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from pooling.formats.columns import BOM
from pooling.formats.files import BadLine
from pooling.formats.limits import LONGEST_NAME, LONGEST_ROW


def has_comment(text: bytes | memoryview) -> bool:
    """Tell whether a line of the text begins with `#`."""
    content = bytes(text)
    return content.startswith(b"#") or b"\n#" in content


def without_comments(content: bytes) -> bytes:
    """Return the content without the lines that begin with `#`."""
    if not has_comment(content):
        return content
    return b"\n".join(line for line in content.split(b"\n") if not line.startswith(b"#"))


def numbered_lines(
    content: bytes, name: str = "", comments: bool = True
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield (line number from 1, fields) of every line; no fields for a blank one. Raises BadLine.

    The rule for judgments of every format: lines that begin with `#` are comments, as in trec_eval 10, and
    are left out, though they count as lines; callers skip blank lines. No topic number begins with `#`
    (`trec.topics`), so that no judgment is mistaken for a comment. comments: False to yield such lines too.
    """
    # one line at a time: a list of millions of tiny lines would take twenty times the file
    for number, line in enumerate(io.BytesIO(content.removeprefix(BOM)), start=1):
        if not line.endswith(b"\n") and not line.strip(b" \t\r"):
            return  # what stands behind the last line end
        if not (comments and line.startswith(b"#")):
            yield number, checked_fields(line.removesuffix(b"\n"), number, name)


def checked_fields(line: bytes, number: int, name: str) -> list[bytes]:
    """Return one line's fields; raises BadLine for what no line of a columns file may hold."""
    line = line.removesuffix(b"\r")
    if len(line) > LONGEST_ROW:
        raise BadLine(number, f"expected at most {LONGEST_ROW:,} bytes, found {len(line):,}", name)
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
    """Return a topic or docno; raises BadLine when it is longer than LONGEST_NAME bytes."""
    if len(field) > LONGEST_NAME:
        raise BadLine(
            number, f"expected a {kind} of at most {LONGEST_NAME} bytes, found {len(field):,}", name
        )
    return field
