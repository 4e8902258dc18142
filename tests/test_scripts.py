"""The pure scripts pass their own tests, in the Node that Playwright's package has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import playwright

TESTS = sorted((Path(__file__).parent / "js").glob("*.test.js"))
NODE = Path(playwright.__file__).parent / "driver/node"


def test_the_pure_scripts() -> None:
    outcome = subprocess.run([NODE, "--test", *TESTS], capture_output=True, text=True)
    assert TESTS and outcome.returncode == 0, outcome.stdout
