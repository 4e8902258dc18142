"""`python -m jurypool` is the command lines of the apps under one name; importing jurypool is light."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from jurypool.__main__ import COMMANDS, main
from pooling.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("django", "config", "accounts", "pandas", "polars", "matplotlib", "scipy.stats")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.run").write_text(
        "".join(f"{t} Q0 D1 1 2.0 good\n{t} Q0 D2 2 1.0 good\n" for t in range(6))
    )
    (tmp_path / "poor.run").write_text(
        "".join(f"{t} Q0 D1 1 1.0 poor\n{t} Q0 D2 2 2.0 poor\n" for t in range(6))
    )
    (tmp_path / "qrels").write_text("".join(f"{t} 0 D1 1\n" for t in range(6)))
    (tmp_path / "labels").write_text("7 D1 ann 1\n7 D2 ann 0\n7 D1 bob 1\n7 D2 bob 0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("metrics.evaluate", "evaluate --qrels qrels --measures AP good.run poor.run"),
        ("metrics.evaluate", "evaluate --qrels qrels --measures AP absent"),
        ("metrics.trec_eval", "trec-eval -q qrels good.run"),
        ("pooling.pool", "pool --k 1 good.run poor.run"),
        ("assess.kappa", "kappa labels --scale 0,1"),
    ],
)
def test_a_command_prints_what_the_module_prints(module: str, words: str, files: Path) -> None:
    name, *rest = words.split()
    one, other = (
        subprocess.run(
            [sys.executable, "-m", *program, *rest],
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        for program in (("jurypool", name), (module,))
    )
    errors = other.stderr.replace(f"python -m {module}", f"jurypool {name}")
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, errors)
    assert one.stdout or one.returncode == 2


def test_two_runs_are_compared_on_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "good.run", "poor.run", "--qrels", "qrels", "--measures", "AP P@2"]) == 0
    head, ap, p2 = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert head[:4] == ["measure", "first", "second", "difference"]
    assert ap[:4] == ["AP", "1", "0.5", "0.5"] and ap[6] == "0.03125"
    assert p2[-1] == "every difference is zero"
    assert main(["compare", "good.run", "absent", "--qrels", "qrels"]) == 2
    assert capsys.readouterr().err.startswith("jurypool compare: absent: expected a file")


def test_what_is_no_command_is_refused_and_help_names_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score"]) == 2
    assert "expected a command (start, demo, evaluate, trec-eval" in capsys.readouterr().err
    for word in ("-h", "--help"):
        assert main([word]) == 0
        text = capsys.readouterr().out
        assert [name for name in COMMANDS if f"\n  {name} " not in text] == []
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"jurypool {VERSION}\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], []),
        (["--no-browser", "--port", "9000"], ["--no-browser", "--port", "9000"]),
        (["start", "--data", "here"], ["--data", "here"]),
    ],
)
def test_without_a_command_the_web_application_is_started(
    words: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Sequence[str]] = []
    monkeypatch.setattr("config.start.main", lambda arguments, program: calls.append(arguments))
    assert main(words) == 0
    assert calls == [expected]


def test_importing_and_scoring_loads_neither_django_nor_data_frames() -> None:
    code = (
        "import sys, jurypool as jp; jp.evaluate({'7': {'D': 1.0}}, {'7': {'D': 1}}, 'AP nDCG@5');"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_every_public_name_is_documented() -> None:
    import jurypool

    for name in jurypool.__all__:
        assert name == "__version__" or (getattr(jurypool, name).__doc__ or "").strip(), name


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "manage"])
def test_help_names_the_command_as_it_was_called(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        main([name, "--help"])
    except SystemExit as end:
        assert not end.code
    text = capsys.readouterr().out
    assert text.lower().startswith(f"usage: jurypool {name} ")
    assert "python -m metrics" not in text and "python -m assess" not in text
