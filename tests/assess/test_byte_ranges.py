from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.byte_ranges import ByteRange, FilePart, Unsatisfiable, parse_range


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("bytes=0-499", ByteRange(0, 500)),  # the examples of RFC 9110, 14.1.2, for 10,000 bytes
        ("bytes=500-999", ByteRange(500, 1000)),
        ("bytes=-500", ByteRange(9500, 10000)),
        ("bytes=9500-", ByteRange(9500, 10000)),
        ("bytes=0-0", ByteRange(0, 1)),
        ("bytes=0-99999", ByteRange(0, 10000)),
        ("bytes=-99999", ByteRange(0, 10000)),
        ("bytes=0-0,-1", None),
        ("bytes=5-4", None),
        ("bytes=-", None),
        ("lines=1-2", None),
        ("bytes=" + "9" * 40 + "-", None),
        ("", None),
    ],
)
def test_what_a_header_asks_for(header: str, span: ByteRange | None) -> None:
    assert parse_range(header, 10_000) == span


@pytest.mark.parametrize(("header", "size"), [("bytes=10-", 10), ("bytes=0-", 0), ("bytes=-0", 10)])
def test_behind_the_end_there_is_nothing(header: str, size: int) -> None:
    with pytest.raises(Unsatisfiable):
        parse_range(header, size)


@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_part_is_the_slice_and_closes_its_file(content: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content) - 1))
    stop = data.draw(st.integers(start, len(content) + 5))
    span = parse_range(f"bytes={start}-{stop}", len(content))
    assert span
    part = FilePart(BytesIO(content), span)
    assert b"".join(part) == content[start : stop + 1]
    part.close()
    assert part.file.closed
