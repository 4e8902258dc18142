"""Sampled judgments are read exactly, and refused with the line and what was expected."""

from __future__ import annotations

import pytest

from pooling.formats.files import BadFile, BadLine
from pooling.formats.qrels import parse_prels

GOOD = b"2 0 x 1 -1\n1 0 y 2 1\r\n2\t0  z\t1\t0\n"


def test_columns_are_grouped_by_topic_and_keep_the_stratum() -> None:
    prels = parse_prels(b"\xef\xbb\xbf" + GOOD)
    assert prels.topics == ("2", "1")
    assert prels.docnos.tolist() == [b"x", b"z", b"y"]
    assert prels.grades.tolist() == [-1, 0, 1]
    assert prels.strata is not None
    assert prels.strata.tolist() == [b"1", b"1", b"2"]


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (GOOD + b"1 0 a 1\n", 4, "expected 5 fields (topic 0 docno stratum grade), found 4"),
        (GOOD + b"1 0 a 1 0 x\n", 4, "found 6"),
        (GOOD + b"1 0 a 1 0.5\n", 4, "found '0.5'"),
        (GOOD + b"1 0 y 1 0\n", 4, "again (first on line 2)"),
        (GOOD + b"1 0 \xff 1 0\n", 4, "UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_what_was_expected(content: bytes, line: int, expected: str) -> None:
    with pytest.raises(BadLine) as caught:
        parse_prels(content, "my.prels")
    assert caught.value.line == line
    assert expected in str(caught.value)


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(BadFile, match="empty file"):
        parse_prels(b"")
