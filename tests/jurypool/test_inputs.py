"""A run is the same run in every form, and what a file is refused for is refused in every form."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jurypool as jp
from jurypool.reading import read_qrels, read_run
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run
from tests.metrics.generated import DOCNOS, TOPICS, Judgments, judgments

from .forms import FORMS, LIBRARIES, LINES, available, frame, in_form

HERE = [form for form in FORMS if available(form)]
MEASURES = "AP nDCG@5 bpref RBP(p=0.9) P@5 RR NumRet"
RUN = [("7", "D1", 2.0), ("8", "D1", 1.5), ("7", "D2", 3.0)]
QRELS = [("7", "D1", 1), ("7", "D9", 2), ("8", "D1", 0), ("8", "D2", 1)]
SCORES = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**70), 2**70))
rows_of_runs = st.lists(st.tuples(TOPICS, DOCNOS, SCORES), min_size=1, unique_by=lambda row: (row[0], row[1]))


@pytest.mark.parametrize("of_qrels", FORMS)
@pytest.mark.parametrize("of_run", FORMS)
def test_every_form_gives_the_values_of_the_files(of_run: str, of_qrels: str, tmp_path: Path) -> None:
    for form in (of_run, of_qrels):
        if not available(form):
            pytest.skip(f"{form} is not here")
    run, qrels = in_form(of_run, RUN, tmp_path, "run"), in_form(of_qrels, QRELS, tmp_path, "qrels")
    found = jp.evaluate(run, qrels, MEASURES).to_dict()
    files = in_form("file", RUN, tmp_path, "run"), in_form("file", QRELS, tmp_path, "qrels")
    assert found == jp.evaluate(*files, MEASURES).to_dict()


@given(rows=rows_of_runs, judged=judgments())
def test_any_run_has_the_same_columns_and_values_in_every_form(rows: Any, judged: Judgments) -> None:
    graded = [(topic, docno, grade) for topic, own in judged.items() for docno, grade in own.items()]
    text = "".join(LINES["run"](topic, docno, float(score)) for topic, docno, score in rows)
    parsed = parse_run(text.encode())
    with tempfile.TemporaryDirectory() as folder:
        for form in HERE:
            given = [(t, d, float(score)) for t, d, score in rows] if form in LIBRARIES else rows
            assert _columns(read_run(in_form(form, given, Path(folder), "run"))) == _columns(parsed), form
            qrels = in_form(form, graded, Path(folder), "qrels")
            if form != "file":
                lines = "".join(LINES["qrels"](*row) for row in graded)
                assert _columns(read_qrels(qrels)) == _columns(parse_qrels(lines.encode()))


def _columns(found: Any) -> dict[str, Any]:
    """Return the columns as plain data; scores bit by bit."""
    columns = {name: getattr(found, name, None) for name in ("topics", "offsets", "docnos", "grades")}
    scores = getattr(found, "scores", np.empty(0))
    columns["scores"] = scores.tobytes()
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in columns.items()
    }


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_is_a_plain_or_a_packed_file(
    pack: Callable[[bytes], bytes], kind: type[Any], tmp_path: Path
) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(pack(b"7 Q0 D1 1 1.0 mine\n"))
    result = jp.evaluate(kind(path), {"7": {"D1": 1}}, "AP")
    assert (result.tag, result["AP"].mean) == ("mine", 1.0)


BAD_RUNS: list[tuple[Any, str]] = [
    ({}, "run: expected at least one row of topic, docno, score, found none"),
    ([], "expected at least one run, found none"),
    ({"7": {}}, "run: expected at least one row"),
    (None, "run: expected a path, a mapping, tuples or a data frame, found None of type NoneType"),
    (7, "found 7 of type int"),
    (b"7 Q0 D1 1 1.0 mine", "found b'7 Q0 D1 1 1.0 mine' of type bytes"),
    ({"7": {"D1": math.nan}}, r"run\['7'\]\['D1'\]: expected a finite number as score, found nan"),
    ({"7": {"D1": math.inf}}, "expected a finite number"),
    ({"7": {"D1": 10**400}}, "expected a finite number"),
    ({"7": {"D1": "1.0"}}, r"run\['7'\]\['D1'\]: expected a number as score, found '1.0' of type str"),
    ({"7": {"D1": True}}, "expected a number as score, found True of type bool"),
    ({"7": {"D1": None}}, "expected a number as score, found None"),
    ({"7": {1.5: 1.0}}, r"run\['7'\]\[1.5\]: expected text as docno, found 1.5 of type float"),
    ({None: {"D1": 1.0}}, r"run\[None\]\['D1'\]: expected text as topic, found None of type NoneType"),
    ({"7": {"D 1": 1.0}}, "expected a docno without blanks, found 'D 1'"),
    ({"7": {"": 1.0}}, "expected a docno without blanks, found ''"),
    ({"7": {"D1\n": 1.0}}, "control character 0x0a"),
    ({"7": {"D\x001": 1.0}}, "control character 0x00"),
    ({"7": {"D1\r": 1.0}}, "expected a docno without blanks"),
    ({"7": {"\ud800": 1.0}}, "expected a docno that UTF-8 can hold"),
    ({"7": {"D" * 201: 1.0}}, "expected a docno of at most 200 bytes, found 201"),
    ({"#7": {"D1": 1.0}}, "expected a topic that does not begin with #"),
    ([("7", "D1", 1.0), ("8", "D1", 1.0), ("7", "D1", 2.0)],
     r"run, row 3: expected each document once in a topic, found 'D1' of topic '7' again \(first at .* 1\)"),
    ([("7", "D1", 1.0), ("7", "D2")], r"run, row 2: expected 3 fields \(topic, docno, score\), found 2"),
    ([("7", "D1", 1.0), "7 D2 1.0"], r"run, row 2: expected a tuple \(topic, docno, score\)"),
    ([("7", "D1", 1.0), ("7", "D2", math.nan)], "run, row 2: expected a finite number"),
]  # fmt: skip


@pytest.mark.parametrize(("run", "expected"), BAD_RUNS, ids=lambda value: repr(value)[:40])
def test_a_bad_run_is_refused_with_its_place(run: Any, expected: str) -> None:
    with pytest.raises(jp.Refused, match=expected):
        jp.evaluate(run, {"7": {"D1": 1}}, "AP")


BAD_QRELS: list[tuple[Any, str]] = [
    ({}, "qrels: expected at least one row"),
    ({"7": {}}, r"qrels\['7'\]: expected at least one docno, found none"),
    ({"7": 1}, r"qrels\['7'\]: expected a mapping docno -> ..., found 1 of type int"),
    ({"7": {"D1": 1.5}}, "expected a whole number of at most 9 digits as grade, found 1.5 of type float"),
    ({"7": {"D1": math.nan}}, r"qrels\['7'\]\['D1'\]: expected a grade, found none \(a gap\)"),
    ({"7": {"D1": None}}, r"expected a grade, found none \(a gap\)"),
    ({"7": {"D1": 10**9}}, "expected a whole number of at most 9 digits"),
    ({"7": {"D1": False}}, "expected a whole number"),
    ([("7", "D1", 1), ("7", "D1", 0)], "qrels, row 2: expected each document once in a topic"),
    ([("7", "D1", 1, "a"), ("7", "D2", 0)], "qrels, row 2: expected 4 fields"),
]


@pytest.mark.parametrize(("qrels", "expected"), BAD_QRELS, ids=lambda value: repr(value)[:40])
def test_bad_qrels_are_refused_with_their_place(qrels: Any, expected: str) -> None:
    with pytest.raises(jp.Refused, match=expected):
        jp.evaluate({"7": {"D1": 1.0}}, qrels, "AP")


BAD_FRAMES: list[tuple[dict[str, list[Any]], str]] = [
    (
        {"topic": ["7"], "score": [1.0]},
        r"run: expected a field with the docno \(docno, .*\), found the fields topic, score; choose with",
    ),
    (
        {"topic": ["7"], "qid": ["7"], "docno": ["D"], "score": [1.0]},
        "run: expected one field with the topic, found topic, qid; choose with fields=",
    ),
    (
        {"topic": ["7", "7"], "docno": ["D", "D"], "score": [1.0, 2.0]},
        "run, row 2: expected each document once",
    ),
    ({"topic": [7.5], "docno": ["D"], "score": [1.0]}, "run, row 1: expected text as topic, found 7.5"),
    ({"topic": ["7"], "docno": [None], "score": [1.0]}, "run, row 1: expected text as docno"),
    (
        {"topic": ["7", "7"], "docno": ["D", "E"], "score": [1.0, math.nan]},
        "run, row 2: expected a finite number",
    ),
    ({"topic": ["7"], "docno": ["D"], "score": ["high"]}, "run, row 1: expected a number as score"),
    ({"topic": [], "docno": [], "score": []}, "run: expected at least one row"),
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("columns", "expected"), BAD_FRAMES, ids=lambda value: repr(value)[:40])
def test_a_bad_data_frame_is_refused_with_its_row(
    library: str, columns: dict[str, list[Any]], expected: str
) -> None:
    if not available(library):
        pytest.skip(f"{library} is not here")
    with pytest.raises(jp.Refused, match=expected):
        jp.evaluate(frame(library, columns), {"7": {"D": 1}}, "AP")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_result_frame_of_pyterrier_is_read_by_its_docnos(library: str) -> None:
    if not available(library):
        pytest.skip(f"{library} is not here")
    columns: dict[str, list[Any]] = {
        "qid": ["7", "7"], "docid": [41, 2], "docno": ["D1", "D2"], "rank": [0, 1], "score": [2.5, 1.0],
        "query": ["boats", "boats"],
    }  # fmt: skip
    assert jp.evaluate(frame(library, columns), {"7": {"D2": 1}}, "AP")["AP"].mean == 0.5
    del columns["docno"]
    columns["docid"] = ["D1", "D2"]
    assert jp.evaluate(frame(library, columns), {"7": {"D2": 1}}, "AP")["AP"].mean == 0.5


@pytest.mark.parametrize("library", LIBRARIES)
def test_whole_numbers_of_a_data_frame_are_topics_and_grades(library: str) -> None:
    if not available(library):
        pytest.skip(f"{library} is not here")
    run = frame(library, {"qid": [7, 7, 8], "docno": [11, 12, 11], "score": [3, 2, 1]})
    qrels = frame(library, {"qid": [7, 8], "docno": [12, 11], "label": [1.0, 2.0]})
    assert jp.evaluate(run, qrels, "AP")["AP"].by_topic == {"7": 0.5, "8": 1.0}


ADVICE: list[tuple[dict[str, list[Any]], str]] = [
    ({"topic": [7.0], "docno": ["D"], "score": [1.0]}, r"found 7.0 .*; convert the column, by astype\(int\)"),
    ({"topic": ["7"], "docno": [7.5], "score": [1.0]}, r"found 7.5 .*; convert the column, by astype\(str\)"),
    ({"topic": ["7"], "docno": ["D"], "score": ["1.0"]}, r"by astype\(float\) in pandas or cast\(float\)"),
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("columns", "expected"), ADVICE, ids=lambda value: repr(value)[-20:])
def test_a_column_of_another_type_is_refused_with_the_way_out(
    library: str, columns: dict[str, list[Any]], expected: str
) -> None:
    if not available(library):
        pytest.skip(f"{library} is not here")
    with pytest.raises(jp.Refused, match=expected):
        read_run(frame(library, columns))
    words = frame(library, {"topic": ["7"], "docno": ["D"], "grade": ["1"]})
    with pytest.raises(
        jp.Refused, match=r"row 1: .* found '1' of type str; convert the column, by astype\(int"
    ):
        read_qrels(words)
    decimals = frame(library, {"topic": ["7"], "docno": ["D"], "grade": ["1.0"]})
    with pytest.raises(jp.Refused, match=r"found '1.0' of type str; convert the column, by astype\(float"):
        read_qrels(decimals)


def test_an_object_of_another_library_is_refused_with_the_way_out() -> None:
    class Run:  # of ranx
        def to_dict(self) -> dict[str, dict[str, float]]:
            return {"7": {"D1": 1.0}}

    run: Any = Run()
    with pytest.raises(jp.Refused, match=r"of type Run; hand over what its to_dict\(\) returns$"):
        read_run(run)


def test_a_gap_is_not_to_be_made_a_text() -> None:
    pytest.importorskip("pandas", reason="pandas is not here")
    with pytest.raises(jp.Refused, match="row 1: expected text as docno, found nan of type float$"):
        read_run(frame("pandas", {"topic": ["7", "7"], "docno": [math.nan, "D"], "score": [1.0, 2.0]}))


def test_topics_that_lost_their_zeros_are_shown_beside_those_of_the_qrels() -> None:
    expected = r"found none \(the run's first is '1', the first of the qrels '001'\)"
    with pytest.raises(jp.Refused, match=expected):
        jp.evaluate([(1, "D", 1.0)], {"001": {"D": 1}}, "AP")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_data_frame_is_read_in_parts(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not available(library):
        pytest.skip(f"{library} is not here")
    rows = 40_000
    columns: dict[str, list[Any]] = {
        "topic": [f"{row // 1000}" for row in range(rows)],
        "docno": [f"D{'x' * (row % 7)}{row}" for row in range(rows)],
        "score": [row / 7 for row in range(rows)],
    }
    whole, run = read_run(zip(*columns.values(), strict=True)), frame(library, columns)
    monkeypatch.setattr("jurypool.tables.ROWS_AT_ONCE", 1009)
    read_run(run)  # imports what the library needs
    tracemalloc.start()
    found = read_run(run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert _columns(found) == _columns(whole)
    assert peak < 100 * rows  # bytes; the text of docnos alone takes 60 as Python objects
    del columns["score"]
    columns |= {"score": [1.5] * (rows - 1) + [math.nan]}
    with pytest.raises(jp.Refused, match="row 40000: expected a finite number as score, found nan"):
        read_run(frame(library, columns))


def test_a_parquet_file_is_read_as_its_table(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not here")
    from pyarrow.parquet import write_table

    for name, rows, value in (("run", RUN, "score"), ("qrels", QRELS, "grade")):
        columns = dict(zip(("topic", "docno", value), map(list, zip(*rows, strict=True)), strict=True))
        write_table(frame("arrow", columns), tmp_path / name)
    found = jp.evaluate(tmp_path / "run", tmp_path / "qrels", "AP")
    assert found["AP"].by_topic == jp.evaluate(RUN, QRELS, "AP")["AP"].by_topic


def test_a_bad_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_text("7 Q0 D1 1 1.0 mine\n7 Q0 D1 2 0.5 mine\n")
    with pytest.raises(jp.BadLine, match=r"bad\.run, line 2: expected each document once"):
        jp.evaluate(path, {"7": {"D1": 1}}, "AP")
    with pytest.raises(jp.BadFile, match=r"absent: expected a file that can be read"):
        jp.evaluate(tmp_path / "absent", {"7": {"D1": 1}}, "AP")


def test_several_runs_have_names_of_their_own(tmp_path: Path) -> None:
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text("7 Q0 D1 1 1.0 same\n")
    paths = [tmp_path / "a.run", tmp_path / "b.run"]
    qrels = {"7": {"D1": 1}}
    assert list(jp.evaluate(paths, qrels, "AP")) == ["a.run", "b.run"]
    assert list(jp.evaluate(paths[:1], qrels, "AP")) == ["same"]
    assert list(jp.evaluate({"x": paths[0], "y": {"7": {"D1": 1.0}}}, qrels, "AP")) == ["x", "y"]
    assert list(jp.evaluate([{"7": {"D1": 1.0}}, [("7", "D1", 1.0)]], qrels, "AP")) == ["run 1", "run 2"]
    with pytest.raises(jp.Refused, match=r"found 'a.run' twice: give name -> run"):
        jp.evaluate([paths[0], paths[0]], qrels, "AP")
    with pytest.raises(jp.Refused, match="expected text as the name of a run, found 1"):
        jp.evaluate({1: paths[0]}, qrels, "AP")  # type: ignore[arg-type]
    with pytest.raises(jp.Refused, match=r"y\['7'\]\['D1'\]: expected a finite number"):
        jp.evaluate({"x": paths[0], "y": {"7": {"D1": math.nan}}}, qrels, "AP")
