"""A run is read exactly, refused with the line and what was expected, and ordered in two named ways."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats import columns, runs
from pooling.formats.files import BadFile, BadLine
from pooling.formats.run_order import pooling_order, scoring_order
from pooling.formats.runs import RunFile, parse_run
from pooling.strategies.rankings import rank_run

GOOD = b"1 Q0 a 1 3.5 tag\n1 Q0 b 2 3 tag\n2 Q0 a 1 -0.25 tag\n"
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=30)
SCORES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=4).map(str),
    st.integers(-(10**17), 10**17).map(str),
    st.sampled_from([".5", "5.", "+1.25", "-0", "1e3", "-2.5E-3", "00012.50", "9007199254740993"]),
)


def same(first: RunFile, second: RunFile) -> bool:
    return (
        (first.tag, first.topics) == (second.tag, second.topics)
        and first.docnos.tolist() == second.docnos.tolist()
        and first.offsets.tolist() == second.offsets.tolist()
        and np.array_equal(first.scores.view(np.int64), second.scores.view(np.int64))
    )


def test_columns_are_grouped_by_topic() -> None:
    run = parse_run(b"2 Q0 x 1 1 t\n1 Q0 y 1 2 t\n2 Q0 z 2 3 last\n")
    assert (run.tag, run.topics, run.offsets.tolist()) == ("last", ("2", "1"), [0, 2, 3])
    assert (run.docnos.tolist(), run.scores.tolist()) == ([b"x", b"z", b"y"], [1.0, 3.0, 2.0])


@given(st.dictionaries(st.tuples(NAMES, NAMES), SCORES, min_size=1), st.sampled_from([b" ", b"\t", b"  \t"]))
def test_fast_and_careful_readers_agree_to_the_last_bit(
    rows: dict[tuple[str, str], str], blank: bytes
) -> None:
    lines = [
        blank.join(word.encode() for word in (topic, "Q0", docno, "1", score, "tag"))
        for (topic, docno), score in rows.items()
    ]
    content = b"\n".join(lines) + b"\n"
    run = parse_run(content)
    with patch.object(columns.BlockSplitter, "split", return_value=None):  # every line is looked at by itself
        assert same(run, parse_run(content))
    found = dict(
        zip(zip(run.topic_of_rows().tolist(), run.docnos.tolist(), strict=True), run.scores, strict=True)
    )
    assert all(found[run.topics.index(t), d.encode()] == float(score) for (t, d), score in rows.items())


def test_the_fast_reader_takes_ordinary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(runs.RunLines, "_add_lines")
    for content in (GOOD, GOOD.replace(b" ", b"\t"), GOOD.replace(b"\n", b"\r\n"), GOOD.replace(b" ", b"  ")):
        assert parse_run(content).docnos.tolist() == [b"a", b"b", b"a"]


def test_only_the_lines_around_a_malformed_one_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "LINE_BY_LINE_BYTES", 100)
    looked_at: list[bytes] = []
    read = runs.RunLines._row

    def row(lines: runs.RunLines, line: bytes, number: int) -> list[runs.RunRow]:
        looked_at.append(line)
        return read(lines, line, number)

    monkeypatch.setattr(runs.RunLines, "_row", row)
    lines = [f"1 Q0 d{row} 1 {1000 - row} t" for row in range(1000)]
    lines[700] += " more"
    with pytest.raises(BadLine, match="found 7"):
        parse_run("\n".join(lines).encode())
    assert len(looked_at) < 10


def test_an_earlier_repeat_is_named_before_a_later_malformed_line() -> None:
    with pytest.raises(BadLine, match=r"again \(first on line 1\)") as caught:
        parse_run(b"1 Q0 a 1 3 t\n2 Q0 b 1 3 t\n1 Q0 a 2 2 t\n1 Q0 c 2 t\n")
    assert caught.value.line == 3


def test_line_numbers_count_lines_that_are_left_out() -> None:
    content = b"# a comment\n1 Q0 a 1 3 t\n\n# another\n1 Q0 b 1 3 t\n1 Q0 a 1 3 t\n"
    with pytest.raises(BadLine, match=r"again \(first on line 2\)") as caught:
        parse_run(content, as_trec_eval=True, comments=True)
    assert caught.value.line == 6


@pytest.mark.parametrize("size", [1, 20, 40, 1000])
def test_blocks_of_any_size_give_the_same_run(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        f"{topic} Q0 {'d' * (topic + row % 9)}{row} 1 {1 / (row + 1):.6f} t"
        for topic in range(7)
        for row in range(30)
    ]
    content = "\n".join(lines).encode()
    whole = parse_run(content)
    monkeypatch.setattr(columns, "BLOCK_BYTES", size)
    assert same(whole, parse_run(content))


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"1 Q0 a 1 3 tag\n1 Q0 b 2 3\n", 2, "expected 6 fields"),
        (b"1 Q0 a 1 3 tag more\n", 1, "found 7"),
        (b"1 Q0 a 1 3 tag\n\n1 Q0 b 2 3\n", 3, "expected 6 fields"),
        (b"1 Q0 a 1 nan tag\n", 1, "finite decimal number as score, found 'nan'"),
        (b"1 Q0 a 1 inf tag\n", 1, "finite"),
        (b"1 Q0 a 1 1e999 tag\n", 1, "finite"),
        (b"1 Q0 a 1 abc tag\n", 1, "'abc'"),
        (b"1 Q0 a 1 12,5 tag\n", 1, "'12,5'"),
        (b"1 Q0 a 1 0x10 tag\n", 1, "'0x10'"),
        (b"1 Q0 a 1 1_0 tag\n", 1, "'1_0'"),
        (b"1 Q0 a 1 . tag\n", 1, "'.'"),
        (b"1 Q0 a 1 - tag\n", 1, "'-'"),
        (b"1 Q0 a 1 1.2.3 tag\n", 1, "'1.2.3'"),
        (b"1 Q0 a 1 1.234567.123456 tag\n", 1, "'1.234567.123456'"),
        (b"1 Q0 a 1 3 tag\n2 Q0 a 1 3 tag\n1 Q0 a 2 2 tag\n", 3, "again (first on line 1)"),
        (b"1 Q0 a 1 3 tag\n1 Q0 \xff 2 2 tag\n", 2, "UTF-8"),
        (b"1 Q0 a\x00b 1 3 tag\n", 1, "control character 0x00"),
        (b"1 Q0 a 1 3 tag\n1 Q0 " + b"d" * 201 + b" 2 2 tag\n", 2, "at most 200 bytes"),
        (b"1 Q0 a 1 3 " + b"t" * 10_000_000 + b"\n", 1, "at most 4,096 bytes, found 10,000,011"),
        (b"x" * 10_000_000, 1, "at most 4,096 bytes"),
    ],
)
def test_a_bad_line_is_named_with_what_was_expected(content: bytes, line: int, expected: str) -> None:
    with pytest.raises(BadLine) as caught:
        parse_run(content, "my.run")
    assert caught.value.line == line
    assert expected in str(caught.value)
    assert str(caught.value).startswith(f"my.run, line {line}: ")


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(content: bytes) -> None:
    with pytest.raises(BadFile, match="empty file"):
        parse_run(content)


def test_a_byte_order_mark_and_crlf_are_accepted() -> None:
    assert same(parse_run(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")), parse_run(GOOD))


def test_what_trec_eval_tolerates_is_taken_when_asked() -> None:
    run = parse_run(b"\n1 Q0 a 1 3 tag more\n\n", as_trec_eval=True)
    assert (run.tag, run.docnos.tolist()) == ("tag", [b"a"])


@given(st.binary(max_size=80).map(lambda junk: GOOD + junk))
def test_any_bytes_give_a_run_or_name_the_fault(content: bytes) -> None:
    try:
        assert parse_run(content).topics[:2] == ("1", "2")
    except BadFile as fault:
        assert str(fault)


def test_scoring_breaks_ties_by_docno_descending_and_pooling_ascending() -> None:
    run = parse_run(b"1 Q0 b 1 2 t\n1 Q0 a 1 2 t\n1 Q0 c 1 9 t\n1 Q0 aa 1 2 t\n2 Q0 z 1 2 t\n")
    assert run.docnos[scoring_order(run)].tolist() == [b"c", b"b", b"aa", b"a", b"z"]
    assert rank_run(run).rankings == {"1": ["c", "a", "aa", "b"], "2": ["z"]}


def test_the_profile_decides_how_precisely_scores_are_compared() -> None:
    run = parse_run(b"1 Q0 a 1 1.00000002 t\n1 Q0 b 2 1.00000001 t\n")
    assert run.docnos[scoring_order(run, "trec_eval-9")].tolist() == [b"b", b"a"]
    assert run.docnos[scoring_order(run, "trec_eval-10")].tolist() == [b"a", b"b"]


ROWS = st.lists(
    st.tuples(st.sampled_from("12"), NAMES, st.integers(0, 3)), min_size=1, unique_by=lambda row: row[:2]
)


@given(ROWS)
def test_both_orders_equal_a_plain_sort(rows: list[tuple[str, str, int]]) -> None:
    run = parse_run("".join(f"{topic} Q0 {docno} 1 {score} t\n" for topic, docno, score in rows).encode())
    for order, turn in ((scoring_order(run), -1), (pooling_order(run), 1)):
        found = [
            (int(t), d, s)
            for t, d, s in zip(run.topic_of_rows()[order], run.docnos[order], run.scores[order], strict=True)
        ]
        wanted = [
            (code, docno, score)
            for code, topic in enumerate(run.topics)
            for score, docno in sorted(
                ((float(s), d.encode()) for t, d, s in rows if t == topic),
                key=lambda row: (-row[0], [turn * byte for byte in row[1]] + [turn * -1]),
            )
        ]
        assert found == wanted
