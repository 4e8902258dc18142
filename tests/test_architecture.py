"""The architecture: an app imports only itself and the apps below; pure modules do not import Django."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BELOW = {
    "accounts": {"accounts"},
    "pooling": {"accounts", "pooling"},
    "assess": {"accounts", "pooling", "assess"},
    "metrics": {"accounts", "pooling", "assess", "metrics"},
    "jurypool": {"pooling", "assess", "metrics", "jurypool"},
}
FLOORS = ("pooling", "assess", "metrics", "jurypool")
OURS = {"config", *BELOW}
DJANGO_ROOMS = {
    "admin", "api", "apps", "forms", "models", "queries", "services", "tasks", "urls", "views",
    "migrations", "management", "templatetags",
}  # fmt: skip
DJANGO = {"django", "django_htmx", "django_tasks", "ninja", "csp", "config"}


CLOCKS = {"time.perf_counter", "time.process_time", "timeit"}
CLOCK_CALL = re.compile(r"time\.(perf_counter|process_time)\(")


def imported(source: str, package: str) -> Iterator[str]:
    """Yield the absolute name of everything a module imports, at the top or inside a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            module = [node.module] if node.module else []
            yield from (".".join([*parent, *module, alias.name]) for alias in node.names)


def faults(path: Path, source: str) -> list[str]:
    """Return what the module at `path` (relative to the root) imports although it may not."""
    floor, rooms = path.parts[0], {*path.parts[1:-1], path.stem}
    pure = floor in FLOORS and path.stem != "__init__" and not rooms & DJANGO_ROOMS
    found = []
    for name in imported(source, ".".join(path.parts[:-1])):
        top = name.split(".")[0]
        if top in OURS - {"config"} and top not in BELOW[floor]:
            found.append(f"{path} imports {name}, which is above it")
        if pure and top in DJANGO:
            found.append(f"{path} is pure and imports {name}")
        if pure and top in BELOW and set(name.split(".")) & DJANGO_ROOMS:
            found.append(f"{path} is pure and imports {name}, which is not")
    return found


MODULES = sorted(
    path.relative_to(ROOT)
    for floor in BELOW
    for path in (ROOT / floor).rglob("*.py")
    if "__pycache__" not in path.parts
)


def test_a_module_imports_only_what_its_place_allows() -> None:
    assert [fault for path in MODULES for fault in faults(path, (ROOT / path).read_text())] == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("pooling/strategies.py", "from metrics import measures"),
        ("pooling/views.py", "def view():\n    import assess.models"),
        ("assess/services.py", "from metrics.engine.evaluate import evaluate"),
        ("accounts/models.py", "import pooling"),
        ("metrics/measures.py", "from django.db import models"),
        ("assess/kappa.py", "def f():\n    from django.conf import settings"),
        ("assess/kappa.py", "from . import models"),
        ("metrics/measures/ranked.py", "from config import settings"),
        ("metrics/engine/evaluate.py", "from pooling.models import Run"),
        ("metrics/engine/evaluate.py", "import jurypool"),
        ("jurypool/scoring.py", "def f():\n    from config import settings"),
        ("jurypool/scoring.py", "from accounts.models import User"),
        ("jurypool/judging.py", "from assess.queries import labels"),
    ],
)
def test_a_planted_import_is_found(path: str, source: str) -> None:
    assert faults(Path(path), source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("metrics/engine/evaluate.py", "from pooling.formats.runs import Run"),
        ("metrics/views.py", "from django.http import HttpRequest\nfrom assess.models import QrelsRelease"),
        ("assess/management/commands/audit.py", "from django.core.management import BaseCommand"),
    ],
)
def test_an_import_downwards_is_allowed(path: str, source: str) -> None:
    assert faults(Path(path), source) == []


FRAGMENTS = sorted(
    path.relative_to(ROOT / "templates")
    for path in (ROOT / "templates").rglob("_*.html")
    if len(path.relative_to(ROOT / "templates").parts) > 1 and path.parent.name != "parts"
)


def misnamed(path: Path) -> list[str]:
    """Return the places in which a fragment lacks its name: its id, its view and its URL."""
    app, name = path.parts[0], path.stem.removeprefix("_")
    element = rf'id="{name.replace("_", "-")}("|-{{{{)'
    patterns = {pattern.name: pattern for pattern in import_module(f"{app}.urls").urlpatterns}
    pattern = patterns.get(name)  # a view of several fragments takes the name as an argument
    there = {
        "id": re.search(element, (ROOT / "templates" / path).read_text()),
        "view": pattern and name in (pattern.callback.__name__, pattern.default_args.get("name")),
        "URL": pattern,
    }
    return [f"{path}: no {place} has its name" for place, is_there in there.items() if not is_there]


def test_a_fragment_has_one_name_in_four_places() -> None:
    assert [fault for path in FRAGMENTS for fault in misnamed(path)] == []


def test_there_are_fragments_to_look_at() -> None:
    assert Path("assess/_judgment_card.html") in FRAGMENTS
    assert Path("assess/panels/_panel_document.html") in FRAGMENTS


TEMPLATES = {
    path.relative_to(ROOT / "templates"): path.read_text() for path in (ROOT / "templates").rglob("*.html")
}
BLANK_BEFORE_PUNCTUATION = re.compile(r"(%\}|\}\}|>)\s+(\{%[^%]*%\})*[,;.:]")
INLINE = re.compile(r"\bstyle=|\bon\w+=\"|hx-on|<script>|javascript:")


