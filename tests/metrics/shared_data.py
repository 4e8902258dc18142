"""Real collections: those in the repository, and those that may not be part of it and may lie beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = ROOT / "tests/data"
DATA = Path(os.environ.get("JURYPOOL_COLLECTIONS") or ROOT / "../shared/data")


def needs(folder: str) -> pytest.MarkDecorator:
    """Mark a test of a collection that is not in the repository; without the collection it is deselected."""
    return pytest.mark.collection(folder)
