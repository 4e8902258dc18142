"""The documentation site: its generated reference is complete, its examples of files are read, it builds."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest

from assess.answers.answer_checks import parse_answers
from assess.clicks.click_csv import read_click_csv
from assess.clicks.query_mapping import read_query_mapping
from assess.clicks.ubi import read_ubi
from assess.gold_lines import read_gold_lines
from assess.kappa.label_file import parse_labels
from assess.kappa.registry import REGISTRY
from assess.machines.batch import read_results
from assess.nuggets.assignments import read_assignments
from assess.nuggets.bank_files import read_banks
from assess.pyramids.files import read_pan, read_pyr
from config.api import api
from docs.generator import generated_pages
from docs.generator.commands import our_commands
from jurypool import __all__ as public_names
from jurypool.__main__ import COMMANDS
from metrics.ab_tests.reader import read_users
from metrics.interleaving.clicks import Comparison, read_clicks
from metrics.interleaving.lists import MergedList
from metrics.measures.registry import ALIASES, KINDS
from metrics.system_quality.files import read_system_figures
from metrics.system_quality.header import read_header_figures
from metrics.trec_eval.preferences import parse_preferences
from pooling.formats.documents.reading import read_documents
from pooling.formats.judge_runs import parse_judge_run
from pooling.formats.qrels import judgment_file, parse_prels, parse_qrels
from pooling.formats.run_header import read_header
from pooling.formats.runs import parse_run
from pooling.strategies.registry import STRATEGIES
from tests.pooling.files import read_topics

ROOT = Path(__file__).resolve().parents[1]
FORMATS = (ROOT / "docs" / "reference" / "file-formats.md").read_text()
EXAMPLES = dict(re.findall(r"^### ([^\n]+)\n[^`]*?```\w+\n(.*?)```", FORMATS, re.MULTILINE | re.DOTALL))
TEMPLATES = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))

INTERLEAVED = Comparison(
    ("bm25", "dense"),
    "team-draft",
    ({"7": ["D1", "D2"]}, {"7": ["D2", "D1"]}),
    [MergedList("5f0c6a1be93d7720", "7", ["D1", "D2", "D3"], ["A", "B", "A"])],
)
READERS: dict[str, Callable[[bytes], object]] = {
    "Run": lambda content: parse_run(content).topics,
    "Run with a header": lambda content: read_header(content)[0].group,
    "Run with figures in its header": lambda content: len(read_header_figures(content).values) == 4,
    "Judge run": lambda content: parse_judge_run(content).topics,
    "Answer run": lambda content: parse_answers(content).answers,
    "Report": lambda content: parse_answers(content).answers,
    "Nugget bank": lambda content: read_banks(content).banks,
    "Nugget bank of questions": lambda content: read_banks(content).banks,
    "Nugget assignments": read_assignments,
    "Pyramid": lambda content: read_pyr(content).order == 2,
    "Annotated peer": lambda content: read_pan(content).spans,
    "Qrels": lambda content: parse_qrels(content).topics,
    "Qrels, BEIR": judgment_file,
    "Prels": lambda content: parse_prels(content).topics,
    "Preferences": lambda content: parse_preferences(content).topics,
    "Labels": lambda content: parse_labels(content).records,
    "Labels of a campaign": lambda content: parse_labels(content).records,
    "Topics, TREC": lambda content: read_topics(content)[0].narrative,
    "Topics, TREC-COVID": lambda content: read_topics(content)[0].narrative,
    "Topics, CSV": lambda content: read_topics(content)[0].description,
    "Topics, JSON Lines": lambda content: read_topics(content)[0].description,
    "Documents, JSON Lines": lambda content: list(read_documents(content))[0].text,
    "Documents, CSV": lambda content: list(read_documents(content, form="csv"))[0].text,
    "Documents, TREC": lambda content: list(read_documents(content))[0].text,
    "Users of an A/B test": lambda content: read_users(content).rows,
    "Clicks on interleaved lists": lambda content: read_clicks(content, INTERLEAVED),
    "Clicks on interleaved lists, with the list": lambda content: read_clicks(content, INTERLEAVED),
    "System figures": lambda content: read_system_figures(content, {"bm25", "dense"}).figures,
    "Results of a batch": lambda content: read_results(content)[0].completion,
    "Clicks, UBI": lambda content: read_ubi([("log.jsonl", BytesIO(content))]).results,
    "Clicks, CSV": lambda content: read_click_csv([("log.csv", BytesIO(content))]).results,
    "Clicks, CSV by list": lambda content: read_click_csv([("log.csv", BytesIO(content))]).results,
    "Queries of topics": lambda content: read_query_mapping(content, ["7"]),
    "Gold documents": lambda content: read_gold_lines(content)[0].why,
}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return generated_pages()


def test_every_format_has_an_example_and_a_reader() -> None:
    assert sorted(EXAMPLES) == sorted(READERS)


@pytest.mark.parametrize("name", READERS)
def test_the_reader_takes_the_example_of_a_format(name: str) -> None:
    assert READERS[name](EXAMPLES[name].encode())


def test_programs_that_a_page_lists_can_be_run() -> None:
    listed = re.findall(
        r"^- `([a-z_.]+)`", (ROOT / "docs" / "reference" / "command-line.md").read_text(), re.MULTILINE
    )
    assert "metrics.evaluate" in listed
    for name in listed:
        path = ROOT / name.replace(".", "/")
        module = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
        assert "__main__" in module.read_text(), name


def test_every_measure_has_a_page_with_its_names_formula_and_source(pages: dict[str, str]) -> None:
    for name, kind in KINDS.items():
        page = pages[f"measures/{name}.md"]
        assert kind.formula in page and f"({name}.md)" in pages["measures/index.md"]
        assert all(f"`{parameter}`" in page for parameter in kind.parameters)
    assert all(f"`{other}`" in pages[f"measures/{name}.md"] for other, name in ALIASES.items())


def test_the_other_pages_name_every_entry_of_their_registry(pages: dict[str, str]) -> None:
    for page, prefix, names in (
        ("coefficients.md", "coefficient", REGISTRY),
        ("strategies.md", "strategy", STRATEGIES),
        ("commands.md", "command", our_commands()),
        ("programs.md", "program", COMMANDS),
    ):
        assert [name for name in names if f"({prefix}-{name})=" not in pages[page]] == []
    assert [name for name in public_names if f"-{name})=" not in pages["library.md"]] == []


def test_every_option_of_a_command_is_listed(pages: dict[str, str]) -> None:
    assert "--organiser" in pages["commands.md"] and "`--settings`" in pages["commands.md"]
    assert pages["programs.md"].lower().count("usage: jurypool ") == len(COMMANDS) - 1


def test_every_operation_is_listed_with_its_scope(pages: dict[str, str]) -> None:
    schema = api.get_openapi_schema()
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            assert f"(operation-{operation['operationId']})=" in pages["rest-api.md"]
            assert f"{method.upper()} `{path}`, scope *" in pages["rest-api.md"]
    assert "POST `/api/campaigns/{slug}/runs/`, scope *submit*" in pages["rest-api.md"]


class Faults(HTMLParser):
    """What the Content-Security-Policy of the site forbids in a page: inline code, parts from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        inline = tag == "style" or (tag == "script" and "src" not in known)
        handlers = [name for name in known if name == "style" or name.startswith("on")]
        source = known.get("src") or (known.get("href") if tag == "link" else "") or ""
        if inline or handlers or "//" in source:
            self.found.append(f"<{tag}> {known}")


def test_the_site_builds_without_a_warning_and_its_pages_obey_the_policy(tmp_path: Path) -> None:
    target = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-n",
        "-q",
        "-d",
        f"{tmp_path / 'doctrees'}",
    ]
    done = subprocess.run([*command, "docs", f"{target}"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    for page in target.rglob("*.html"):
        faults = Faults()
        faults.feed(page.read_text())
        assert faults.found == [], page
    linked = re.findall(r'documentation_link "([^"]+)"', TEMPLATES)
    assert len(linked) > 4 and all((target / page).is_file() for page in linked)