def test_no_line_of_a_template_is_longer_than_120_characters() -> None:
    """The formatter leaves alone what it cannot break: a long attribute, a run of tags inside a word."""
    lines = [(path, line) for path, text in TEMPLATES.items() for line in text.splitlines()]
    assert len(lines) > 1000
    assert [(path, line) for path, line in lines if len(line) > 120] == []


def test_no_blank_stands_before_punctuation() -> None:
    """The formatter breaks the line between two tags of Django, and a page shows that as a blank."""
    assert [path for path, text in TEMPLATES.items() if BLANK_BEFORE_PUNCTUATION.search(text)] == []


@pytest.mark.parametrize(
    "text",
    ["{% endif %}\n  {% if late %}, late{% endif %}", "{{ number }} .", "</b>\n{% if number %};{% endif %}"],
)
def test_a_planted_blank_before_punctuation_is_found(text: str) -> None:
    assert BLANK_BEFORE_PUNCTUATION.search(text)


def test_a_template_holds_no_inline_script_or_style() -> None:
    without_tags = {path: re.sub(r"\{%.*?%\}", "", text) for path, text in TEMPLATES.items()}
    assert [path for path, text in without_tags.items() if INLINE.search(text)] == []


def timed(path: Path) -> bool:
    return bool(set(imported(path.read_text(), "tests")) & CLOCKS or CLOCK_CALL.search(path.read_text()))


def test_no_test_takes_the_time() -> None:
    """What is quick here is slow on the next machine: speed is for the benchmarks, as ratios."""
    others = sorted({*(ROOT / "tests").rglob("test_*.py")} - {Path(__file__)})
    assert [path for path in others if timed(path)] == []


AGREED_ROOT = {
    ".ci", ".github", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff",
    "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "Makefile", "README.md", "SECURITY.md", "accounts",
    "assess", "config", "docs", "jurypool", "manage.py", "metrics", "pooling", "pyproject.toml",
    "requirements-s3.txt", "requirements.txt", "static", "templates", "tests",
}  # fmt: skip


def test_the_root_of_the_repository_holds_only_agreed_names() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name.split("/")[0] for name in listed.stdout.split("\0") if name} - AGREED_ROOT == set()


@pytest.mark.parametrize(
    "path",
    ["secret-key", "test.sqlite3-queue", "config/deploy/.env", "config/deploy/certificates/privkey.pem"],
)
def test_a_secret_is_ignored_by_git(path: str) -> None:
    assert subprocess.run(["git", "check-ignore", "--quiet", path], cwd=ROOT).returncode == 0


OWNERS = (
    "of_people()",
    "judge=",
    "judge_id=",
    "judge__username__in=",
    "event__in=",
    "by_program=",
    ".user.judgments",
)
KNOWN_ROWS = ("pk=", "pk__in=")
READS_OF_ALL = {  # modules that read current labels of all sources, and why
    "assess/queries/campaign_reads.py": "judgments_of_all, of which every other read of a campaign is made",
    "assess/queries/counters.py": "the counters of each judge",
    "assess/queries/independence.py": "the number of labels that a person may not see yet",
    "assess/queries/integrity.py": "compares every label with its event",
    "assess/queries/labels.py": "all labels with their sources, as downloads have them",
    "assess/queries/queues.py": "leaves out machine judges in a later statement",
}


READ = re.compile(r"\bJudgment\.objects\b|\w\.judgments\.")


def unowned_reads(source: str) -> list[str]:
    """Return the statements that read current labels and do not say whose."""
    if not READ.search(source):
        return []
    lines, smallest = source.splitlines(), dict[int, tuple[int, int]]()
    for node in ast.walk(ast.parse(source)):  # an outer statement before those in it
        if isinstance(node, ast.stmt):
            extent = node.lineno, node.end_lineno or node.lineno
            smallest |= dict.fromkeys(range(extent[0], extent[1] + 1), extent)
    statements = ("\n".join(lines[first - 1 : last]) for first, last in sorted({*smallest.values()}))
    return [
        text
        for text in statements
        if READ.search(text) and not any(word in text for word in (*OWNERS, *KNOWN_ROWS))
    ]


def test_a_read_of_labels_says_whose_they_are() -> None:
    reading = {f"{path}" for path in MODULES if "migrations" not in path.parts}
    found = {path for path in reading if unowned_reads((ROOT / path).read_text())}
    assert found == READS_OF_ALL.keys()


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("labels = Judgment.objects.filter(pooled=1)", True),
        ("labels = pooled.judgments.all()", True),
        ("def f():\n    judge=1\n    return Judgment.objects.count()", True),
        ("labels = Judgment.objects.filter(of_people(), pooled=1)", False),
        ("labels = machine.user.judgments.count()", False),
    ],
)
def test_a_planted_read_of_all_labels_is_found(source: str, is_found: bool) -> None:
    assert bool(unowned_reads(source)) == is_found


def test_a_page_that_sends_what_waits_in_the_browser_has_a_place_that_says_so() -> None:
    """Without one the script does nothing, and votes of a closed tab wait although a page could send them."""
    sending = [(path, text) for path, text in TEMPLATES.items() if "js/unsent_labels.js" in text]
    assert len(sending) > 5
    assert [path for path, text in sending if "data-unsent" not in text and "_unsent" not in text] == []
