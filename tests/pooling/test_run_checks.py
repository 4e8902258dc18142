from __future__ import annotations

import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.arrays import Docnos, Flags
from pooling.formats import runs
from pooling.formats.run_checks import (
    MAX_ERRORS_SHOWN,
    MAX_MALFORMED_LINES,
    RunRefused,
    RunRequirements,
    check_run_file,
    tag_from_name,
)
from tests.metrics.shared_data import DATA, needs

EXPECTED = RunRequirements(frozenset({"1", "2"}), depth=3)


def refusal(content: bytes, expected: RunRequirements = EXPECTED) -> RunRefused:
    with pytest.raises(RunRefused) as refused:
        check_run_file(content, expected, "a.run")
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
        (8, "more than 3 documents for topic 1"),
    ]
    assert found.errors[0].text == "1 Q0 B 2 8"
    assert str(found).startswith("a.run, line 2: expected 6 fields")


def test_a_file_full_of_errors_shows_the_first_and_counts_the_rest() -> None:
    found = refusal(b"1 Q0 A 1 9\n" * (MAX_ERRORS_SHOWN + 30))
    assert (len(found.errors), found.more) == (MAX_ERRORS_SHOWN, 30)


def plain_errors(lines: list[bytes], expected: RunRequirements) -> list[tuple[int, str]]:
    """The errors of a file, by a plain loop over its lines: (line, first word of what is wrong)."""
    found: list[tuple[int, str]] = []
    seen: dict[tuple[bytes, bytes], int] = {}
    counts: dict[bytes, int] = {}
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 6 or not fields[4].isdigit():
            found.append((number, "expected"))
            continue
        topic, docno = fields[0], fields[2]
        counts[topic] = counts.get(topic, 0) + 1
        if topic.decode() not in expected.topics and counts[topic] == 1:
            found.append((number, "topic"))
        if seen.setdefault((topic, docno), number) != number:
            found.append((number, "docno"))
        if counts[topic] == expected.depth + 1:
            found.append((number, "more"))
    return sorted(found)


LINES = st.builds(
    lambda topic, docno, score, rest: b" ".join([topic, b"Q0", docno, b"1", score, *rest]),
    st.sampled_from([b"1", b"2", b"31"]),
    st.sampled_from([b"a", b"b", b"c", b"d", b"a" * 9, b"a" * 17]),
    st.sampled_from([b"1", b"2", b"x"]),
    st.sampled_from([[b"t"], [b"t"], [b"t"], [], [b"t", b"u"]]),
)


@given(st.lists(LINES | st.just(b""), min_size=1, max_size=60).filter(any), st.sampled_from([1, 60, 1 << 12]))
def test_errors_are_those_of_a_plain_loop(lines: list[bytes], few: int) -> None:
    wanted = plain_errors(lines, EXPECTED)
    try:
        with patch.object(runs, "LINE_BY_LINE_BYTES", few):
            check_run_file(b"\n".join(lines) + b"\n", EXPECTED)
    except RunRefused as refused:
        found = sorted((error.line or 0, error.what.split()[0]) for error in refused.errors)
        assert len(wanted) == len(refused.errors) + refused.more
        assert (
            found == wanted
            if not refused.more
            else [line for line, _ in found] == [line for line, _ in wanted[:MAX_ERRORS_SHOWN]]
        )
    else:
        assert not wanted


@pytest.mark.parametrize("score", [b"1e-46", b"-4e38"])
def test_scores_outside_32_bits_are_a_warning(score: bytes) -> None:
    _, warnings = check_run_file(b"1 Q0 A 1 %s t\n" % score, EXPECTED)
    assert warnings[0].what == "1 scores are outside the range of 32-bit numbers"
    _, warnings = check_run_file(b"1 Q0 A 1 1e-44 t\n1 Q0 B 2 0 t\n", EXPECTED)
    assert not any("32-bit" in warning.what for warning in warnings)


def test_a_topic_that_the_campaign_lacks_is_named_once_with_its_lines() -> None:
    found = refusal(b"".join(b"31 Q0 D%d 1 9 t\n" % row for row in range(3)))
    assert [(error.line, error.what) for error in found.errors] == [(1, "topic 31 is not in this campaign")]
    assert "3 lines name this one" in found.errors[0].wish


def test_a_file_that_is_no_run_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"a\n" * (MAX_MALFORMED_LINES * 20)
    found = refusal(content)
    assert (len(found.errors), found.more, found.cut) == (
        MAX_ERRORS_SHOWN,
        MAX_MALFORMED_LINES - MAX_ERRORS_SHOWN,
        True,
    )
    assert not refusal(b"a\n" * 100).cut


