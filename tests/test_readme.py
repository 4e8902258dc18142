"""The commands and programs in the README and in docs/ work as written."""

from __future__ import annotations

import gzip
import math
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands, load_command_class
from pytest_django.live_server_helper import LiveServer

import jurypool as jp
from accounts.services import create_token
from tests.support.factory import Factory

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if "generated" not in page.parts),
]
README = "\n".join(page.read_text() for page in PAGES)
MAKEFILE = (ROOT / "Makefile").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
RUN = (
    "make demo", "ruff format --check", "load_demo", "create_campaign", "export_campaign", "metrics.evaluate",
    "clone_campaign", "reset_password_link", "anonymise_account", "poor.run.gz", "time.sleep",
    '"boats/topics/"', "second-judge.qrels", "jp.compare", "manage create_campaign", "manage release_qrels",
    "jp.simulate_cal", "jp.undominated", "jp.code_gains", "jp.fuse(",
    "openapi-python-client generate", "jurypool_client",
    "jp.simulate_cal", "jp.undominated", "jp.code_gains", "jp.fuse(", "table.to_latex()",
    "results.plot_differences(", "jp.evaluate({",
)  # fmt: skip
"""A text of each block that a test runs or compares with the Makefile: here, or test_generated_client."""


def test_every_block_of_code_runs_in_a_test_or_says_why_not() -> None:
    """A block that cannot run has the comment `<!-- not run: REASON -->` before it."""
    blocks = re.findall(r"(<!-- not run: [^>]+ -->\n+)?```(sh|python|http)\n(.*?)```", README, re.DOTALL)
    assert len(blocks) > 8
    assert [text for reason, _, text in blocks if not reason and not any(each in text for each in RUN)] == []


def commands(*, of: str) -> list[str]:
    """Return the lines of the one block that holds `of`."""
    (block,) = [block for block in BLOCKS if of in block]
    return [line.split(" #")[0].strip() for line in block.splitlines()]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"(?:`|^)make ([a-z-]+)", README, re.MULTILINE))))
def test_make_knows_every_target_that_is_named(target: str) -> None:
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("line", commands(of="ruff format --check") + commands(of="load_demo"))
def test_the_plain_commands_are_those_of_make(line: str) -> None:
    as_in_make = line.replace(".venv/bin/", "$(BIN)/").replace("python3 ", "$(PYTHON) ")
    aloud = MAKEFILE.replace(" --quiet --disable-pip-version-check", "").replace(" --verbosity 0", "")
    assert as_in_make in aloud


def write_boats() -> None:
    """Write the files of the scripted campaign into the current folder."""
    Path("boats.topics").write_text("<top>\n<num> Number: 7\n<title> boats\n</top>\n")
    Path("good.run").write_text("7 Q0 D1 1 2.0 good\n7 Q0 D2 2 1.0 good\n")
    Path("poor.run.gz").write_bytes(gzip.compress(b"7 Q0 D2 1 2.0 poor\n7 Q0 D1 2 1.0 poor\n"))
    Path("boats.jsonl").write_text(
        '{"docno": "D1", "text": "A sloop."}\n{"docno": "D2", "text": "A dinghy."}\n'
    )
    Path("first.qrels").write_text("7 0 D1 3\n7 0 D2 0\n")
    Path("second.qrels").write_text("7 0 D1 3\n7 0 D2 1\n")


