"""The demonstration's documents: many, named once, the same every time, and read without side effects."""

from __future__ import annotations

import ast
import builtins
import subprocess
import sys
from pathlib import Path

import pytest

from config.demo import written
from config.demo.compiled import compiled_definitions, compiled_members
from config.demo.corpus import LEAST_TEXT, LONGEST_DOCNO, Document, clean
from config.demo.definitions import SIGNATURE_WIDTH, shorten, written_signature

ROOT = Path(__file__).resolve().parents[2]


def run_python(code: str, hash_seed: str) -> str:
    """Return what a fresh interpreter prints; raises when it fails or warns."""
    command = [sys.executable, "-W", "error", "-c", code]
    environment = {"PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, encoding="utf-8"
    ).stdout


def test_there_are_thousands_of_documents(documents: list[Document]) -> None:
    assert 4_000 < len(documents) < 8_000


def test_docnos_are_unique_sorted_short_and_free_of_blanks(documents: list[Document]) -> None:
    docnos = [document.docno for document in documents]
    assert docnos == sorted(set(docnos))
    assert [docno for docno in docnos if len(docno) > LONGEST_DOCNO or docno.split() != [docno]] == []


def test_no_docno_names_something_private(documents: list[Document]) -> None:
    parts = {part for document in documents for part in document.docno.split(".")}
    assert [part for part in parts if part.startswith("_")] == []


def test_every_document_says_something(documents: list[Document]) -> None:
    assert min(len(document.text) for document in documents) >= LEAST_TEXT
    assert [d.docno for d in documents if not d.text.replace("\n", " ").isprintable()] == []


def test_titles_are_one_line_that_begins_with_the_docno(documents: list[Document]) -> None:
    assert all(document.title.startswith(document.docno) for document in documents)
    assert all(len(document.title.splitlines()) == 1 for document in documents)


@pytest.mark.parametrize(
    ("docno", "title", "page"),
    [
        ("json.dumps", "json.dumps(obj, *, skipkeys=False, ", "json"),
        ("json", "json — module", "json"),
        ("tempfile.TemporaryDirectory", "tempfile.TemporaryDirectory(suffix=None, prefix=None, ", "tempfile"),
        ("os.path.join", "os.path.join(a, *p) — function of module os.path", "os.path"),
        ("os.listdir", "os.listdir(path=None) — function of module os", "os"),
        ("math.isclose", "math.isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0) — function of module", "math"),
        ("str.split", "str.split(sep=None, maxsplit=-1) — method of class str", "stdtypes"),
        ("sorted", "sorted(iterable, /, *, key=None, reverse=False) — function of module", "functions"),
        ("SyntaxWarning", "SyntaxWarning — exception of module builtins", "exceptions"),
        ("asyncio.Queue.get", "asyncio.Queue.get() — coroutine of class asyncio.Queue", "asyncio"),
        ("pathlib.PurePath.parts", "pathlib.PurePath.parts — property of class", "pathlib"),
        ("datetime.datetime.now", "datetime.datetime.now(tz=None) — class method of class", "datetime"),
        (
            "zipfile.ZipFile.namelist",
            "zipfile.ZipFile.namelist() — method of class zipfile.ZipFile",
            "zipfile",
        ),
        ("logging.handlers.RotatingFileHandler", "logging.handlers.RotatingFileHandler(", "logging.handlers"),
        ("xml.etree.ElementTree.Element", "xml.etree.ElementTree.Element", "xml.etree.elementtree"),
    ],
)
def test_a_known_name_has_its_signature_kind_and_page(
    documents: list[Document], docno: str, title: str, page: str
) -> None:
    (document,) = [document for document in documents if document.docno == docno]
    assert document.title.startswith(title)
    assert document.url == f"https://docs.python.org/3/library/{page}.html"


def test_a_thing_with_several_public_names_is_one_document(documents: list[Document]) -> None:
    docnos = {document.docno for document in documents}
    assert {"asyncio.run", "json.JSONDecoder.decode", "unittest.TestCase", "open"} <= docnos
    others = {"asyncio.runners.run", "json.decoder.JSONDecoder.decode", "unittest.case.TestCase", "io.open"}
    assert not others & docnos


def test_tests_jokes_and_what_some_machines_lack_stay_out(documents: list[Document]) -> None:
    tops = {document.docno.split(".")[0] for document in documents}
    assert not tops & written.LEFT_OUT
    assert not tops & {"exit", "copyright", "credits"}


