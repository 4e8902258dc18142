"""The stylesheets define no class that no page has, and use no custom property that is not defined."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assess.document.text import Layout

ROOT = Path(__file__).resolve().parent.parent
SHEETS = sorted((ROOT / "static/css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static/js").rglob("*.js"))
APPS = ("accounts", "assess", "config", "jurypool", "metrics", "pooling")
TAG = re.compile(r"\{%.*?%\}", re.DOTALL)
VALUE = re.compile(r"\{\{.*?\}\}|\{[^ }]*\}", re.DOTALL)  # of a template, or of an f-string
CLASS_ATTRIBUTE = re.compile(
    r'(?<![\w-])class="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"|"class": "([^"]*)"', re.DOTALL
)
TABLE_ARGUMENT = re.compile(r'(?:size|style)="([^"]*)"')
FROM_DJANGO = {"errorlist"}
STYLES = re.sub(r"/\*.*?\*/", "", "".join(path.read_text() for path in SHEETS), flags=re.DOTALL)
PAGES = [
    path.read_text()
    for path in [
        *(ROOT / "templates").rglob("*.html"),
        *(p for app in APPS for p in (ROOT / app).rglob("*.py")),
    ]
]
FILTERS = "".join(path.read_text() for app in APPS for path in (ROOT / app).glob("templatetags/*.py"))
CODE = "".join(path.read_text() for path in SCRIPTS)


def classes_of_styles() -> set[str]:
    selectors = "".join(re.findall(r"([^{};]+)\{", re.sub(r'"[^"]*"', "", STYLES)))
    return set(re.findall(r"\.([a-z][\w-]*)", selectors))


def words_of_pages() -> Iterator[str]:
    """Yield the classes that templates and Python write; `shade-{{ cell.shade }}` gives a null character."""
    for page in PAGES:
        for both in CLASS_ATTRIBUTE.findall(page):
            yield from VALUE.sub("\0", TAG.sub(" ", "".join(both))).split()
        for tag in re.findall(r"\{% table .*?%\}", page, re.DOTALL):
            yield from " ".join(TABLE_ARGUMENT.findall(tag)).split()
    for text in re.findall(r'"([a-z][a-z -]*)"', FILTERS):  # a filter may return classes
        yield from text.split()
    yield from (word for layout in Layout for word in layout.value.split())


def words_of_scripts() -> Iterator[str]:
    """Yield the words of the statements that set classes in scripts."""
    for statement in re.findall(r"\bclass(?:Name|List)\b[^;]*", CODE):
        for text in re.findall(r'["`]([^"`]*)["`]', statement):
            yield from re.sub(r"\$\{[^}]*\}", "\0", text).split()


def test_every_class_of_the_stylesheets_is_used() -> None:
    words = {*words_of_pages(), *words_of_scripts()}
    prefixes = tuple(word.split("\0")[0] for word in words if "\0" in word and not word.startswith("\0"))
    unused = {name for name in classes_of_styles() - words - FROM_DJANGO if not name.startswith(prefixes)}
    assert unused == set()


def test_every_custom_property_is_defined_and_used() -> None:
    defined = set(re.findall(r"(--[\w-]+)\s*:", STYLES))
    used = set(re.findall(r"var\((--[\w-]+)", STYLES))
    assert used - defined == set()
    drawn = {f"--{name}" for name in re.findall(r'"([\w-]+)"', CODE)}  # colours that the plots read
    assert {name for name in defined - used - drawn if not name.startswith("--pico-")} == set()


def test_every_stylesheet_is_imported() -> None:
    imported = re.findall(r'@import url\("([\w-]+\.css)"\)', (ROOT / "static/css/jurypool.css").read_text())
    assert sorted([*imported, "jurypool.css"]) == [path.name for path in SHEETS]


def test_every_script_is_loaded() -> None:
    loaded = set(re.findall(r"'js/([\w-]+\.js)'", "".join(PAGES)))
    loaded |= set(re.findall(r'"\.\.?/(?:card/)?([\w-]+\.js)"', CODE))
    assert loaded == {path.name for path in SCRIPTS}


@pytest.mark.parametrize("path", [*SHEETS, *SCRIPTS], ids=lambda path: path.name)
def test_no_line_is_longer_than_120_characters(path: Path) -> None:
    """The formatter breaks neither comments nor strings."""
    assert [line for line in path.read_text().splitlines() if len(line) > 120] == []


def test_pointers_that_cannot_hover_get_no_hover_style() -> None:
    """A finger leaves `:hover` behind: the grade of the last document would look chosen on the next one."""
    guarded = re.compile(r"^  @media \(hover: hover\) \{\n.*?^  \}\n", re.MULTILINE | re.DOTALL)
    assert guarded.search(STYLES)
    assert re.findall(r".*:hover.*", guarded.sub("", STYLES)) == []
