"""`python -m pooling.pool`: what it prints, what it refuses, and NIST's own pool."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pooling.cli import main

ROOT = Path(__file__).resolve().parents[2]
GOOD = "7 Q0 a 1 3.0 good\n7 Q0 b 2 2.0 good\n8 Q0 x 1 1.0 good\n"
POOR = "7 Q0 c 1 3.0 poor\n7 Q0 a 2 3.0 poor\n"
Said = Callable[..., str]


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Run the command beside good.run and poor.run.gz; return what it printed, or said was wrong."""
    monkeypatch.chdir(tmp_path)
    Path("good.run").write_text(GOOD)
    Path("poor.run.gz").write_bytes(gzip.compress(POOR.encode()))

    def say(*words: object, code: int = 0) -> str:
        assert main([str(word) for word in words]) == code
        printed, wrong = capsys.readouterr()
        assert not (printed if code else wrong)
        return wrong if code else printed

    return say


def test_a_pool_is_printed_by_topic_and_docno(said: Said) -> None:
    assert said("--k", 1, "good.run", "poor.run.gz") == "7 a\n8 x\n"
    assert said("--strategy", "depth", "--k", 2, "good.run", "poor.run.gz") == "7 a\n7 b\n7 c\n8 x\n"


def test_the_tie_rule_may_be_the_other_one(said: Said) -> None:
    assert said("--k", 1, "--ties", "descending", "poor.run.gz") == "7 c\n"


def test_a_manifest_names_the_runs_by_the_checksum_of_their_text(said: Said) -> None:
    manifest = json.loads(said("--k", 1, "--manifest", "--seed", 4, "good.run", "poor.run.gz"))
    runs = [(run["tag"], run["sha256"]) for run in manifest.pop("runs")]
    assert runs == [(tag, sha256(text)) for tag, text in (("good", GOOD), ("poor", POOR))]
    assert manifest == {
        "strategy": "depth",
        "parameters": {"k": 1, "manual_k": None, "per_group": None},
        "seed": 4,
        "ties": "score descending, docno ascending",
        "documents": 2,
        "topics": 2,
        "smallest": 1,
        "median": 1,
        "largest": 1,
        "complete_depth": 1,
        "sha256": sha256("7 a\n8 x\n"),
    }


@pytest.mark.parametrize(
    "options",
    [
        ("--k", 2, "--ties", "descending"),
        ("--strategy", "take", "--budget", 2, "--floor", 0, "--seed", 9),
        ("--strategy", "combmnz", "--budget", 2, "--floor", 1),
        ("--strategy", "thompson", "--budget", 2, "--floor", 0, "--qrels", "7.qrels", "--threshold", 2),
        ("--manual-k", 1, "--per-group", 1, "--about", "runs.tsv"),
    ],
)
def test_a_manifest_makes_the_pool_again_from_the_files(said: Said, options: tuple[object, ...]) -> None:
    Path("7.qrels").write_text("7 0 a 1\n7 0 b 2\n7 0 c 0\n")
    Path("runs.tsv").write_text("good\tnorth\tmanual\t1\npoor\tnorth\tautomatic\t2\n")
    pool = said(*options, "good.run", "poor.run.gz")
    Path("pool.json").write_text(said(*options, "--manifest", "good.run", "poor.run.gz"))
    labels = ["--qrels", "7.qrels"] if "--qrels" in options else []
    assert said("--rebuild", "pool.json", *labels, "poor.run.gz", "good.run") == pool


def test_what_is_known_about_runs_is_read_from_a_file(said: Said) -> None:
    Path("runs.tsv").write_text("good\tnorth\tautomatic\t2\npoor\tnorth\tmanual\t1\n")
    assert said("--per-group", 1, "--about", "runs.tsv", "good.run", "poor.run.gz") == "7 a\n7 c\n"
    assert (
        said("--k", 1, "--manual-k", 2, "--about", "runs.tsv", "good.run", "poor.run.gz") == "7 a\n7 c\n8 x\n"
    )


def test_runs_with_one_tag_go_by_their_file_names(said: Said) -> None:
    Path("good2.run").write_text("7 Q0 z 1 1.0 good\n")
    manifest = json.loads(said("--manifest", "good.run", "good2.run"))
    assert [run["tag"] for run in manifest["runs"]] == ["good.run", "good2.run"]


