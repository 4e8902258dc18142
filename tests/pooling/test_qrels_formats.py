"""Judgments are read from every form of qrels, and a file that cannot be taken is named with its line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.files import BadFile, BadLine
from pooling.formats.qrels import JudgmentRecord, judgment_file
from tests.metrics.shared_data import BUNDLED, DATA, needs
from tests.pooling.files import TINY, spoiled

EXPECTED = {
    "qrels-trec.txt": [("1", "d1", 2, 1), ("1", "d2", -1, 2), ("2", "d1", 0, 5)],
    "qrels-beir.tsv": [("q1", "d1", 1, 2), ("q1", "d2", 0, 3)],
    "qrels-ntcir.txt": [("0001", "d1", 0, 1), ("0001", "d2", 3, 2), ("0002", "d1", 1, 3)],
    "qrels-ntcir-4.txt": [("0001", "d1", 0, 1), ("0001", "d2", 3, 2)],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_form_of_qrels_is_read(name: str) -> None:
    assert judgment_file((TINY / name).read_bytes(), name).records == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_line_ends_and_a_byte_order_mark_change_nothing(name: str) -> None:
    content = b"\xef\xbb\xbf" + (TINY / name).read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    assert judgment_file(content).records == EXPECTED[name]


BAD = [
    # content, line, part of the message
    (b"", None, "expected judgments: TREC qrels (topic iteration docno grade), three"),
    (b"\n# only a comment\n", None, "CSV or TSV with a header, or JSON; found none"),
    (b"query-id\tcorpus-id\tscore\n", None, "found none"),
    (b"1 0 d1 1\n1 0 d2\n", 2, "expected 4 fields (topic iteration docno grade), found 3"),
    (b"1 0 d1 1 2\n", 1, "expected 4 fields (topic iteration docno grade), found 5"),
    (b"1 d1 1\n", 1, "expected 4 fields (topic iteration docno grade), found 3"),
    (b"1 0 d1 1.5\n", 1, "expected a whole number of at most 9 digits as grade, found '1.5'"),
    (b"1 0 d1 1\n1 0 d2 L1\n", 2, "expected a whole number of at most 9 digits as grade, found 'L1'"),
    (b"1 0 d1 1_0\n", 1, "expected a whole number of at most 9 digits as grade, found '1_0'"),
    ("1 0 d1 ٣\n".encode(), 1, "expected a whole number of at most 9 digits as grade"),
    (b"1 0 d1 99999999999\n", 1, "expected a whole number of at most 9 digits as grade"),
    (b"query-id corpus-id score\nq1 d1\n", 2, "expected 3 cells, as in the first line, found 2"),
    (
        b"query-id corpus-id score\nq1 d1 0.5\n",
        2,
        "expected a whole number of at most 9 digits as grade, found '0.5'",
    ),
    (b"1 d1 L1\n1 d2 1\n", 2, "expected L and a whole number as grade, found '1'"),
    (b"1 d1 L1\n1 d2\n", 2, "expected 3 fields (topic docno grade), or 4 with an iteration, found 2"),
    (
        b"1 0 d1 1\n\n1 0 d1 2\n",
        3,
        "found 'd1' of '1' again (first on line 1) with grade 2 instead of 1",
    ),
    (b"1 0 d1 1\n1 1 d1 1\n", 2, "found 'd1' of '1' again (first on line 1)"),
    (b"1 0 d\x001 1\n", 1, "expected text, found the control character 0x00"),
    (b"1 0 " + b"d" * 201 + b" 1\n", 1, "expected a docno of at most 200 bytes, found 201"),
    (b"1 0 d1 1\n1 0 d\xe9 1\n", 2, "expected UTF-8 text, found the byte 0xe9"),
]


@pytest.mark.parametrize(("content", "line", "expected"), BAD)
def test_what_is_wrong_with_qrels_is_said_with_its_line(
    content: bytes, line: int | None, expected: str
) -> None:
    with pytest.raises(BadFile) as caught:
        judgment_file(content, "my.qrels")
    assert (caught.value.line, caught.value.name) == (line, "my.qrels")
    assert expected in caught.value.message
    assert isinstance(caught.value, BadLine) == (line is not None)


identifiers = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
pairs = st.dictionaries(st.tuples(identifiers, identifiers), st.integers(-2, 10), min_size=1)
judgments = pairs.map(lambda grades: [(topic, docno, grade) for (topic, docno), grade in grades.items()])


@given(judgments, st.sampled_from([" ", "\t", "  ", " \t"]), st.sampled_from(["0", "Q0", "0.5"]))
def test_trec_qrels_that_were_written_are_read_again(
    written: list[tuple[str, str, int]], gap: str, iteration: str
) -> None:
    # "0" before the topic, so that none begins with #, which marks a comment.
    lines = [gap.join([f"0{topic}", iteration, docno, str(grade)]) for topic, docno, grade in written]
    read = judgment_file("\n".join(lines).encode()).records
    assert read == [(f"0{t}", docno, grade, line) for line, (t, docno, grade) in enumerate(written, start=1)]


@given(judgments)
def test_beir_qrels_that_were_written_are_read_again(written: list[tuple[str, str, int]]) -> None:
    lines = [
        "query-id\tcorpus-id\tscore",
        *(f"0{topic}\t{docno}\t{grade}" for topic, docno, grade in written),
    ]
    read = judgment_file("\n".join(lines).encode()).records
    assert read == [(f"0{t}", docno, grade, line) for line, (t, docno, grade) in enumerate(written, start=2)]


@given(judgments)
def test_ntcir_qrels_that_were_written_are_read_again(written: list[tuple[str, str, int]]) -> None:
    lines = [f"0{topic} {docno} L{abs(grade)}" for topic, docno, grade in written]
    read = judgment_file("\n".join(lines).encode()).records
    assert read == [(f"0{t}", d, abs(grade), line) for line, (t, d, grade) in enumerate(written, start=1)]


PIECES = [
    b"1 ", b"0 ", b"d1 ", b"d2 ", b"2", b"\n", b"\r\n", b"\t", b"L1", b"L2\n", b"-1", b"#", b"\x00",
    b"\xff", b"1 0 d1 1\n", b"query-id\tcorpus-id\tscore\n", b"\xef\xbb\xbf", "\u2028".encode(),
    "\u00a0".encode(), "\u0663".encode(),
]  # fmt: skip


@given(spoiled("qrels", PIECES))
def test_any_bytes_are_judgments_or_refused(content: bytes) -> None:
    try:
        read = judgment_file(content).records
    except BadFile as error:
        assert error.message.startswith("expected ")
    else:
        assert len({(judgment.topic, judgment.docno) for judgment in read}) == len(read) > 0
        assert all(judgment.topic and judgment.docno and abs(judgment.grade) < 10**9 for judgment in read)


def by_topic(read: list[JudgmentRecord]) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for topic, docno, grade, _ in read:
        grades.setdefault(topic, {})[docno] = grade
    return grades


COVID, CRANFIELD, LLM = DATA / "trec-covid-round1", DATA / "cranfield", BUNDLED / "judges-llmjudge-2024"
NIST = BUNDLED / "trec_eval/test"


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        pytest.param(COVID / "qrels-rnd1.txt", {0: 6339, 1: 1115, 2: 1237}, marks=needs("trec-covid-round1")),
        pytest.param(
            CRANFIELD / "qrel.trec", {1: 363, 2: 734, 3: 387, 4: 128, 5: 225}, marks=needs("cranfield")
        ),
        (LLM / "llmjudge_test_qrel_idx.txt", {0: 2005, 1: 1233, 2: 808, 3: 377}),
        (NIST / "qrels.test", {0: 3120, 1: 561}),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_real_qrels_are_those_that_pytrec_eval_reads(path: Path, counts: dict[int, int]) -> None:
    read = judgment_file(path.read_bytes()).records
    with path.open() as file:
        assert by_topic(read) == pytrec_eval.parse_qrel(file)
    assert Counter(judgment.grade for judgment in read) == counts


def test_the_comments_of_trec_eval_10_are_skipped() -> None:
    content = (NIST / "qrels.test.with-comments").read_bytes()
    commented = [number for number, line in enumerate(content.splitlines(), 1) if line.startswith(b"#")]
    read = judgment_file(content).records
    assert commented == [1, 4, 7] and len(read) == 3681
    assert not {judgment.line for judgment in read} & set(commented)


def test_all_33_judges_of_llmjudge_are_read_with_their_grades_off_the_scale() -> None:
    files = sorted((LLM / "scores").glob("*.txt"))
    read = {file.stem: judgment_file(file.read_bytes()).records for file in files}
    assert {len(judgments) for judgments in read.values()} == {4423} and len(read) == 33
    off = Counter((judge, judgment.grade) for judge in read for judgment in read[judge] if judgment.grade > 3)
    assert {grade: count for (_, grade), count in off.items()} == {5: 2, 10: 1}


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"1 184 2\n1 29 2\n1 31 2", 1, "expected 4 fields"),  # as Cranfield's own: query, document, code
        (b"q49\tp3659\t\nq49\tp11027\t\n", 1, "expected 4 fields"),  # pairs that are still to be judged
        ((NIST / "qrels.123").read_bytes(), 3682, "first on line 1"),
    ],
    ids=["codes", "pairs", "judgment groups"],
)
def test_real_files_that_are_no_qrels_are_refused(content: bytes, line: int, expected: str) -> None:
    with pytest.raises(BadLine, match=expected) as caught:
        judgment_file(content)
    assert caught.value.line == line
