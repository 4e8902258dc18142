"""`python -m metrics.trec_eval` prints what trec_eval prints, and ends well where trec_eval does not."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest

from metrics.trec_eval.cli import main

from .shared_data import BUNDLED, DATA, needs

NIST, CRANFIELD, COVID = BUNDLED / "trec_eval", DATA / "cranfield", DATA / "trec-covid-round1"
PROFILES = ("trec_eval-9", "trec_eval-10")
ALL = ["-m", "all_trec"]
PARAMETERS = [
    "-q", "-m", "iprec_at_recall..10,.20,.25,.75,.50", "-m", "P.5,7,3", "-m", "recall.20,2000",
    "-m", "Rprec_mult.5.0,0.2,0.35", "-m", "utility.2,-1,0,0", "-m", "11pt_avg..25,.5,.75",
    "-m", "ndcg.1=3,2=9,4=4.5", "-m", "ndcg_cut.10,20,23.4", "-m", "success.2,5,20",
]  # fmt: skip
CASES = [
    ("out.test", [], "qrels.test", "results.test"),
    ("out.test.a", ALL, "qrels.test", "results.test"),
    ("out.test.aq", [*ALL, "-q"], "qrels.test", "results.test"),
    ("out.test.aqc", [*ALL, "-qc"], "qrels.test", "results.trunc"),
    ("out.test.aqcM", [*ALL, "-q", "-c", "-M100"], "qrels.test", "results.trunc"),
    ("out.test.aql", [*ALL, "-mrelstring.20", "-q", "-l2"], "qrels.rel_level", "results.test"),
    ("out.test.aqZ", [*ALL, "-q", "-Z", "{zscores}"], "qrels.test", "results.test"),
    ("out.test.meas_params", PARAMETERS, "qrels.test", "results.test"),
    ("out.test.qrels_jg", ["-m", "qrels_jg", "-q", "-R", "qrels_jg"], "qrels.123", "results.test"),
    ("out.test.prefs", ["-m", "all_prefs", "-q", "-R", "prefs"], "prefs.test", "prefs.results.test"),
    ("out.test.qrels_prefs", ["-m", "all_prefs", "-q", "-R", "qrels_prefs"], "qrels.test", "results.test"),
]  # fmt: skip


def of_profile(name: str, profile: str) -> Path:
    """The file of a profile: trec_eval 9's where it differs."""
    nine = NIST / "test-9.0.8-expected" / name
    return nine if profile == "trec_eval-9" and nine.exists() else NIST / "test" / name


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("name", "flags", "qrels", "run"), CASES, ids=[case[0] for case in CASES])
def test_every_expected_output_of_trec_eval_comes_out(
    name: str, flags: list[str], qrels: str, run: str, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [flag.format(zscores=of_profile("zscores_file", profile)) for flag in flags]
    test = NIST / "test"
    assert main(["--profile", profile, *flags, str(test / qrels), str(test / run)]) == 0
    assert capsys.readouterr().out == of_profile(name, profile).read_text()


def test_comment_lines_are_taken_by_profile_10_only(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(NIST / "test" / name) for name in ("qrels.comment.test", "results.comment.test.gz")]
    assert main(["--profile", "trec_eval-10", *files]) == 0
    assert capsys.readouterr().out == (NIST / "test/out.comment.test").read_text()
    commented = str(NIST / "test/qrels.test.with-comments")
    assert main([commented, str(NIST / "test/results.test")]) == 2
    assert f"{commented}, line 1: expected 4 fields" in capsys.readouterr().err


def test_a_fault_behind_comments_has_the_line_of_the_file(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[1]).write_text("# one\n" + RUN + "# two\n1 Q0 a 1 1 t\n")
    assert main(["--profile", "trec_eval-10", *files]) == 2
    assert ", line 6: expected each document once in a topic" in (told := capsys.readouterr().err)
    assert "(first on line 2)" in told


@needs("cranfield")
def test_cranfields_fifteen_outputs_come_out(capsys: pytest.CaptureFixture[str]) -> None:
    runs = sorted((CRANFIELD / "runs").glob("*.gz"))
    assert main([str(CRANFIELD / "qrel.trec"), *map(str, runs)]) == 0
    outputs = [
        CRANFIELD / "trec_eval-9.0.7-output" / run.name.replace("results", "metrics").removesuffix(".gz")
        for run in runs
    ]
    assert len(outputs) == 15
    assert capsys.readouterr().out == "".join(output.read_text() for output in outputs)


@needs("trec-covid-round1")
@pytest.mark.parametrize(
    ("profile", "measure", "printed"),
    [
        ("trec_eval-9", "map", "0.0653"),
        ("trec_eval-10", "map", "0.0652"),
        ("trec_eval-9", "P.20", "0.2117"),
        ("trec_eval-10", "P.20", "0.2100"),
        ("trec_eval-9", "ndcg_cut.5", "0.1592"),
        ("trec_eval-10", "ndcg_cut.5", "0.1599"),
    ],
)
def test_the_profiles_differ_where_scores_differ_past_seven_digits(
    profile: str, measure: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(COVID / "qrels-rnd1.txt"), str(COVID / "runs/BERT.gz")]
    main(["--profile", profile, "-c", "-M1000", "-m", measure, *files])
    assert capsys.readouterr().out.split()[-1] == printed


@pytest.mark.parametrize(("profile", "first"), [("trec_eval-9", "0.5000"), ("trec_eval-10", "1.0000")])
def test_scores_that_are_equal_as_32_bit_floats_are_ties_in_nine_only(
    profile: str, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tie is broken by docno, descending; without a tie the relevant document is first."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 10.00000011 t\n1 Q0 b 2 10.0000001 t\n")
    main(["--profile", profile, "-m", "recip_rank", str(tmp_path / "qrels"), str(tmp_path / "run")])
    assert capsys.readouterr().out.split()[-1] == first


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n10 0 z 1\n"
RUN = "1 Q0 a 1 3 tag\n1 Q0 b 2 2 tag\n2 Q0 x 1 1 tag\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def printed(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, ...]]:
    return [tuple(word.strip() for word in line.split("\t")) for line in capsys.readouterr().out.splitlines()]


def test_topics_are_visited_in_byte_order(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["--profile", "trec_eval-10", "-q", "-c", "-m", "map", *files])
    assert [line[1] for line in printed(capsys)] == ["1", "10", "2", "all"]


def test_nine_averages_missing_topics_without_printing_them(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["-q", "-c", "-m", "num_rel", "-m", "map", *files])
    assert printed(capsys) == [
        ("num_rel", "1", "2"),
        ("map", "1", "0.5000"),
        ("num_rel", "2", "1"),
        ("map", "2", "0.0000"),
        ("num_rel", "all", "4"),
        ("map", "all", "0.1667"),
    ]


def test_ten_scores_a_missing_topic_as_one_unjudged_document(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    measures = ["utility", "utility.2,-1,0,0", "rbp_resid", "rbp_resid.p=0.5", "yaap", "unj.5", "num_ret"]
    for measure in measures:
        main(["--profile", "trec_eval-10", "-qcn", "-m", measure, *files])
    values = {name: value for name, topic, value in printed(capsys) if topic == "10"}
    assert values == {
        "utility": "0.0000",
        "utility_2,-1,0,0": "-1.0000",
        "rbp_resid": "0.0000",
        "rbp_resid_p=0.5": "1.0000",
        "yaap": "-0.6931",
        "unj_5": "0.0000",
        "num_ret": "0",
    }


def test_ten_prints_a_missing_topic_as_one_unpooled_document_in_a_relstring_with_a_length(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    values: dict[tuple[str, str], str] = {}
    for profile in PROFILES:
        for measure in ("relstring", "relstring.5"):
            main(["--profile", profile, "-qcn", "-m", measure, *files])
            values |= {(profile, name): value for name, topic, value in printed(capsys) if topic == "10"}
    assert values == {("trec_eval-10", "relstring"): "''", ("trec_eval-10", "relstring_5"): "'-'"}


def test_help_says_where_it_differs_from_trec_eval(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "A docno has at most 200 bytes; trec_eval accepts longer ones." in text
    assert "The total num_rel uses this grade, too; trec_eval counts from grade 1 there" in text


def test_the_first_parameters_of_a_measure_hold(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["-m", "P.5", "-m", "P.10", *files])
    assert [line[0] for line in printed(capsys)] == ["P_5"]


def test_only_one_topic_is_scored_when_asked(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["-q", "-D", "1.1", "-m", "map", "-m", "num_q", *files])
    assert printed(capsys) == [("map", "1", "0.5000"), ("num_q", "all", "1"), ("map", "all", "0.5000")]


def test_packed_files_and_several_runs_are_taken(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(RUN.replace("tag", "packed").encode()))
    main(["-m", "runid", *files, str(packed)])
    assert [line[2] for line in printed(capsys)] == ["tag", "packed"]


def test_a_run_is_read_from_standard_input(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert main(["-m", "map", files[0], "-"]) == 0
    assert printed(capsys) == [("map", "all", "0.2500")]


def test_documents_in_the_collection_give_accuracy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Manning, Raghavan & Schutze, exercise 8.9, with 100 documents: 6 found, 78 rightly left out
    relevant = {1, 2, 9, 11, 15, 20}
    (tmp_path / "qrels").write_text(
        "".join(f"1 0 d{rank:02} 1\n" for rank in relevant) + "1 0 x 1\n1 0 y 1\n"
    )
    (tmp_path / "run").write_text("".join(f"1 Q0 d{rank:02} {rank} {-rank} t\n" for rank in range(1, 21)))
    main(["-N", "100", "-m", "utility.1,0,0,1", str(tmp_path / "qrels"), str(tmp_path / "run")])
    assert printed(capsys) == [("utility_1,0,0,1", "all", "84.0000")]


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["-m", "foo"], 1, "illegal measure 'foo'"),
        (["-m", "mpa"], 1, "did you mean map?"),
        (["-m", "P."], 1, "improper measure in parameter 'P'"),
        (["-m", "unj"], 1, "which trec_eval-9 does not have"),
        (["-m", "P.0"], 2, "positive"),
        (["-m", "P.5,5"], 2, "different"),
        (["-m", "ndcg.5"], 2, "found '5'"),
        (["-m", "utility.1,2"], 2, "four coefficients"),
        (["-R", "foo"], 2, "expected qrels or"),
        (["-m", "P.nan"], 2, "expected a number"),
        (["-m", "P.99999999999999999999"], 2, "at most"),
        (["-m", "relstring.x"], 2, "whole number"),
        (["-m", "ndcg.1=inf"], 2, "expected gains"),
        (["-m", "utility.1,nan,0,0"], 2, "expected a number"),
        (["-m", "rbp.p=1", "--profile", "trec_eval-10"], 4, "between 0 and 1"),
        (["-M", "99999999999999999999"], 1, "whole number"),
        (["-l", "-1"], 1, "0 or more"),
        (["-M", "x"], 1, "whole number"),
        (["--profile", "trec_eval-11"], 1, "trec_eval-9 or trec_eval-10"),
        (["-y"], 1, "Usage"),
        (["-m", "prefs_simp"], 4, "need preferences"),
        (["-m", "map_avgjg"], 4, "need the judges apart"),
    ],
)
def test_wrong_flags_are_told_with_trec_evals_exit_code(
    flags: list[str], code: int, said: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*flags, *files]) == code
    assert said in capsys.readouterr().err


def test_missing_files_and_too_few_files_are_told(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([files[0], "/nowhere/run"]) == 2
    assert "cannot read results file '/nowhere/run'" in capsys.readouterr().err
    assert main(files[:1]) == 1
    assert main(["--help"]) == 0
    assert "Examples:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"1 Q0 a 1 3\n", 1, "expected 6 fields"),
        (b"1 Q0 a 1 3 t\n1 Q0 b 1 nan t\n", 2, "finite decimal number"),
        (b"1 Q0 a 1 3 t\n1 Q0 b 1 abc t\n", 2, "finite decimal number"),
        (b"1 Q0 a 1 3 t\n1 Q0 a 1 2 t\n", 2, "again (first on line 1)"),
        (b"1 Q0 a 1 3 t\n1 Q0 \xff 1 2 t\n", 2, "UTF-8"),
        (b"1 Q0 " + b"d" * 201 + b" 1 2 t\n", 1, "at most 200 bytes"),
        (b"1 Q0 a 1 2 " + b"t" * 10_000_000, 1, "at most 4,096 bytes"),
        (b"", None, "empty file"),
        (gzip.compress(RUN.encode(), mtime=0)[:-9], None, "damaged or cut short"),
    ],
)
def test_a_bad_run_ends_with_file_and_line(
    content: bytes, line: int | None, said: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[1]).write_bytes(content)
    assert main(files) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"trec_eval: {files[1]}" + (f", line {line}: " if line else ": "))
    assert said in told.err


