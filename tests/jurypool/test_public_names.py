"""The public names of the library: one list for readers, type checkers and the imports on first use."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import jurypool as jp

ROOT = Path(__file__).resolve().parents[2]


def imports_for_type_checkers() -> dict[str, str]:
    """Return name -> module of the imports in jurypool/__init__.py that only a type checker follows."""
    tree = ast.parse((ROOT / "jurypool/__init__.py").read_text())
    checked = next(each for each in tree.body if isinstance(each, ast.If))
    assert ast.unparse(checked.test) == "TYPE_CHECKING"
    return {
        name.name: "." * each.level + (each.module or "")
        for each in checked.body
        if isinstance(each, ast.ImportFrom)
        for name in each.names
    }


def test_type_checkers_and_the_imports_on_first_use_find_the_same_names() -> None:
    assert imports_for_type_checkers() == jp.MODULE_OF
    assert sorted([*jp.MODULE_OF, "__version__"], key=str.lower) == sorted(jp.__all__, key=str.lower)


def test_every_public_name_is_found_and_listed() -> None:
    names: dict[str, object] = {}
    exec("from jurypool import *", names)
    assert {*jp.__all__} <= names.keys()
    assert {*jp.__all__} <= {*dir(jp)}


def test_another_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="module 'jurypool' has no attribute 'evalute'"):
        getattr(jp, "evalute")  # noqa: B009  (a type checker refuses the plain form)


def test_the_import_alone_loads_neither_numpy_nor_a_module_of_features() -> None:
    code = (
        "import sys, jurypool;"
        "print([name for name in sys.modules if name.startswith(('numpy', 'assess.', 'metrics.'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_a_later_change_of_the_folder_does_not_hide_a_package(tmp_path: Path) -> None:
    (tmp_path / "metrics.py").write_text("mine = 1\n")
    code = f"import os, jurypool as jp; os.chdir({str(tmp_path)!r}); print(jp.rbo(['D1'], ['D1']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
