"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.test_architecture import DJANGO_ROOMS, FLOORS, MODULES

PURE = [
    ".".join(path.with_suffix("").parts)
    for path in MODULES
    if path.parts[0] in FLOORS
    and path.stem != "__init__"
    and not {*path.parts[1:-1], path.stem} & DJANGO_ROOMS
] + ["jurypool"]


@pytest.mark.parametrize("name", PURE)
def test_the_examples_of_a_pure_module_are_true(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