def test_a_module_lists_its_public_names(documents: list[Document]) -> None:
    texts = {document.docno: document.text for document in documents}
    assert "Public names:" in texts["heapq"] and "nsmallest" in texts["heapq"].split("Public names:")[1]
    assert "permutations" in texts["itertools"].split("Public names:")[1]


def test_building_neither_prints_nor_imports_the_modules_it_describes() -> None:
    code = (
        "import sys; from config.demo.corpus import build_documents; build_documents();"
        "print(sorted({'smtplib', 'unittest', 'http.server', 'antigravity', 'this', 'webbrowser', 'pydoc',"
        " 'readline', 'asyncio', 'multiprocessing', 'idlelib', 'concurrent.futures'} & set(sys.modules)))"
    )
    assert run_python(code, hash_seed="0") == "[]\n"


def test_compiled_modules_are_described_too() -> None:
    names = {definition.name for definition in compiled_definitions()}
    assert {"math.hypot", "itertools.chain.from_iterable", "dict.get", "len"} <= names


@pytest.mark.parametrize(
    ("source", "bound", "expected"),
    [
        ("def f(a: int, *, b: str = 'x', **c: int): ...", False, "(a, *, b='x', **c)"),
        ("def f(self, a, /, b=1): ...", True, "(a, /, b=1)"),
        ("def f(self, /, b=1): ...", True, "(b=1)"),
        ("def f(self): ...", True, "()"),
        ("def f(*args, **kwargs): ...", True, "(*args, **kwargs)"),
    ],
)
def test_a_signature_is_written_without_annotations_and_self(source: str, bound: bool, expected: str) -> None:
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef)
    assert written_signature(node, bound) == expected


def test_a_long_signature_is_cut() -> None:
    cut = shorten(f"({', '.join(f'parameter{n}' for n in range(40))})")
    assert len(cut) <= SIGNATURE_WIDTH and cut.endswith("…)")


def test_a_docstring_loses_invisible_characters_and_repeated_empty_lines() -> None:
    assert clean("one\x0b\ttwo  \n\n\n\n  three\ufeff\n") == "one  two\n\n  three"


def test_what_others_put_into_a_compiled_module_is_not_described(monkeypatch: pytest.MonkeyPatch) -> None:
    def planted() -> None:
        """Something that a program put into the interpreter for its own use."""

    born = sorted(compiled_definitions())
    monkeypatch.setattr(sys, "unraisablehook", planted)
    monkeypatch.setattr(builtins, "planted", planted, raising=False)
    compiled_members.cache_clear()
    try:
        assert sorted(compiled_definitions()) == born
    finally:
        compiled_members.cache_clear()


def plant(library: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text(source)


def test_a_package_shows_what_it_imports_from_inside_under_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "LIBRARY", tmp_path)
    plant(
        tmp_path,
        {
            "planted_a/__init__.py": "from ._inner import Thing as Shown\nfrom collections import deque\n",
            "planted_a/_inner.py": "class Thing:\n  'A thing.'\n  def act(self, x):\n    'Acts.'\n",
        },
    )
    assert written.public_names("planted_a") == {"Shown"}
    found = written.definitions("planted_a", "Shown", "planted_a", "Shown")
    assert [definition.name for definition in found] == ["planted_a.Shown", "planted_a.Shown.act"]
    assert [definition.origin for definition in found] == [
        "planted_a._inner:Thing",
        "planted_a._inner:Thing.act",
    ]


def test_names_outside_a_written_out_all_are_not_public(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "LIBRARY", tmp_path)
    functions = "def shown(): 'Shown.'\ndef other(): 'Other.'\n"
    plant(
        tmp_path,
        {
            "planted_b.py": f"__all__ = ['shown']\n{functions}",
            "planted_c.py": f"__all__ = ['shown']\n__all__ += ['other']\n{functions}",
            "planted_d.py": f"__all__ = sorted(globals())\n{functions}",
        },
    )
    assert written.public_names("planted_b") == {"shown"}
    assert written.public_names("planted_c") == {"shown", "other"}
    assert written.public_names("planted_d") == {"shown", "other"}


def test_imports_in_a_circle_come_to_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written, "LIBRARY", tmp_path)
    plant(tmp_path, {"planted_e.py": "from planted_f import x", "planted_f.py": "from planted_e import x"})
    assert written.definitions("planted_e", "x", "planted_e", "x") == []
