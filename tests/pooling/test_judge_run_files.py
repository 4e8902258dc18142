"""Files of runs of machine judges: what is read, what is refused with its line, and what is warned of."""

from __future__ import annotations

import pytest

from pooling.formats.judge_runs import JudgeRunRequirements, check_judge_run, parse_judge_run
from pooling.formats.run_checks import RunRefused

EXPECTED = JudgeRunRequirements([0, 1, 2, 3], {"1": {"D1", "D2"}, "2": {"D1"}})
GOOD = b"1 Q0 D1 3 0.9 llm-a\n1\tQ0\tD2\t0\t1\tllm-a\n\n# a comment\n2 Q0 D1 2 .5 llm-a"


def test_columns_of_a_file() -> None:
    read, warnings = check_judge_run(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"), EXPECTED)
    assert read.tag == "llm-a" and warnings == []
    assert (read.topics, read.docnos) == (["1", "1", "2"], ["D1", "D2", "D1"])
    assert read.grades.tolist() == [3, 0, 2] and read.confidences.tolist() == [0.9, 1.0, 0.5]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"1 0 D1 3", "expected 6 fields, found 4"),
        (b"1 Q0 D1 high 1 llm-a", "expected a whole number of at most 9 digits as label, found 'high'"),
        (b"1 Q0 D1 5 1 llm-a", "expected a grade of the scale 0, 1, 2, 3 as label, found 5"),
        (b"1 Q0 D1 -1 1 llm-a", "expected a grade of the scale 0, 1, 2, 3 as label, found -1"),
        (b"1 Q0 D1 3 1.01 llm-a", "expected a confidence from 0 to 1"),
        (b"1 Q0 D1 3 nan llm-a", "expected a confidence from 0 to 1"),
        (b"1 Q0 D1 3 -0 llm-a", "expected a confidence from 0 to 1"),
        (b"1 Q0 D1 3 1 other", "expected one tag in the whole file, found 'other'"),
        (b"1 Q0 D2 3 1 llm-a", "docno D2 again in topic 1, first on line 1"),
        (b"9 Q0 D1 3 1 llm-a", "topic 9 is not in this campaign"),
        (b"1 Q0 D1 3 1 a/b", "expected a tag of 1 to 120 characters"),
        (b"1 Q0 D\xff 3 1 llm-a", "expected UTF-8 text, found the byte 0xff"),
    ],
)
def test_an_error_names_its_line(line: bytes, expected: str) -> None:
    with pytest.raises(RunRefused) as refused:
        check_judge_run(b"1 Q0 D2 0 1 llm-a\n" + line + b"\n2 Q0 D1 1 1 llm-a\n", EXPECTED, "a.txt")
    (error,) = refused.value.errors
    assert error.line == 2 and expected in error.what


def test_every_error_is_listed_up_to_a_limit() -> None:
    with pytest.raises(RunRefused) as refused:
        check_judge_run(b"1 Q0 D1 7 1 llm-a\n" * 80, EXPECTED)
    assert [error.line for error in refused.value.errors[:3]] == [1, 2, 2]
    assert (len(refused.value.errors), refused.value.more) == (50, 80 + 79 - 50)


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(RunRefused, match="found an empty file"):
        parse_judge_run(b"\n# nothing\n")


def test_documents_in_no_pool_and_missing_ones_are_warnings() -> None:
    _, warnings = check_judge_run(b"1 Q0 D1 3 1 a\n1 Q0 D9 3 1 a\n", EXPECTED)
    assert [warning.what for warning in warnings] == [
        "1 of 2 documents are in no pool, such as D9 of topic 1",
        "2 of 3 pooled documents have no label",
        "every label is 3",
    ]
