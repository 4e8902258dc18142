"""The files of the repository that people and programs look for agree with the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pooling.version import VERSION

ROOT = Path(__file__).resolve().parents[1]


def test_the_citation_names_the_version_and_its_date() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == VERSION
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", citation["date-released"])
    assert {"cff-version", "message", "title", "authors", "license"} <= set(citation)


def test_the_changelog_has_the_version_and_a_place_for_what_comes() -> None:
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heads[0] == "Unreleased"
    assert heads[1].split()[0] == VERSION


def test_the_hooks_before_a_commit_are_the_linters_of_make() -> None:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    lint = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    programs = [f".venv/bin/{name}" for name in re.findall(r"\$\(BIN\)/(\w+)", lint)]
    assert sorted({hook["entry"].split()[0] for hook in local["hooks"]}) == sorted(set(programs))
    assert len(local["hooks"]) == len(programs)


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")), ids=lambda p: p.stem
)
def test_the_forms_of_issues_can_be_read(form: Path) -> None:
    assert yaml.safe_load(form.read_text())


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "README.md"])
def test_every_path_that_these_pages_name_exists(page: str) -> None:
    text = (ROOT / page).read_text()
    linked = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    named = re.findall(r"`((?:tests|metrics|pooling|assess|config|docs)/[\w./]+)`", text)
    assert [path for path in [*linked, *named] if not (ROOT / path).exists()] == []