def test_the_scripted_campaign_runs_as_written(
    make: Factory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_user("olga")
    monkeypatch.chdir(tmp_path)
    write_boats()
    said = StringIO()
    for line in commands(of='create_campaign "Boats"'):
        python, manage, *words = shlex.split(line)
        assert (python, manage) == ("python", "manage.py")
        call_command(*words, stdout=said, stderr=said)
    assert Path("boats.qrels").read_text() == "7 0 D1 3\n7 0 D2 0\n"
    assert "good,1.0000" in said.getvalue()


def test_a_campaign_is_audited_and_archived_as_written(
    make: Factory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_campaign("boats")
    monkeypatch.chdir(tmp_path)
    for line in commands(of="export_campaign"):
        python, manage, *words = shlex.split(line)
        assert (python, manage) == ("python", "manage.py")
        call_command(*words, stdout=StringIO())
    assert {path.name for path in tmp_path.glob("*.zip")} == {"monday.zip", "boats.zip"}


@pytest.mark.parametrize(
    "named", ["audit --all", "restore FILE", "import_campaign FILE --users CSV", "move_to_postgres URL"]
)
def test_the_commands_that_are_named_take_what_is_said(named: str) -> None:
    name, *words = named.split()
    assert f"`{name}" in README or f"manage.py {name}" in README
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    parser.parse_args(words)


def test_the_programs_on_files_run_as_written(tmp_path: Path) -> None:
    (tmp_path / "good.run").write_text("7 Q0 D1 1 2.0 good\n7 Q0 D2 2 1.0 good\n")
    (tmp_path / "poor.run.gz").write_bytes(gzip.compress(b"7 Q0 D2 1 2.0 poor\n7 Q0 D1 2 1.0 poor\n"))
    (tmp_path / "first.qrels").write_text("7 0 D1 3\n7 0 D2 0\n")
    (tmp_path / "labels.tsv").write_text("7 D1 ann 3\n7 D2 ann 0\n7 D1 bob 3\n7 D2 bob 0\n")
    said = []
    for line in commands(of="metrics.evaluate"):
        python, *words = shlex.split(line)
        assert python == "python"
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, line
        assert all(note.startswith("note: ") for note in done.stderr.splitlines()), done.stderr
        said.append(done.stdout)
    pooled, like_trec_eval, table, agreement = said
    assert pooled == "7 D1\n7 D2\n"
    assert "map                   \tall\t1.0000\n" in like_trec_eval
    assert "good" in table and "1.0000" in table
    assert "Fleiss' kappa" in agreement and agreement.startswith("4 labels by 2 judges")


def test_the_program_in_python_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.run").write_text("7 Q0 D1 1 2.0 good\n7 Q0 D2 2 1.0 good\n")
    Path("poor.run.gz").write_bytes(gzip.compress(b"7 Q0 D2 1 2.0 poor\n7 Q0 D1 2 1.0 poor\n"))
    (program,) = [each for each in PROGRAMS if "poor.run.gz" in each and "jp." in each]
    said = StringIO()
    with redirect_stdout(said):
        exec(program, {})
    assert "good   1.0000  1.0000" in said.getvalue() and "{'7': 1.0}" in said.getvalue()
    assert "fewer than two topics" in said.getvalue()


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/library.md"])
def test_the_first_programs_of_the_library_run_as_written(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, said = (ROOT / page).read_text(), StringIO()
    with redirect_stdout(said):
        for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(program, {})
    assert "0.7906  0.6667" in said.getvalue()
    for output in re.findall(r"```text\n(.*?)```", text, re.DOTALL):
        assert output == said.getvalue()


def test_the_review_of_the_reference_runs_as_written() -> None:
    (program,) = [each for each in PROGRAMS if "jp.simulate_cal" in each]
    said = StringIO()
    with redirect_stdout(said):
        exec(program, {})
    first, *stops = said.getvalue().splitlines()
    assert first == "1.0 0.8444444444444444"
    assert {line.split()[0] for line in stops} == jp.stopping_rules().keys()


def test_the_front_of_the_page_of_system_quality_runs_as_written() -> None:
    (program,) = [each for each in PROGRAMS if "jp.undominated" in each]
    said = StringIO()
    with redirect_stdout(said):
        exec(program, {})
    assert said.getvalue().rstrip() == program.partition("# ")[2].rstrip()


def test_the_gains_of_the_page_of_magnitudes_are_scored_as_written() -> None:
    (program,) = [each for each in PROGRAMS if "jp.code_gains" in each]
    said = StringIO()
    with redirect_stdout(said):
        exec(program, {})
    first = (22.7 + 128.4 / math.log2(3)) / (128.4 + 22.7 / math.log2(3))
    assert f"{(first + 1) / 2:.6f}" in said.getvalue()


def test_the_cells_of_the_notebook_tutorial_print_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "tutorials/notebook.md").read_text()
    monkeypatch.chdir(DOCS / "tutorials/files")
    said, names = StringIO(), dict[str, object]()
    with redirect_stdout(said):
        for cell in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
            exec(cell, names)
    (table,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert table in said.getvalue() and "p = 0.5000" in said.getvalue()


def test_the_program_for_the_api_submits_waits_and_reads_scores(
    transactional_db: None, live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Factory()
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    (program,) = [each for each in PROGRAMS if "requests" in each and "time.sleep" in each]
    assert len([line for line in program.splitlines() if line]) <= 12
    here = program.replace(
        "http://127.0.0.1:8000/api/campaigns/python", f"{live_server.url}/api/campaigns/tiny"
    )
    here = here.replace("jp_...", create_token(make.make_user("dave"), "test", "submit"))
    monkeypatch.chdir(tmp_path)
    Path("my.run.gz").write_bytes(gzip.compress(b"1 Q0 D1 1 2.0 okapi\n"))
    monkeypatch.setattr("time.sleep", lambda seconds: make.make_release(campaign))
    said = StringIO()
    with redirect_stdout(said):
        exec(here, {})
    assert "'nDCG@10': 1.0" in said.getvalue()


def test_the_program_for_the_api_runs_a_campaign(
    transactional_db: None, live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Factory()
    make.let_create_campaigns("olga")
    (program,) = [each for each in PROGRAMS if "requests" in each and "boats" in each]
    here = program.replace("http://127.0.0.1:8000/", f"{live_server.url}/")
    here = here.replace("jp_...", create_token(make.make_user("olga"), "test"))
    monkeypatch.chdir(tmp_path)
    write_boats()
    said = StringIO()
    with redirect_stdout(said):
        exec(here, {})
    assert said.getvalue().startswith("2 documents\nLink for Ada: http") and "good 1.0\n" in said.getvalue()


def test_the_other_commands_take_the_options_as_written() -> None:
    names = ("clone_campaign", "reset_password_link", "anonymise_account")
    for line in [each for name in names for each in commands(of=name)]:
        _, _, name, *words = shlex.split(line)
        load_command_class(get_commands()[name], name).create_parser("manage.py", name).parse_args(words)


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    lines = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_picture_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        if "generated/" in path:  # the build of the site checks these
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        assert not anchor or anchor in headings(target), link


def test_every_page_is_in_the_table_of_contents() -> None:
    for page in PAGES[1:]:
        index = (page.parent / "index.md").read_text()
        assert page.name == "index.md" or f"\n{page.stem}\n" in index, page