def test_the_strategies_are_listed_with_their_options(said: Said) -> None:
    listing = said("--strategies")
    assert "hedge: Hedge (live: needs labels)" in listing
    assert "--k: Documents taken from each run; a whole number from 1 to 100000" in listing


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "expected at least one run file, found none"),
        (("absent.run",), "absent.run: cannot be read (No such file or directory)"),
        (("bad.run",), "bad.run, line 2: expected 6 fields (topic Q0 docno rank score tag), found 3"),
        (("--strategy", "deep", "good.run"), "found 'deep'"),
        (("--k", "0", "good.run"), "k: expected a whole number from 1 to 100000, found 0"),
        (("--strategy", "rrf", "--k", "5", "good.run"), "rrf has no parameter 'k'"),
        (("--strategy", "mtf", "good.run"), "mtf is live: expected labels to play it by (--qrels FILE)"),
        (("--qrels", "bad.run", "good.run"), "bad.run, line 1: expected 4 fields"),
        (("--qrels", "7.qrels", "good.run"), "depth is not live"),
        (("--about", "bad.run", "good.run"), "bad.run, line 1: expected 4 fields between tabs"),
        (("--about", "kind.tsv", "good.run"), "kind.tsv, line 1: expected a kind (automatic or manual)"),
        (("--about", "priority.tsv", "good.run"), "line 1: expected a whole number as priority, found 'x'"),
        (("--about", "other.tsv", "good.run"), "expected only tags of the runs to be described, found other"),
        (("good.run", "good.run"), "expected a tag of its own for every run, found 'good.run' 2 times"),
        (("--rebuild", "bad.run", "good.run"), "bad.run, line 1: expected JSON"),
        (("--rebuild", "list.json", "good.run"), "list.json: expected a manifest with the runs of a pool"),
        (("--rebuild", "half.json", "good.run"), "expected a manifest with strategy, parameters, seed and"),
        (("--rebuild", "pool.json", "poor.run.gz"), "expected every run of the manifest among the files"),
        (("--rebuild", "changed.json", "good.run"), "expected the pool 0123, found "),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(said: Said, words: tuple[str, ...], expected: str) -> None:
    Path("bad.run").write_text("7 Q0 a 1 3.0 bad\n7 Q0 b\n")
    Path("7.qrels").write_text("7 0 a 1\n")
    Path("kind.tsv").write_text("good\tnorth\trobot\t1\n")
    Path("priority.tsv").write_text("good\tnorth\tmanual\tx\n")
    Path("other.tsv").write_text("other\tnorth\tmanual\t1\n")
    Path("list.json").write_text("[]")
    Path("half.json").write_text('{"runs": []}')
    manifest = json.loads(said("--manifest", "good.run"))
    Path("pool.json").write_text(json.dumps(manifest))
    Path("changed.json").write_text(json.dumps(manifest | {"sha256": "0123"}))
    assert expected in said(*words, code=2)


def test_other_labels_than_the_recorded_ones_are_refused(said: Said) -> None:
    Path("7.qrels").write_text("7 0 a 1\n")
    Path("8.qrels").write_text("7 0 a 0\n")
    options = ("--strategy", "mtf", "--manifest", "--qrels", "7.qrels")
    Path("pool.json").write_text(said(*options, "good.run"))
    assert "not those of the manifest" in said(
        "--rebuild", "pool.json", "--qrels", "8.qrels", "good.run", code=2
    )


def test_it_runs_without_django() -> None:
    code = "import sys, pooling.pool; sys.exit(any(name.split('.')[0] == 'django' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_who_reads_the_first_line_only_is_no_error(tmp_path: Path) -> None:
    run = tmp_path / "long.run"
    run.write_text("".join(f"7 Q0 d{number} 0 {number}.0 long\n" for number in range(20_000)))
    words = [sys.executable, "-m", "pooling.pool", "--k", "20000", str(run)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdout is not None and command.stderr is not None
        assert command.stdout.readline() == b"7 d0\n"
        command.stdout.close()
        assert command.stderr.read() == b""
    assert command.returncode == 0


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
