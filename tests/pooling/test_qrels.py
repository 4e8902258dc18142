"""Qrels are read exactly, and refused with the line and what was expected."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats import qrels as module
from pooling.formats.files import BadFile, BadLine
from pooling.formats.qrels import Qrels, parse_qrels

GOOD = b"1 0 a 1\n1 0 b 0\n2 0 a -1\n"
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=30)


def rows(qrels: Qrels) -> list[tuple[str, bytes, bytes, int]]:
    names = [qrels.topics[code] for code in qrels.topic_of_rows()]
    return list(
        zip(names, qrels.iterations.tolist(), qrels.docnos.tolist(), qrels.grades.tolist(), strict=True)
    )


def test_columns_are_grouped_by_topic() -> None:
    qrels = parse_qrels(b"2 0 x 1\n1 0.5  y 2\n2\t0\tz\t-1\n")
    assert rows(qrels) == [("2", b"0", b"x", 1), ("2", b"0", b"z", -1), ("1", b"0.5", b"y", 2)]


@given(st.dictionaries(st.tuples(NAMES, NAMES, NAMES), st.integers(-(10**9) + 1, 10**9 - 1), min_size=1))
def test_fast_and_careful_readers_agree(judged: dict[tuple[str, str, str], int]) -> None:
    lines = [f"{topic} {group} {docno} {grade}\n" for (topic, group, docno), grade in judged.items()]
    content = "".join(lines).encode()
    found = parse_qrels(content, by_iteration=True, comments=False)
    with patch.object(module, "blocks", return_value=[None]):  # every line is looked at by itself
        assert rows(found) == rows(parse_qrels(content, by_iteration=True, comments=False))
    assert {(t, i.decode(), d.decode()): grade for t, i, d, grade in rows(found)} == judged


def test_the_fast_reader_takes_ordinary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(module, "Judgments")
    for content in (
        GOOD,
        GOOD.replace(b" ", b"\t"),
        GOOD.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + GOOD[:-1],
    ):
        assert rows(parse_qrels(content)) == [
            ("1", b"0", b"a", 1),
            ("1", b"0", b"b", 0),
            ("2", b"0", b"a", -1),
        ]


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"1 0 a 1\n1 0 b\n", 2, "expected 4 fields"),
        (b"1 0 a 1 x\n", 1, "found 5"),
        (b"1 0 a x\n", 1, "found 'x'"),
        (b"1 0 a 1.9\n", 1, "found '1.9'"),
        (b"1 0 a 1234567890\n", 1, "whole number"),
        (b"1 0 a 1\n1 0 b 1\n1 1 a 1\n", 3, "again (first on line 1)"),
        (b"1 0 a 1\n1 0 \xff 1\n", 2, "UTF-8"),
        (b"1 0 " + b"d" * 201 + b" 1\n", 1, "at most 200 bytes"),
        (b"1 0 a 1" + b" " * 10_000_000 + b"\n", 1, "at most 4,096 bytes"),
    ],
)
def test_a_bad_line_is_named_with_what_was_expected(content: bytes, line: int, expected: str) -> None:
    with pytest.raises(BadLine) as caught:
        parse_qrels(content, "my.qrels")
    assert caught.value.line == line
    assert expected in str(caught.value)


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(BadFile, match="empty file"):
        parse_qrels(b"")


def test_a_document_is_judged_once_in_each_iteration_where_that_is_asked() -> None:
    twice = b"1 0 a 1\n1 1 a 0\n"
    assert rows(parse_qrels(twice, by_iteration=True)) == [("1", b"0", b"a", 1), ("1", b"1", b"a", 0)]
    with pytest.raises(BadLine, match="line 3"):
        parse_qrels(twice + b"1 1 a 0\n", by_iteration=True)


@given(st.binary(max_size=60).map(lambda junk: GOOD + junk))
def test_any_bytes_give_qrels_or_name_the_fault(content: bytes) -> None:
    try:
        assert parse_qrels(content).topics[:2] == ("1", "2")
    except BadFile as fault:
        assert str(fault)


@pytest.mark.parametrize("grade", [b"0000000001", b"-0000000000000001", b"9999999999", b"+0123456789"])
def test_a_grade_of_ten_digits_is_refused_by_the_fast_reader_as_by_the_careful_one(grade: bytes) -> None:
    content = b"1 0 a 1\n1 0 b " + grade + b"\n"
    with pytest.raises(BadLine) as found:
        parse_qrels(content)
    assert found.value.line == 2 and "9 digits" in str(found.value)
    with patch.object(module, "blocks", return_value=[None]), pytest.raises(BadLine) as careful:
        parse_qrels(content)
    assert str(careful.value) == str(found.value)


def test_a_grade_of_nine_digits_may_begin_with_zeros() -> None:
    assert parse_qrels(b"1 0 a 000000001\n").grades.tolist() == [1]