@pytest.mark.parametrize("wrong", [b"1 Q0 D 1 9\n", b"7 Q0 d-00000000 1 9 t\n", b"7 Q0 last 1 9 t\n"])
def test_a_refused_run_takes_less_than_three_times_its_file(wrong: bytes) -> None:
    lines = 300_000
    content = (
        b"".join(b"7 Q0 d-%08d %d %d.5 tag-of-a-run\n" % (n, n, lines - n) for n in range(lines)) + wrong
    )
    expected = RunRequirements(frozenset({"7"}), depth=lines if b"last" in wrong else lines * 2)
    tracemalloc.start()
    try:
        found = refusal(content, expected)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.errors[0].line == lines + 1
    assert peak + len(content) < 3 * len(content)


def test_an_empty_file_is_refused_as_a_whole() -> None:
    found = refusal(b"")
    assert found.line is None
    assert "empty" in found.errors[0].what


def test_a_docno_outside_the_collection_is_found_where_the_collection_is_known() -> None:
    def held(docnos: Docnos) -> Flags:
        return np.array([docno.startswith(b"D") for docno in docnos.tolist()])

    content = b"1 Q0 D1 1 9 t\n1 Q0 X1 2 8 t\n"
    assert check_run_file(content, EXPECTED)[0].docnos.tolist() == [b"D1", b"X1"]
    found = refusal(content, RunRequirements(EXPECTED.topics, 3, held))
    assert [(error.line, error.what) for error in found.errors] == [(2, "docno X1 is not in the collection")]


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("covidex.r3.t5_lr", "covidex.r3.t5_lr"),
        ("covidex.r3.t5_lr.txt.gz", "covidex.r3.t5_lr"),
        ("runs/bm25.v1.run", "bm25.v1"),
        ("PL2c1.0.GZ", "PL2c1.0"),
        ("my run.trec", "my_run"),
        (".gz", ".gz"),
    ],
)
def test_only_known_endings_are_left_out_of_a_tag_that_a_file_name_gives(name: str, tag: str) -> None:
    assert tag_from_name(name) == tag


@needs("trec-covid-round1")
def test_every_run_of_a_real_round_has_a_tag_of_its_own() -> None:
    names = [path.name for path in (DATA / "trec-covid-round1/runs").glob("*.gz")]
    assert len({tag_from_name(name) for name in names}) == len(names) > 0
    assert {tag_from_name(name) for name in names} == {name.removesuffix(".gz") for name in names}


def warnings(content: bytes, name: str = "t.run") -> list[str]:
    return [finding.what for finding in check_run_file(content, EXPECTED, name)[1]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 Q0 A 1 9 t\n1 Q0 B 2 8 t\n2 Q0 A 1 1 t\n", []),
        (
            b"1 Q0 A 2 9 t\n1 Q0 B 1 8 t\n2 Q0 A 1 1 t\n",
            ["the rank column contradicts the scores on 1 line"],
        ),
        (b"1 Q0 B 2 8 t\n1 Q0 A 1 9 t\n2 Q0 A 1 1 t\n", []),  # lines in any order, ranks and scores at one
        (b"1 Q0 A 0 9 t\n1 Q0 B 0 8 t\n2 Q0 A 0 1 t\n", ["every rank is 0"]),
        (b"1 Q0 A 1 9 t\n2 Q0 B 2 8 t\n  ", []),  # blanks behind the last line end
        (b"1 Q0 A 1 9 t\n2 Q0 B 2 8 t\n \t ", []),
        (b"1 Q0 A x 9 t\n2 Q0 B 2 8 t\n", ["the rank column holds something that is not a number"]),
        (b"1 Q0 A 1 9 t\n1 Q0 B 2 9 t\n2 Q0 A 1 1 t\n", ["all scores are equal in 1 of 2 topics (1)"]),
        (b"1 Q0 A 1 9 t\n", ["no line for 1 of 2 topics (2)"]),
    ],
)
def test_what_is_odd_is_remarked(content: bytes, said: list[str]) -> None:
    assert warnings(content) == said


def test_the_contradiction_names_its_first_line() -> None:
    content = b"1 Q0 A 1 9 t\n1 Q0 B 2 8 t\n2 Q0 A 1 1 t\n2 Q0 B 2 3 t\n"
    _, (found,) = check_run_file(content, EXPECTED, "t.run")
    assert found.line == 4
    in_turns = b"1 Q0 A 1 9 t\n2 Q0 A 1 1 t\n1 Q0 B 2 8 t\n2 Q0 B 2 3 t\n"  # topics that take turns
    assert [finding.line for finding in check_run_file(in_turns, EXPECTED, "t.run")[1]] == [4]
