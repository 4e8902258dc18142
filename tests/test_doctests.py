"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.test_architecture import DJANGO_ROOMS, FLOORS, MODULES, ROOT


def source_of(name: str) -> str:
    path = ROOT / name.replace(".", "/")
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()


PURE = [
    ".".join(path.with_suffix("").parts)
    for path in MODULES
    if path.parts[0] in FLOORS
    and path.stem != "__init__"
    and not {*path.parts[1:-1], path.stem} & DJANGO_ROOMS
] + ["jurypool"]
WITH_EXAMPLES = [name for name in PURE if ">>> " in source_of(name)]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_pure_module_are_true(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted and not found.failed