def test_what_trec_eval_takes_without_a_word_is_taken(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(files)
    plain = capsys.readouterr().out
    tolerated = "\ufeff\n" + RUN.replace(" ", "\t  ").replace("tag\n", "tag extra\r\n") + "\n"
    Path(files[1]).write_text(tolerated, newline="")
    assert main(files) == 0
    assert capsys.readouterr().out == plain


def test_a_topic_of_negative_judgments_only_scores_0_with_a_note(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[0]).write_text("1 0 a 1\n2 0 x -1\n")
    assert main(["-q", "-n", "-m", "map", "-m", "iprec_at_recall.0", *files]) == 0
    told = capsys.readouterr()
    assert "note: topic 2 has no judgment of 0 or more" in told.err
    assert told.out.splitlines()[2:] == [
        "map                   \t2\t0.0000",
        "iprec_at_recall_0.00  \t2\t0.0000",
    ]


def test_judged_only_that_leaves_nothing_gives_0_not_nan(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for profile in PROFILES:
        main(["--profile", profile, "-q", "-J", "-m", "all_trec", *files])
        told = capsys.readouterr()
        assert "nan" not in told.out
        assert "nothing is left of topic 2; it scores 0" in told.err


def test_no_topic_in_both_files_is_exit_code_7(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path(files[1]).write_text("9 Q0 a 1 1 t\n")
    assert main(files) == 7
    assert main(["-c", *files]) == 7
    assert main(["-c", "--profile", "trec_eval-10", "-m", "map", *files]) == 0
    assert printed(capsys) == [("map", "all", "0.0000")]


def test_the_command_runs_as_a_module_without_django(files: list[str]) -> None:
    script = (
        "import sys, metrics.trec_eval.cli as t; t.main(sys.argv[1:]); assert 'django' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "-m", "map", *files], capture_output=True, text=True, check=True
    )
    assert done.stdout == "map                   \tall\t0.2500\n"
