"""`python -m metrics.evaluate` prints what was asked, and says what it cannot do."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from metrics.cli import main
from metrics.measures.registry import KINDS

QRELS = "1 0 a 2\n1 0 b 0\n2 0 c 1\n2 0 d 1\n"
RUN = "1 Q0 b 1 2 my_tag\n1 Q0 a 2 1 my_tag\n2 Q0 c 1 9 my_tag\n9 Q0 c 1 9 my_tag\n"
OTHER = "1 Q0 a 1 2 other\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder with qrels, two runs (one packed), subtopics and sampled judgments."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("my_run").write_text(RUN)
    Path("other.gz").write_bytes(gzip.compress(OTHER.encode()))
    Path("subtopics").write_text("1 1 a 1\n1 2 a 1\n1 2 b 1\n2 1 c 1\n")
    Path("prels").write_text("1 0 a 1 1\n1 0 b 1 0\n1 0 z 2 -1\n2 0 c 1 1\n")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    return output.err


def test_a_table_has_runs_down_and_measures_across(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "--qrels", "qrels", "--measures", "AP RBP(p=0.5) NumRelRet", "my_run", "other.gz")
    assert out.splitlines() == [
        "run         AP  RBP(p=0.5)  NumRelRet",
        "my_run  0.5000      0.2500          2",
        "other   0.5000      0.2500          1",
        "(profile trec_eval-9; a topic that a run lacks scores 0; relevant from grade 1; 2 topics)",
    ]


def test_every_topic_stands_before_the_mean(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "--qrels", "qrels", "--measures", "P@1", "--by-topic", "my_run")
    assert [line.split() for line in out.splitlines()[:-1]] == [
        ["run", "topic", "P@1"],
        ["my_run", "1", "0.0000"],
        ["my_run", "2", "1.0000"],
        ["my_run", "all", "0.5000"],
    ]


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_separated_values_have_every_digit(
    files: Path, capsys: pytest.CaptureFixture[str], form: str, delimiter: str
) -> None:
    names = "nDCG(dcg='exp-log2')@2 INST(T=2.0, max_rel=2) num_q"
    out = printed(capsys, "--qrels", "qrels", "--measures", names, "--format", form, "my_run")
    rows = list(csv.reader(io.StringIO(out), delimiter=delimiter))
    assert rows[0] == ["run", "topic", "measure", "value", "profile", "missing", "relevant_from"]
    assert [row[2] for row in rows[1:]] == ["nDCG(dcg='exp-log2')@2", "INST(T=2.0, max_rel=2)", "NumQ"]
    assert rows[1][:2] == ["my_run", "all"]
    assert float(rows[1][3]) == pytest.approx((0.6309297535714575 + 0.6131471927654584) / 2, abs=1e-15)
    assert rows[3][3:] == ["2", "trec_eval-9", "all", "1"]


def test_json_holds_the_setting_the_means_and_the_topics(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--qrels", "qrels", "--measures", "AP", "--measures", "P@1", "--profile", "trec_eval-10")
    out = printed(
        capsys, *arguments, "--missing", "intersection", "--format", "json", "--by-topic", "other.gz"
    )
    assert json.loads(out) == {
        "profile": "trec_eval-10",
        "missing": "intersection",
        "relevant_from": 1,
        "measures": ["AP", "P@1"],
        "runs": [
            {
                "run": "other",
                "tag": "other",
                "topics_scored": 1,
                "means": {"AP": 1.0, "P@1": 1.0},
                "topics": {"1": {"AP": 1.0, "P@1": 1.0}},
            }
        ],
    }


def test_latex_escapes_what_latex_reads(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "--qrels", "qrels", "--measures", "alpha_DCG@2", "--format", "latex", "my_run")
    assert r"Run & alpha\_DCG@2 \\" in out
    assert r"my\_run & " in out
    assert out.splitlines()[1] == r"\begin{tabular}{lr}"
    assert out.endswith("\\bottomrule\n\\end{tabular}\n")


def test_topics_in_one_file_only_are_noted(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--qrels", "qrels", "--measures", "AP", "my_run", "other.gz"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "note: grades above 1 occur; AP counts documents as relevant from grade 1 (see --relevance)",
        "note: my_run: left out: 1 topic of the run that the qrels do not have",
        "note: other.gz: 1 of 2 topics of the qrels are not in the run; they score 0",
    ]


@pytest.mark.parametrize(
    "options", ["--measures AP --relevance 1", "--measures AP(rel=2)", "--measures nDCG"]
)
def test_a_threshold_that_is_named_or_not_read_needs_no_note(
    files: Path, capsys: pytest.CaptureFixture[str], options: str
) -> None:
    assert main(["--qrels", "qrels", *options.split(), "my_run"]) == 0
    assert "grades above 1" not in capsys.readouterr().err


def test_every_format_names_the_threshold(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ("--qrels", "qrels", "--measures", "AP", "--relevance", "2", "my_run", "--format")
    assert "relevant from grade 2" in printed(capsys, *call, "table")
    assert "relevant from grade 2" in printed(capsys, *call, "latex")
    assert json.loads(printed(capsys, *call, "json"))["relevant_from"] == 2
    for form in ("csv", "tsv"):
        head, line = printed(capsys, *call, form).splitlines()
        assert (head[-13:], line[-1]) == ("relevant_from", "2")


def test_a_run_without_a_judged_document_is_noted(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("endings").write_text("1 Q0 a.txt 1 2 t\n2 Q0 c.txt 1 9 t\n")
    assert main(["--qrels", "qrels", "--measures", "nDCG", "endings"]) == 0
    assert capsys.readouterr().err == "note: endings: no document of this run is in the qrels\n"


@pytest.mark.parametrize("scores", [("1e-46", "1e-50"), ("3e39", "4e38"), ("0.30000001", "0.3")])
def test_an_order_that_32_bits_lose_is_noted(
    files: Path, capsys: pytest.CaptureFixture[str], scores: tuple[str, str]
) -> None:
    Path("likelihoods").write_text("1 Q0 a 1 {} t\n1 Q0 b 2 {} t\n2 Q0 c 1 0 t\n".format(*scores))
    call = ["--qrels", "qrels", "--measures", "nDCG", "likelihoods"]
    assert main(call) == 0
    assert "note: likelihoods: 1 documents have different scores that are equal" in capsys.readouterr().err
    assert main([*call, "--profile", "trec_eval-10"]) == 0
    assert capsys.readouterr().err == ""


def test_a_mark_and_a_blank_line_from_joined_files_change_nothing(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark, call = "\ufeff", ("--measures", "AP", "--by-topic", "--format", "csv", "my_run")
    plain = printed(capsys, "--qrels", "qrels", *call)
    Path("my_run").write_text(mark + RUN.replace("\n2", f"\n{mark}2") + "\n")
    Path("marked").write_text(mark + QRELS.replace("\n2", f"\n{mark}2") + f"\n{mark}# end\n")
    assert printed(capsys, "--qrels", "marked", *call) == plain


def test_subtopics_are_read_when_a_measure_needs_them(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, "--qrels", "subtopics", "--measures", "StRecall@1", "--format", "csv", "my_run")
    assert [row.split(",")[3] for row in out.splitlines()[1:]] == ["0.75"]


@pytest.mark.parametrize("beside", ["", "alpha_nDCG@20 ", "AP_avgjg "])
def test_a_measure_of_documents_has_one_answer_whatever_is_asked_beside_it(
    files: Path, capsys: pytest.CaptureFixture[str], beside: str
) -> None:
    call = ("--measures", beside + "nDCG@20", "--format", "csv", "my_run", "--qrels")
    assert "subtopics, line 2: expected each document once in a topic" in refused(capsys, *call, "subtopics")
    assert printed(capsys, *call, "qrels").splitlines()[-1].startswith("my_run,all,nDCG@20,0.62203")


def test_sampled_judgments_are_read_when_a_measure_needs_them(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, "--qrels", "prels", "--measures", "infNDCG xinfAP", "--by-topic", "my_run")
    assert out.splitlines()[2].split() == ["my_run", "2", "1.0000", "1.0000"]


def test_judges_and_preferences_are_read_when_a_measure_needs_them(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, "--qrels", "subtopics", "--measures", "AP_avgjg", "--format", "csv", "my_run")
    # topic 1: judge 1 finds a relevant, at rank 2; judge 2 both; topic 2: only judge 1 has an opinion
    assert out.splitlines()[1].split(",")[:4] == ["my_run", "all", "AP_avgjg", "0.875"]
    Path("prefs").write_text("1 0 0 a 2\n1 0 0 b 1\n")
    out = printed(capsys, "--qrels", "prefs", "--measures", "prefs_simp", "--format", "csv", "my_run")
    assert out.splitlines()[1].split(",")[:4] == ["my_run", "all", "prefs_simp", "0.0"]


def test_the_size_of_the_collection_is_an_option(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--qrels", "qrels", "--measures", "Fallout", "--format", "csv", "my_run")
    assert "my_run,all,Fallout,0.125," in printed(capsys, *arguments, "--collection-size", "5")
    assert "Fallout counts documents that were not retrieved: expected --collection-size" in refused(
        capsys, *arguments
    )


def test_runs_of_the_same_name_are_called_by_their_path(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("old").mkdir()
    Path("old/my_run").write_text(RUN)
    out = printed(capsys, "--qrels", "qrels", "--measures", "AP", "my_run", "old/my_run")
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["my_run", "old/my_run"]


def test_a_run_is_read_from_standard_input_and_called_by_its_tag(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert "my_tag  0.5000" in printed(capsys, "--qrels", "qrels", "--measures", "AP", "-")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--measures AP my_run", "expected --qrels"),
        ("--qrels qrels my_run", "expected --measures"),
        ("--qrels qrels --measures AP", "at least one run file"),
        ("--qrels - --measures AP -", "standard input (-) once"),
        ("--qrels qrels --measures nDGC@10 my_run", "did you mean nDCG@10?"),
        ("--qrels qrels --measures BPM my_run", "BPM needs a cut-off, such as BPM@10"),
        ("--qrels qrels --measures RBP(p=2) my_run", "expected a number from 0 to 0.999999"),
        ("--qrels qrels --measures ERR(max_rel=5000000000) my_run", "from 1 to 1e+09"),
        ("--qrels qrels --measures FBeta(beta=inf) my_run", "from 0 to 1e+06"),
        ("--qrels qrels --measures SDCG@99999999 my_run", "a cut-off of at most 1,000,000"),
        ("--qrels qrels --measures alpha_DCG@99999999 my_run", "a cut-off of at most 1,000,000"),
        ("--qrels qrels --measures RBP(q=2) my_run", "no parameter 'q' (known: p, rel, max_rel)"),
        ("--qrels qrels --measures nDCG(dcg='x')@3 my_run", "'log2' or 'exp-log2' or 'jk-log2'"),
        ("--qrels qrels --measures SDCG(max_rel='a')@3 my_run", "expected a whole number"),
        ("--qrels qrels --measures SDCG(min_rel=2,max_rel=2)@3 my_run", "max_rel above min_rel"),
        ("--qrels qrels --measures prefs_simp my_run", "qrels, line 1: expected 5 fields"),
        ("--qrels qrels --measures prefs_simp\tAP my_run", "judgments of one form"),
        ("--qrels qrels --measures xinfAP my_run", "qrels, line 1: expected 5 fields"),
        ("--qrels prels --measures AP my_run", "prels, line 1: expected 4 fields"),
        ("--qrels subtopics --measures AP my_run", "subtopics, line 2: expected each document once"),
        ("--qrels qrels --measures AP qrels", "qrels, line 1: expected 6 fields"),
        ("--qrels qrels --measures AP nowhere", "nowhere: expected a file that can be read"),
        ("--qrels qrels --measures AP --relevance -1 my_run", "expected a grade of 0 or more"),
        ("--qrels qrels --measures ERR_IA@5\txinfAP my_run", "judgments of one form"),
    ],
)
def test_what_cannot_be_done_is_told(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: str, expected: str
) -> None:
    assert expected in refused(capsys, *arguments.split(" "))


def test_a_run_without_a_topic_of_the_qrels_is_refused(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("stray").write_text("77 Q0 a 1 1 t\n")
    error = refused(capsys, "--qrels", "qrels", "--measures", "AP", "stray")
    assert "stray: expected topics of the qrels, found none (the run's first is '77'" in error


def test_the_list_names_every_measure(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "--list")
    assert len([line for line in out.splitlines() if not line.startswith(" ")]) == len(KINDS)
    assert "RBP(p=0.8, rel=, max_rel=)[@k]\n" in out


def test_the_command_runs_as_a_module_without_django(files: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    code = (
        "import sys, runpy; sys.argv = ['evaluate', *sys.argv[1:]]\n"
        "try: runpy.run_module('metrics.evaluate', run_name='__main__')\n"
        "except SystemExit as end: assert not end.code and 'django' not in sys.modules\n"
    )
    command = [sys.executable, "-c", code, "--qrels", "qrels", "--measures", "AP", "my_run"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(root)}, check=True)
    assert "0.5000" in done.stdout
    helped = subprocess.run(
        [sys.executable, "-m", "metrics.evaluate", "--help"],
        capture_output=True, text=True, cwd=root, check=True,
    )  # fmt: skip
    assert "Score retrieval runs" in helped.stdout
