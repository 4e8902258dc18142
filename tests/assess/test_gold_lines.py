from __future__ import annotations

import pytest

from assess.gold_lines import read_gold_lines
from pooling.formats.files import BadFile


def test_lines_keep_their_numbers_and_their_reasons() -> None:
    content = "﻿# graded by Ines\n\n1 D1 3\n  1\tD/2:x  0   Says it, twice.  \r\n".encode()
    assert [tuple(line) for line in read_gold_lines(content)] == [
        (3, "1", "D1", 3, ""),
        (4, "1", "D/2:x", 0, "Says it, twice."),
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"1 D1", "line 1: expected topic, docno and grade, and an optional reason, found 2 fields"),
        (b"\n1 D1 high", "line 2: expected a grade, a whole number, found 'high'"),
        (b"1 D1 -1", "line 1: expected a grade"),
        ("1 D1 ٣".encode(), "line 1: expected a grade"),
        (b"1 D1 1\n2 D1 1\n1 D1 2 again", "line 3: D1 of topic 1 is already on line 1"),
        (b"1 " + b"D" * 201 + b" 1", "line 1: expected a docno of at most 200 characters"),
        (b"1 D1 1 " + b"w" * 2_001, "line 1: expected at most 2,000 characters in the reason, found 2,001"),
        (b"1 D\x001 1", "line 1: expected text, found a NUL character"),
        (b"1 D1 1\n\xff", "line 2: expected UTF-8 text"),
        (b"", "expected lines of topic, docno and grade, and an optional reason, found none"),
        (b"# nothing\n", "found none"),
    ],
)
def test_a_line_that_cannot_be_taken_is_named_with_what_was_expected(content: bytes, expected: str) -> None:
    with pytest.raises(BadFile) as refusal:
        read_gold_lines(content, "gold.txt")
    assert expected in str(refusal.value) and "gold.txt" in str(refusal.value)
