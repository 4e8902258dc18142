"""Tables, JSON and lines of runs and judgments: every row is taken or named, whatever the form."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pooling.formats.files import BadFile, unpack
from pooling.formats.qrels import judgment_file
from pooling.formats.run_checks import RunRefused, RunRequirements, check_run_file
from pooling.formats.runs import parse_run
from pooling.intake.fields import DOCNO, GRADE, SCORE, TOPIC, Names

WORDS = st.text("abcXYZ0189-_.:é日", min_size=1, max_size=10)
TOPICS = st.sampled_from(["101", "102", "MB03"])
SEPARATED = {"CSV": ",", "semicolons": ";", "TSV": "\t", "bars": "|"}
FORMS = ["TREC", *SEPARATED, "JSON rows", "JSON mapping", "JSON Lines"]
Row = tuple[str, str, str]
WRONG_NUMBER = "2.5x"


class Given(NamedTuple):
    """A file and its rows. wrong: positions of the rows that no reader can take. gaps: of rows without a
    number. form: of the file."""

    content: bytes
    rows: list[Row]
    wrong: list[int]
    gaps: list[int]
    form: str


def names(steps: Names) -> st.SearchStrategy[str]:
    return st.sampled_from([name for step in steps[:1] for name in step]).flatmap(
        lambda name: st.sampled_from([name, name.upper(), name.replace("_", "-"), name.replace("_", " ")])
    )


@st.composite
def files(
    draw: st.DrawFn, number: Names, numbers: st.SearchStrategy[str], trec: str, may_lack: bool
) -> Given:
    """Rows (topic, docno, number) in a file. trec: a line of its form. may_lack: a number may be missing."""
    pairs = draw(st.lists(st.tuples(TOPICS, WORDS), min_size=1, max_size=12, unique=True))
    form = draw(st.sampled_from(FORMS))
    kinds = st.sampled_from(["good"] * 12 + ["wrong"] + ["gap"] * (may_lack and form not in FORMS[:1]))
    kind_of = [draw(kinds) for _ in pairs]
    if form == "JSON mapping":
        kind_of = ["good" for _ in pairs]
    values = {"wrong": WRONG_NUMBER, "gap": ""}
    rows = [
        (*pair, values[kind] if kind in values else draw(numbers))
        for pair, kind in zip(pairs, kind_of, strict=True)
    ]
    head = [draw(names(TOPIC)), draw(names(DOCNO)), draw(names(number)), "remark"]
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = text_of(form, rows, head, trec, end, draw(st.booleans()))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    content = text.encode(encoding)
    content = gzip.compress(content) if draw(st.booleans()) else content
    positions = {kind: [at for at, own in enumerate(kind_of) if own == kind] for kind in ("wrong", "gap")}
    return Given(content, rows, positions["wrong"], positions["gap"], form)


def text_of(form: str, rows: list[Row], head: list[str], trec: str, end: str, with_blank_end: bool) -> str:
    """Write rows in a form. with_blank_end: a blank line follows."""
    lines: list[str] = []
    if form == "TREC":
        lines = [trec.format(*row) for row in rows]
    elif form in SEPARATED:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=SEPARATED[form], lineterminator="\n")
        writer.writerows([head, *((*row, "seen, twice") for row in rows)])
        lines = out.getvalue().splitlines()
    elif form == "JSON mapping":
        scores: dict[str, dict[str, float]] = {}
        for topic, docno, value in rows:
            scores.setdefault(topic, {})[docno] = float(value)
        lines = [json.dumps(scores, ensure_ascii=False)]
    else:
        objects = [dict(zip(head, (*row, "seen"), strict=True)) for row in rows]
        lines = [json.dumps(own, ensure_ascii=False) for own in objects]
        lines = lines if form == "JSON Lines" else [f"[{', '.join(lines)}]"]
    return end.join([*lines, "", ""] if with_blank_end else [*lines, ""])


def places(text: str) -> int:
    """Return how many rows a message counts or names."""
    return int(match[1]) if (match := re.search(r"(\d+) rows? ha", text)) else 1


def every_row_is_taken_or_named(given: Given, read: Callable[[bytes], tuple[set[Any], list[str]]]) -> None:
    """Rows taken and rows counted in notes are the rows given; else the first wrong row is named."""
    content = unpack(given.content, "some.file")
    try:
        taken, notes = read(content)
    except BadFile as error:
        assert given.wrong or len(given.gaps) == len(given.rows), error
        text = str(error)
        if given.wrong:
            assert WRONG_NUMBER in text
            at = given.wrong[0] + 1
            at += given.form in SEPARATED  # the line of the header
            assert re.search(rf"\b(line|row) {1 if given.form == 'JSON mapping' else at}\b", text), text
        return
    assert not given.wrong
    left_out = sum(places(note) for note in notes if "left out" in note)
    assert len(taken) + left_out == len(given.rows)
    assert taken == {
        (topic, docno, float(value))
        for at, (topic, docno, value) in enumerate(given.rows)
        if at not in given.gaps
    }
    if given.form in SEPARATED or given.form in ("JSON rows", "JSON Lines"):
        assert "not read: remark" in " ".join(notes)


NUMBERS = st.floats(-1e6, 1e6).map(repr)
GRADES = st.integers(-2, 9).map(str) | st.integers(0, 4).map(lambda grade: f"{grade}.0")
runs = files(SCORE, NUMBERS, "{} Q0 {} 1 {} tag", may_lack=False)
qrels = files(GRADE, GRADES, "{} 0 {} {}", may_lack=True)


def read_run(content: bytes) -> tuple[set[Any], list[str]]:
    run = parse_run(content, "some.file")
    topics = [run.topics[index] for index in run.topic_of_rows()]
    docnos = [docno.decode() for docno in run.docnos.tolist()]
    return set(zip(topics, docnos, run.scores.tolist(), strict=True)), list(run.notes)


def read_upload(content: bytes) -> tuple[set[Any], list[str]]:
    expected = RunRequirements(frozenset(["101", "102", "MB03"]), 1000)
    try:
        run, warnings = check_run_file(content, expected, "some.file")
    except RunRefused as error:
        found = error.errors[0]
        place = f"line {found.line}: " if found.line else ""
        raise BadFile(f"{place}{found.what} {found.text}") from error
    topics = [run.topics[index] for index in run.topic_of_rows()]
    docnos = [docno.decode() for docno in run.docnos.tolist()]
    return set(zip(topics, docnos, run.scores.tolist(), strict=True)), [each.what for each in warnings]


def read_judgments(content: bytes) -> tuple[set[Any], list[str]]:
    file = judgment_file(content, "some.file")
    return {(row.topic, row.docno, float(row.grade)) for row in file.records}, file.notes


CASES = pytest.mark.parametrize(
    ("made", "read"),
    [(runs, read_run), (runs, read_upload), (qrels, read_judgments)],
    ids=["run", "uploaded run", "judgments"],
)


def check(made: st.SearchStrategy[Given], read: Any, examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(made)
    def hand_in(file: Given) -> None:
        every_row_is_taken_or_named(file, read)

    hand_in()


@CASES
def test_every_row_is_taken_or_named(made: st.SearchStrategy[Given], read: Any) -> None:
    check(made, read, 40)


@pytest.mark.slow
@CASES
def test_every_row_of_many_files_is_taken_or_named(made: st.SearchStrategy[Given], read: Any) -> None:
    check(made, read, 400)
