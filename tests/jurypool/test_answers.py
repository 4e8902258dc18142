"""Answer runs in the library: every form, packed files, refusals by line, and what a notebook shows."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

import jurypool as jp
from tests.assess.answers.files import GOOD, answer_file

FORMS = {"rag": "rag", "rag-2024": "rag-2024", "rag-2026": "rag-2026", "report": "report", "scores": "report"}


@pytest.mark.parametrize("written", FORMS)
def test_every_form_is_read_from_a_path_and_from_bytes(written: str, tmp_path: Path) -> None:
    content = answer_file(GOOD, written)
    path = tmp_path / "one.jsonl"
    path.write_bytes(content)
    sources: list[Path | str | bytes] = [path, str(path), content, gzip.compress(content)]
    for source in sources:
        run = jp.read_answers(source)
        assert (run.tag, run.form) == ("one", FORMS[written])
        assert run.group == ("" if written == "rag-2024" else "harbour")
        assert {
            topic: [(each.text, list(each.citations)) for each in run[topic].sentences] for topic in run
        } == {topic: [(text, list(cited)) for text, cited in sentences] for topic, sentences in GOOD.items()}
        assert (run["1"].references, run["1"].cited, run["1"].line) == (("D1", "D2"), ["D1", "D2"], 1)
        assert run["1"].sentences[1].scores == ((100.0, 99.0) if written == "scores" else ())


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_are_read(pack: object, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl.packed"
    path.write_bytes(pack(answer_file()))  # type: ignore[operator]
    assert list(jp.read_answers(path)) == ["1", "2"]


def test_the_form_can_be_named() -> None:
    assert jp.read_answers(answer_file(form="rag"), "rag-2026").form == "rag-2026"
    with pytest.raises(jp.Refused, match="expected answers as in RAG 2026, found reports"):
        jp.read_answers(answer_file(form="report"), form="rag-2026")
    with pytest.raises(jp.Refused, match=r"expected a form \(rag, rag-2024, rag-2026, report\) or None"):
        jp.read_answers(answer_file(), form="trec")


BAD = {
    b"{": "expected one JSON object on the line",
    answer_file({"1": GOOD["1"]}): "topic 1 again, first on line 1",
    answer_file({"3": [("", [])]}): "sentence 1: expected text, found none",
    answer_file({"3": GOOD["1"]}, tag="two"): "expected one run_id in the whole file",
    answer_file({"3": [("A.", ["D1", "D1"])]}): "sentence 1: D1 is cited twice",
    answer_file({"3": [("A.", ["D1"])]}).replace(b'"citations": [0]', b'"citations": [1]'): "out of range",
}


@pytest.mark.parametrize(("line", "message"), BAD.items())
def test_a_refusal_names_the_file_and_the_line(line: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(answer_file() + line)
    with pytest.raises(jp.BadFile, match=f"bad.jsonl, line 3: .*{message}") as caught:
        jp.read_answers(path)
    assert isinstance(caught.value, jp.Refused) and caught.value.line == 3
    with pytest.raises(jp.Refused, match=f"answers, line 3: .*{message}"):
        jp.read_answers(answer_file() + line)


def test_a_refusal_has_every_error() -> None:
    with pytest.raises(jp.BadFile) as caught:
        jp.read_answers(answer_file() + b"{\n[]\n")
    assert [error.line for error in caught.value.errors] == [3, 4]  # type: ignore[attr-defined]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(jp.Refused, match="expected a path or bytes, found 7 of type int"):
        jp.read_answers(7)  # type: ignore[arg-type]
    with pytest.raises(jp.Refused, match="expected a file that can be read"):
        jp.read_answers(tmp_path / "none.jsonl")
    with pytest.raises(jp.Refused, match="found an empty file"):
        jp.read_answers(b"")


def test_answers_are_shown_as_text_table_and_plain_data() -> None:
    run = jp.read_answers(answer_file(GOOD, "scores"))
    assert repr(run).splitlines() == [
        "topic  sentences  words  citations  references",
        "1              2      7          3           2",
        "2              1      2          0           0",
        "(one, of harbour, reports (RAGTIME, NeuCLIR, DRAGUN), 2 answers)",
    ]
    assert run._repr_html_().count("<tr>") == 3
    plain = json.loads(json.dumps(run.to_dict()))
    assert plain["answers"]["1"]["sentences"][1] == {
        "text": "They carry people and goods.", "citations": ["D1", "D2"], "scores": [100.0, 99.0],
    }  # fmt: skip
    frame = pytest.importorskip("pandas") and run.to_pandas()
    assert list(frame["topic"]) == ["1", "1", "2"] and list(frame["citations"])[1] == ["D1", "D2"]


def test_a_long_run_is_cut_in_a_notebook() -> None:
    run = jp.read_answers(answer_file({str(number): [("One.", [])] for number in range(1, 31)}))
    assert len(repr(run).splitlines()) == 22 and repr(run).endswith("30 answers, 10 not shown)")
    hostile = jp.read_answers(answer_file({"<b>": [("One.", [])]}))
    assert "<b>" not in hostile._repr_html_()


def test_the_reader_needs_no_django() -> None:
    code = "import jurypool, sys; jurypool.read_answers; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
