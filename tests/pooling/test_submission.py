from __future__ import annotations

import numpy as np
import pytest

from pooling.columns import Docnos, Flags
from pooling.runfile import parse_run
from pooling.submission import ERRORS_SHOWN, Expected, Refused, all_warnings, checked_run

EXPECTED = Expected(frozenset({"1", "2"}), depth=3)


def refusal(content: bytes, expected: Expected = EXPECTED) -> Refused:
    with pytest.raises(Refused) as refused:
        checked_run(content, expected, "a.run")
    return refused.value


def test_every_error_is_found_with_its_line_and_text() -> None:
    found = refusal(
        b"1 Q0 A 1 9 t\n"
        b"1 Q0 B 2 8\n"
        b"31 Q0 C 3 7 t\n"
        b"1 Q0 A 4 6 t\n"
        b"2 Q0 D 5 nan t\n"
        b"\n"
        b"1 Q0 E 6 5 t\n1 Q0 F 7 4 t\n1 Q0 G 8 3 t\n"
    )  # fmt: skip
    assert [(error.line, error.what) for error in found.errors] == [
        (2, "expected 6 fields (topic Q0 docno rank score tag), found 5"),
        (3, "topic 31 is not in this campaign"),
        (4, "docno A again in topic 1, first on line 1"),
        (5, "expected a finite decimal number as score, found 'nan'"),
        (6, "expected 6 fields (topic Q0 docno rank score tag), found a blank line"),
        (8, "more than 3 documents for topic 1"),
    ]
    assert found.errors[0].text == "1 Q0 B 2 8"
    assert str(found).startswith("a.run, line 2: expected 6 fields")


def test_a_file_full_of_errors_shows_the_first_and_counts_the_rest() -> None:
    found = refusal(b"1 Q0 A 1 9\n" * (ERRORS_SHOWN + 30))
    assert (len(found.errors), found.more) == (ERRORS_SHOWN, 30)


def test_an_empty_file_is_refused_as_a_whole() -> None:
    found = refusal(b"")
    assert found.line is None
    assert "empty" in found.errors[0].what


def test_a_docno_outside_the_collection_is_found_where_the_collection_is_known() -> None:
    def held(docnos: Docnos) -> Flags:
        return np.array([docno.startswith(b"D") for docno in docnos.tolist()])

    content = b"1 Q0 D1 1 9 t\n1 Q0 X1 2 8 t\n"
    assert checked_run(content, EXPECTED).docnos.tolist() == [b"D1", b"X1"]
    found = refusal(content, Expected(EXPECTED.topics, 3, held))
    assert [(error.line, error.what) for error in found.errors] == [(2, "docno X1 is not in the collection")]


def warnings(content: bytes, name: str = "t.run") -> list[str]:
    return [finding.what for finding in all_warnings(content, parse_run(content), EXPECTED, name)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 Q0 A 1 9 t\n1 Q0 B 2 8 t\n2 Q0 A 1 1 t\n", []),
        (
            b"1 Q0 A 2 9 t\n1 Q0 B 1 8 t\n2 Q0 A 1 1 t\n",
            ["the rank column contradicts the scores on 1 lines"],
        ),
        (b"1 Q0 B 2 8 t\n1 Q0 A 1 9 t\n2 Q0 A 1 1 t\n", []),  # lines in any order, ranks and scores at one
        (b"1 Q0 A 0 9 t\n1 Q0 B 0 8 t\n2 Q0 A 0 1 t\n", ["every rank is 0"]),
        (b"1 Q0 A x 9 t\n2 Q0 B 2 8 t\n", ["the rank column holds something that is not a number"]),
        (b"1 Q0 A 1 9 t\n1 Q0 B 2 9 t\n2 Q0 A 1 1 t\n", ["all scores are equal in 1 of 2 topics (1)"]),
        (b"1 Q0 A 1 9 t\n", ["no line for 1 of 2 topics (2)"]),
    ],
)
def test_what_is_odd_is_remarked(content: bytes, said: list[str]) -> None:
    assert warnings(content) == said


def test_the_contradiction_names_its_first_line() -> None:
    content = b"1 Q0 A 1 9 t\n1 Q0 B 2 8 t\n2 Q0 A 1 1 t\n2 Q0 B 2 3 t\n"
    (found,) = all_warnings(content, parse_run(content), EXPECTED, "t.run")
    assert found.line == 4


def test_a_tag_that_differs_from_the_files_name_is_remarked() -> None:
    content = b"1 Q0 A 1 9 t\n2 Q0 A 1 1 t\n"
    assert warnings(content, "other.run.gz") == ["the tag differs from the file's name"]
    assert warnings(content, "folder/t.run.gz") == []
