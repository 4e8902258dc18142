"""Whatever is handed in is read, or refused with the error that its reader declares; nothing else happens."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.formats.qrels import parse_prels
from pooling.formats.run_header import read_header
from pooling.scale import Grade, parse_scale, write_scale
from tests.fuzz.readers import READERS, check_storable, folder_of
from tests.test_architecture import DJANGO_ROOMS, MODULES, ROOT

FOUND = sorted(path for path in (ROOT / "tests/fuzz/found").rglob("*") if path.is_file())
ARCHIVES = sorted(path.relative_to(ROOT) for path in (ROOT / "config/archives").glob("*.py"))
BEGINNINGS = (
    "parse_",
    "read_",
    "unpack",
    "open_unpacked",
    "open_archive",
    "archive_files",
    "check_run_file",
    "check_judge_run",
    "check_answers",
)
COVERED = {  # readers that another reader of the registry calls, and one of a header, not of a file
    "accounts.mail.read_switch_off_token",  # signed by Django, and tried in tests/assess/test_mailings.py
    "assess.byte_ranges.parse_range",
    "assess.machines.responses.read_completion",
    "assess.endpoints.read_endpoints",  # the environment
    "assess.endpoints.read_private_places",  # the environment
    "assess.machines.http_client.read_json",
    "metrics.measures.names.parse_measure",
    "metrics.trec_eval.cli.read_index",
    "metrics.trec_eval.options.read_options",
    "metrics.trec_eval.cli.read_zscores",
    "metrics.cli.read_arguments",
    "metrics.engine.reading.read_index",
    "metrics.worked_example.parse_grades",
    "metrics.ab_tests.outcomes.parse_outcomes",  # a field of a form
    "pooling.formats.run_columns.unpack_columns",
    "pooling.intake.fields.parse_choices",  # an option of a command
    "pooling.intake.options.parse_words",  # an option of a command
    "pooling.intake.tables.read_table",
    "pooling.formats.files.open_unpacked",
    "pooling.formats.documents.pages.read_page",
}


def readers_of_the_house() -> Iterator[str]:
    """Yield the dotted name of every public function of a pure module, or of an archive, that reads."""
    for path in [*MODULES, *ARCHIVES]:
        if {*path.parts[1:-1], path.stem} & DJANGO_ROOMS:
            continue
        for node in ast.parse((ROOT / path).read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith(BEGINNINGS):
                yield ".".join([*path.with_suffix("").parts, node.name])


def test_every_reader_of_the_house_is_tried() -> None:
    known = {reader.function for reader in READERS.values()}
    there = set(readers_of_the_house())
    assert there - known - COVERED == set(), "give it an entry in tests/fuzz/readers.py"
    assert there >= COVERED
    assert known - there <= {
        "assess.forms.judging.parse_payload",
        "pooling.manifest.pool_plan_of",
        "pooling.formats.files.decode",
        "pooling.formats.qrels.judgment_file",
    }


def tried(name: str, content: bytes) -> None:
    reader = READERS[name]
    try:
        check_storable(reader.read(content))
    except reader.refuses as error:
        assert 0 < len(str(error)) < 20_000


@pytest.mark.parametrize("name", READERS)
def test_a_good_file_is_read(name: str) -> None:
    read = 0
    for seed in READERS[name].seeds:
        try:
            READERS[name].read(seed)
            read += 1
        except READERS[name].refuses:
            assert name.startswith(
                ("collection", "documents", "run of")
            )  # which are shown the files of all forms
    assert read


PIECES = [
    b"\0", b"\xff", b"\n", b"\r", b"\t", b" ", b'"', b"<", b">", b"&#0;", b"\\ud800", b"{", b"[", b"}", b"]",
    b"#",
    b"9" * 400, b"1e400", b"-1", b"nan", b"=", b":", b"|", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"[" * 5000,
    "\u2028\u0663".encode(), b"charset=a\0", b"null",
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, name: str) -> bytes:
    """Any bytes, or a good file with pieces put in and bytes taken out."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.binary(max_size=200))
    content = draw(st.sampled_from(READERS[name].seeds))
    for _ in range(draw(st.integers(1, 4))):
        at, gone = draw(st.integers(0, len(content))), draw(st.integers(0, 5))
        content = content[:at] + draw(st.sampled_from([b"", *PIECES])) + content[at + gone :]
    return content


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_read_or_refused(name: str) -> None:
    @settings(max_examples=40)
    @given(damaged(name))
    def ask(content: bytes) -> None:
        tried(name, content)

    ask()


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_fuzzing_found_stays_found(path: Path) -> None:
    names = {folder_of(name): name for name in READERS}
    tried(names[path.parent.name], path.read_bytes())


words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
sentences = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"], exclude_characters="|"), max_size=20)
sentences = sentences.map(lambda text: " ".join(text.split()))


topic_numbers = words.filter(lambda word: not word.startswith("#"))  # which marks a comment


@given(st.dictionaries(st.tuples(topic_numbers, words), st.tuples(words, st.integers(-1, 9)), min_size=1))
def test_prels_that_were_written_are_read_again(written: dict[tuple[str, str], tuple[str, int]]) -> None:
    lines = [f"{topic} 0 {docno} {stratum} {grade}" for (topic, docno), (stratum, grade) in written.items()]
    read = parse_prels("\n".join(lines).encode())
    assert read.strata is not None
    rows = zip(read.docnos.tolist(), read.strata.tolist(), read.grades.tolist(), strict=True)
    spread = [
        topic for topic, count in zip(read.topics, np.diff(read.offsets), strict=True) for _ in range(count)
    ]
    assert {
        (topic, docno.decode()): (stratum.decode(), grade)
        for topic, (docno, stratum, grade) in zip(spread, rows, strict=True)
    } == written


STEPS = st.tuples(sentences.filter(bool), sentences, st.integers(0, 50), sentences)


@given(st.lists(STEPS, min_size=2, max_size=10))
def test_a_scale_that_was_written_is_read_again(steps: list[tuple[str, str, int, str]]) -> None:
    scale = tuple(Grade(value, *step) for value, step in enumerate(steps))
    assert parse_scale(write_scale(scale)) == scale


@given(sentences, sentences, st.sampled_from(["true", "false", ""]))
def test_a_header_that_was_written_is_read_again(team: str, goal: str, automatic: str) -> None:
    said = {
        "actor": {"team": team},
        "method": {"automatic": automatic},
        "research goal": {"description": goal},
    }
    lines = yaml.safe_dump(said, allow_unicode=True, default_style='"').splitlines()
    content = "\n".join(["# ir_metadata.start", *(f"# {line}" for line in lines), "# ir_metadata.end", "x"])
    header, body = read_header(content.encode())
    kind = {"true": "automatic", "false": "manual", "": ""}[automatic]
    nothing = ("~", "null")
    assert body == b"x" and header.kind == kind
    assert header.group == (team if team.lower() not in nothing else "")
    assert header.description == (goal if goal.lower() not in nothing else "")
